"""benchmarks/learned: whether the machine of a network has the strings of the language."""

from __future__ import annotations

import pytest
from benchmarks.learned._verdict import differ

from mdlrnn.languages._notation import language_from_notation
from mdlrnn.machines._files import machine_from_text
from mdlrnn.machines._machine import Machine

MOST = 3_000
"""Places that are looked at: enough for what is wrong from n = 27 on."""
# Right up to n = 26. From there on it has more prefixes of a length than can be listed.
FROM_27_ON_ANYTHING = """
start: a -> A, n = 3
A: a 1/2 -> A, n = n + 3
A: b 1/2 -> B, n = n - 1
B: b if n > 0 and n < 79 -> B, n = n - 1
B: # if n = 0
B: a 1/2 if n > 78 -> A, n = n + 3
B: b 1/2 if n > 78 -> B, n = n - 1
"""
COUNTING_DOWN = """
start: a -> A, n = 3
A: a 1/3 -> A, n = n + 3
A: b 2/3 -> B, n = n - 1
B: b if n > 0 -> B, n = n - 1
B: # if n = 0
"""
SOMETIMES_STUCK = """
start: a -> A, n = 3
A: a 1/3 -> A, n = n + 3
A: b 1/3 -> B, n = n - 1
A: c 1/3 -> S
B: b if n > 0 -> B, n = n - 1
B: # if n = 0
S: a if n > 0 -> S, n = n + 1
S: # if n = 0
"""


@pytest.mark.parametrize(
    ("machine", "notation", "expected"),
    [
        (FROM_27_ON_ANYTHING, "a^n b^3n", True),
        (COUNTING_DOWN, "a^n b^3n", False),
        (SOMETIMES_STUCK, "a^n b^3n", False),
        (COUNTING_DOWN, "a^n b^2n", True),
        (COUNTING_DOWN, "a^n | a^n b^3n", True),
    ],
)
def test_machines_differ_if_one_has_a_string_that_the_other_lacks(
    machine: str, notation: str, expected: bool
) -> None:
    one, other = machine_from_text(machine), language_from_notation(notation)
    assert isinstance(one, Machine)
    assert differ(one, other, MOST) is expected
    assert differ(other, one, MOST) is expected
