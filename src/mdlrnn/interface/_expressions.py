"""What an expression that was found beside the islands does to a run."""

from __future__ import annotations

from dataclasses import replace

from ..kernels import score
from ..runs import Recorder
from ..search import FoundExpression, Origin, Run


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
