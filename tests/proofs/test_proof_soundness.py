"""Whatever `prove` says of networks near the paper's is so, by exact runs over random strings."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from helpers.mutants import TARGETS, mutants
from helpers.oracle import bears_out, random_steps, really_wrong
from mdlrnn import Network, prove

STRINGS = 60
"""Random strings for each network that is proved."""
LENGTH = 30


def _check(network: Network, language: str, seed: int) -> None:
    proof = prove(network, language, seconds=10)
    if proof.outcome == "refuted":
        assert proof.counterexample is not None
        assert really_wrong(network, language, proof.counterexample)
    if not proof.proved:
        return
    for number in range(STRINGS):
        for truth, chances in random_steps(network, language, seed + number, LENGTH):
            for claim in proof.claims:
                assert bears_out(claim, truth, chances), (claim, truth, chances)


@pytest.mark.parametrize("name", ["anbn", "anbmcnm", "dyck1", "addition", "dyck2_short"])
@settings(max_examples=4, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data(), seed=st.integers(0, 10**6))
def test_what_is_claimed_of_a_mutant_is_so(name: str, data: st.DataObject, seed: int) -> None:
    _check(data.draw(mutants(name)), TARGETS[name], seed)


@pytest.mark.slow
@pytest.mark.parametrize("name", TARGETS)
@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data(), seed=st.integers(0, 10**6))
def test_what_is_claimed_of_many_mutants_is_so(name: str, data: st.DataObject, seed: int) -> None:
    """Takes ten minutes."""
    _check(data.draw(mutants(name, most=3)), TARGETS[name], seed)
