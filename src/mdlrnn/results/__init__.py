"""The types of what the public functions give back, beside `Run` and `Score`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..extraction import Belonging as Belonging
    from ..extraction import Comparison as Comparison
    from ..extraction import Learned as Learned
    from ..extraction import Verdict as Verdict
    from ..interface import Description as Description
    from ..interface import Step as Step
    from ..measures import Enough as Enough
    from ..measures import Report as Report
    from ..measures import UnseenReport as UnseenReport
    from ..proofs import Checked as Checked
    from ..proofs import Counterexample as Counterexample
    from ..proofs import Proof as Proof
    from ..search import Progress as Progress
    from ..search import Statistics as Statistics
else:
    from ..door import open_door

    __getattr__, __dir__, __all__ = open_door(__name__)
