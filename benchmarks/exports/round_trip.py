"""Disturb a^n b^n's network, train it in PyTorch, read it back: |G|, |D:G| and theorem each time.

    python benchmarks/exports/round_trip.py

Every weight and bias is disturbed by Gaussian noise. Training minimises |D:G| of the task's 500
strings with Adam, once with the true gradients, which are 0 through the network's step, and once
with straight-through ones. A module is read back at several tolerances, and the network with the
lowest |G| + |D:G| is taken. Needs the extras torch and prove.
"""

from __future__ import annotations

import argparse
from typing import Any

import torch

from mdlrnn import Network, Score, exports, language, prove, score, zoo

TOLERANCES = (0.0, 0.001, 0.01, 0.03, 0.1, 0.3)


def disturbed(network: Network, noise: float, seed: int, straight_through: bool) -> Any:
    """The network as a module with noise on every weight and bias."""
    module = exports.torch(network, straight_through=straight_through)
    random = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in module.parameters():
            shaken = torch.randn(parameter.shape, generator=random, dtype=torch.float64)
            parameter += noise * shaken
    return module


def train(module: Any, strings: object, steps: int, rate: float, smoothing: float) -> None:
    batch = module.batch(strings)
    adam = torch.optim.Adam(module.parameters(), lr=rate)
    size = float(batch.counts.sum())
    for _ in range(steps):
        adam.zero_grad()
        loss = module.bits(batch, smoothing) / size
        loss.backward()
        adam.step()


def read_back(
    module: Any, strings: object, tolerances: tuple[float, ...] = TOLERANCES
) -> tuple[float, Network, Score]:
    """The tolerance, network and score with the lowest |G| + |D:G|."""
    found = []
    for tolerance in tolerances:
        network = exports.from_torch(module, tolerance=tolerance)
        found.append((tolerance, network, score(network, strings)))
    return min(found, key=lambda one: (one[2].mdl, one[2].g))


def head(task: str) -> str:
    return f"{task:<19} {'tol.':>5} {'|G|':>5} {'|D:G|':>10}  for every string and step"


def told(name: str, network: Network, found: Score, tolerance: str = "", task: str = "anbn") -> str:
    """A line of the table."""
    proof = prove(network, task)
    theorem = proof.statement.rpartition("the network gives ")[2] if proof.proved else "not proved"
    bits = f"{found.d_given_g:,.2f}"
    return f"{name:<19} {tolerance:>5} {found.g:>5} {bits:>10}  {theorem}"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--noise", type=float, default=0.1)
    parser.add_argument("--rate", type=float, default=0.01)
    parser.add_argument("--smoothing", type=float, default=0.001)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    strings = language("anbn").training()
    original = zoo.anbn()
    print(head("anbn"))
    print(told("the paper's network", original, score(original, strings)))
    for seed in range(1, arguments.seeds + 1):
        print(f"noise {arguments.noise:g}, seed {seed}")
        module = disturbed(original, arguments.noise, seed, False)
        for name, tolerances in (("  as it is", (0.0,)), ("  rounded", TOLERANCES)):
            tolerance, network, found = read_back(module, strings, tolerances)
            print(told(name, network, found, f"{tolerance:g}"))
        for straight_through in (False, True):
            module = disturbed(original, arguments.noise, seed, straight_through)
            train(module, strings, arguments.steps, arguments.rate, arguments.smoothing)
            tolerance, network, found = read_back(module, strings)
            name = "  straight-through" if straight_through else f"  {arguments.steps} steps"
            print(told(name, network, found, f"{tolerance:g}"), flush=True)


if __name__ == "__main__":
    main()
