"""Classical RNNs on the paper's tasks, many trained as one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._baseline import DEVICES as DEVICES
    from ._baseline import Stopped as Stopped
    from ._baseline import TrainingProgress as TrainingProgress
    from ._baseline import accuracy as accuracy
    from ._baseline import best as best
    from ._baseline import check_device as check_device
    from ._baseline import kept as kept
    from ._baseline import require_torch as require_torch
    from ._baseline import train as train
    from ._configurations import configurations as configurations
    from ._configurations import selected as selected
    from ._configurations import type_title as type_title
    from ._configurations import with_size as with_size
    from ._training import training_speeds as training_speeds
else:
    from mdlrnn.door import open_door

    __getattr__, __dir__, __all__ = open_door(__name__)
