"""How long `mdlrnn evolve TASK` with its defaults takes to a network that is right on the test set.

    python benchmarks/search/exact.py anbn --seeds 10 --seconds 240 --threads 2

Whenever the search finds something better, the new network is measured on the task's test set, and
the run ends with the first that is right at every deterministic step there. The search sees nothing
of this. The time of the measuring is left out.
"""

from __future__ import annotations

import argparse
import time

from mdlrnn import Search, Stop, evolve
from mdlrnn.languages import language_from
from mdlrnn.measures._measures import measure
from mdlrnn.results import Progress
from mdlrnn.search._settings import UNLIMITED


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("task")
    parser.add_argument("--size", type=int)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--encoding", default="paper", help="the scheme")
    arguments = parser.parse_args()
    task = language_from(arguments.task)
    reached = 0
    for seed in range(1, arguments.seeds + 1):
        measuring = 0.0
        accuracy = searched = 0.0

        def look(progress: Progress) -> bool:
            nonlocal measuring, accuracy, searched
            searched = progress.seconds - measuring
            if progress.improved:
                began = time.monotonic()
                test = measure(progress.best(), task, arguments.size).test
                accuracy = test.deterministic_right / max(test.deterministic_steps, 1)
                measuring += time.monotonic() - began
            return accuracy == 1 or searched > arguments.seconds

        run = evolve(
            task, Search(encoding=arguments.encoding), seed=seed, size=arguments.size,
            stop=Stop(generations=UNLIMITED), prove=False, workers=arguments.threads,
            progress=False, on_progress=look,
        )  # fmt: skip
        reached += accuracy == 1
        print(
            f"seed {seed}: accuracy {accuracy:.6f} on the test set after "
            f"{searched:.1f} s, {run.statistics.steps / 1e6:.1f} M steps, {run.score}",
            flush=True,
        )
    print(f"{reached} of {arguments.seeds} seeds within {arguments.seconds:g} s")


if __name__ == "__main__":
    main()
