"""The run folder: settings, checkpoints, log, lock and status."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._conclude import conclude as conclude
    from ._conclude import proof_of as proof_of
    from ._conclude import verdict_of as verdict_of
    from ._files import BEST as BEST
    from ._files import CORPUS as CORPUS
    from ._files import EXPRESSION as EXPRESSION
    from ._files import FRONT as FRONT
    from ._files import HELD_OUT as HELD_OUT
    from ._files import LOCK as LOCK
    from ._files import PROVED as PROVED
    from ._files import SETTINGS as SETTINGS
    from ._files import acquire as acquire
    from ._files import check_holds_run as check_holds_run
    from ._files import holder as holder
    from ._files import holds_run as holds_run
    from ._files import read_log as read_log
    from ._files import read_object as read_object
    from ._files import read_sealed as read_sealed
    from ._files import seal as seal
    from ._files import unseal as unseal
    from ._files import write as write
    from ._networks import encoding_of as encoding_of
    from ._networks import is_network as is_network
    from ._networks import kept_learned as kept_learned
    from ._networks import kept_proof as kept_proof
    from ._networks import load_network as load_network
    from ._networks import network_from as network_from
    from ._networks import read_corpus as read_corpus
    from ._networks import training_of as training_of
    from ._recorder import Recorder as Recorder
    from ._recorder import Until as Until
    from ._recorder import begin as begin
    from ._recorder import reopen as reopen
    from ._settings import Settings as Settings
    from ._settings import Status as Status
    from ._settings import find_runs as find_runs
    from ._settings import read_settings as read_settings
    from ._settings import status_of as status_of
else:
    from ..door import open_door

    __getattr__, __dir__, __all__ = open_door(__name__)
