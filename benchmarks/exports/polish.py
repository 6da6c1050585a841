"""Can gradient training polish what a search left inexact? Searched, trained, read back.

    python benchmarks/exports/polish.py anbn --generations 300 900 --seeds 2

A search is stopped early. Its best network goes to PyTorch, is trained on the same strings, and is
read back at several tolerances; the lowest |G| + |D:G| is taken. Needs the extras torch and prove.
"""

from __future__ import annotations

import argparse

import torch
from round_trip import head, read_back, told, train  # type: ignore[import-not-found]

from mdlrnn import Stop, evolve, exports, score
from mdlrnn.languages import language_from


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("task")
    parser.add_argument("--generations", type=int, nargs="+", default=[300, 900])
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--rate", type=float, default=0.01)
    parser.add_argument("--smoothing", type=float, default=0.001)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    task = arguments.task
    strings = language_from(task).corpus()
    print(head(task))
    for generations in arguments.generations:
        for seed in range(1, arguments.seeds + 1):
            print(f"{generations} generations, seed {seed}")
            run = evolve(
                task, seed=seed, stop=Stop(generations=generations), prove=False,
                progress=False,
            )  # fmt: skip
            print(told("  searched", run.best, score(run.best, strings), task=task))
            for straight_through in (False, True):
                module = exports.torch(run.best, straight_through=straight_through)
                train(module, strings, arguments.steps, arguments.rate, arguments.smoothing)
                tolerance, network, found = read_back(module, strings)
                name = "  straight-through" if straight_through else f"  {arguments.steps} steps"
                print(told(name, network, found, f"{tolerance:g}", task), flush=True)


if __name__ == "__main__":
    main()
