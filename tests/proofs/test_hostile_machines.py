"""Machines of a few lines that would cost the prover or the sampler minutes."""

from __future__ import annotations

import pytest

from mdlrnn import InputError, suggest, zoo
from mdlrnn.machines import machine_from_text
from mdlrnn.proofs import prove
from mdlrnn.proofs._execute import system_for
from mdlrnn.proofs._invariant import stack_bases

HUGE_BASE = """
s: a 1/2 -> s, n = {base}n
s: b 1/4 -> t
s: # 1/4 if n = 0
t: b if n > 0 -> t, n = n - 1
t: # if n = 0
"""


@pytest.mark.parametrize(("base", "found"), [(3, {"n": {3}}), (64, {"n": {64}}), (10**9, {})])
def test_a_counter_that_is_multiplied_by_much_is_no_stack(
    base: int, found: dict[str, set[int]]
) -> None:
    """Digits are kept as bits, and 2**10**9 would take minutes and 125 MB."""
    machine = machine_from_text(HUGE_BASE.replace("{base}", str(base)), "huge")
    system, _ = system_for(zoo.anbn(), machine)
    assert stack_bases(system) == found


def test_a_counter_that_grows_with_every_symbol_ends_the_drawing() -> None:
    text = """
        s: a 1/2 if n > 0 -> s, n = 1000000000000000000n + 1
        s: b 1/2 if n > 0 -> s, n = n + 1
        s: a 9/10 if n = 0 -> s, n = n + 2
        s: # 1/10 if n = 0
    """
    with pytest.raises(InputError, match=r"^a counter of grows has more than 262,144 binary digi"):
        machine_from_text(text, "grows").sample(60)


def test_a_counter_of_thousands_of_digits_is_too_long_for_a_solver() -> None:
    text = """
        s: a 1/2 if n mod 2 = 0 -> s, n = n + 65
        s: # 1/2 if n mod 2 = 0
        s: b 1/2 if n mod 2 = 1 -> s, n = 1000000000n + 1000
        s: # 1/2 if n mod 2 = 1
    """
    machine = machine_from_text(text, "x")
    for network in suggest(machine.sample(60)):
        assert not prove(network, machine, seconds=2).proved
