"""Networks of random machines: constructed, held against the machine, and proved.

    python -m benchmarks.machines --machines 1000 --seed 0

A machine has one to eight states, three symbols and up to two counters, with conditions and updates
of every kind that `construct` states. Its network has to have its probabilities on every string of
up to 12 symbols. The last line counts; machines that are not proved are named by their seed.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import mdlrnn
from helpers.machines import differs, some_machine

LENGTH = 12


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--machines", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0, help="of the first machine")
    arguments = parser.parse_args()
    wrong = proved = 0
    for seed in range(arguments.seed, arguments.seed + arguments.machines):
        machine = some_machine(seed)
        network = mdlrnn.construct(machine)
        place = differs(network, machine, LENGTH)
        if place is not None:
            wrong += 1
            print(f"seed {seed}: the network differs after {place}", flush=True)
            continue
        proof = mdlrnn.prove(network, machine)
        proved += proof.proved
        if not proof.proved:
            print(f"seed {seed}: {proof.outcome}, {len(machine.rules)} rules", flush=True)
    print(f"{arguments.machines} machines: {proved} proved, {wrong} with another network")


if __name__ == "__main__":
    main()
