"""What an expression that was found beside the islands does to a run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ..kernels import score
from ..network import Network
from ..runs import Recorder, Until
from ..search import Beside, FoundExpression, Origin, Progress, Run

Look = Callable[[Network, float], str | None]


class ExpressionFirst:
    """Looks at the network of the best expression, as soon as the search for it has ended, and
    else at what the islands have."""

    def __init__(
        self, aside: Beside, otherwise: Until, look: Look | None, waits: bool = False
    ) -> None:
        """`look` says whether what a network has learned is proved, where no language is known. A
        run that goes on may be at its end, so that one waits for the expression."""
        self.aside = aside
        self.otherwise = otherwise
        self.look = look
        self.waits = waits
        self._found: FoundExpression | None = None
        self._network: Network | None = None

    def __call__(
        self, progress: Progress, best: list[Network], others: list[Network], left: float
    ) -> str | None:
        if not (self.aside.has_ended or self.waits):
            return None  # what the islands have may not be the answer
        if self._found is None:
            self._found = self.aside.result()
            self._network = self._found.network
        if self._found.bits >= progress.mdl:
            return self.otherwise(progress, best, others, left)
        # The expression is the answer, so what is proved has to be its network.
        if self._network is None:
            return None
        if self.look is not None:
            return self.look(self._network, left)
        return self.otherwise(progress, [self._network, *best], others, left)


def with_expression(run: Run, found: FoundExpression, recorder: Recorder) -> Run:
    """The run with the expression as its answer, where that takes fewer bits than the network."""
    if found.bits >= run.score.mdl:
        return run
    network = found.network
    problem = recorder.problem
    run = replace(run, found=found, value=found.bits)
    if network is None or network.alphabet != problem.corpus.alphabet:
        recorder.keep_expression(found.to_dict(), run)
        return run
    cost = score(network, problem.corpus, problem.encoding)
    origin = Origin(True, 0, found.expression.notation)
    run = replace(run, best=network, score=cost, origin=origin)
    recorder.keep_expression(found.to_dict(), run, network)
    return run
