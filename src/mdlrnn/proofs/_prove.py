"""`prove`: is a network right for every string of a language?

All short strings first, which finds most mistakes; then a relation between counters and memory,
shown inductive; then the strongest claim that the outputs bear. A counter-model on the way is made
a string, and either that string is wrong or it teaches what the short ones did not. Where nothing
is shown, long random strings are run before that is said.
"""

from __future__ import annotations

import time
from fractions import Fraction

from ..checks import is_number, short
from ..errors import InputError
from ..machines import AnyMachine, Configuration
from ..network import Network
from ._claims import Claim, shown_probabilities
from ._equivalent_machines import counting_machine, equivalent_machines
from ._execute import NODES as PREFIXES
from ._execute import SECONDS as EXPLORE
from ._execute import Executor, Explored, Node, executor, explore, wander
from ._induction import Model, OutOfTime, attempt, strongest
from ._invariant import Scheme, schemes
from ._obligations import Induction
from ._proof import Proof
from ._smt import SECONDS, require
from ._statement import (
    IN_EXACT_NUMBERS,
    Attempts,
    as_it_runs_warning,
    not_right,
    not_shown,
    notes,
    on_the_table,
    refutation,
    theorem,
)
from ._system import System, system_for, words
from ._terms import TooComplex
from ._witness import SECONDS as ROUNDED
from ._witness import (
    Counterexample,
    completion,
    explore_rounded,
    explore_running,
    follow,
    is_wrong_as_it_runs,
)
from .float64._runs import limits_text, quick_reach, reach_of

AT_ONCE_PREFIXES = 700
"""Prefixes that are run through where there is little time."""
PREFIXES_OF_EQUIVALENT = 500
"""Prefixes that are run through for another machine of the same language."""
FLOAT_RUNS = 2.0
"""Seconds of runs in float64, where all has to end at once."""
LEAST_TIME = 0.3
"""Seconds without which nothing would be run."""
ROUNDS = 6
"""Strings that a scheme may learn from."""


def prove(
    network: Network,
    machine: AnyMachine,
    *,
    margin: float | None = None,
    seconds: float = SECONDS,
    at_once: bool = False,
) -> Proof:
    """Whether the network is right for every string of the machine's language.

    Without a margin the strongest claim that holds is sought; with one, that every probability is
    off by less. The runs before and after the search have times of their own, unless all has to end
    `at_once` when the seconds are over. Needs the extra `prove`.
    """
    require("z3", "a proof")
    if margin is not None and (not is_number(margin) or not 0 < margin < 1):
        raise InputError(f"the margin is {short(margin)}; give a number between 0 and 1.")
    if not is_number(seconds) or seconds <= 0:
        raise InputError(f"seconds is {short(seconds)}; give a number above 0.")
    began = time.monotonic()
    system, network = system_for(network, machine)
    wanted = None if margin is None else Claim("within", Fraction(str(margin)))
    least = wanted or Claim("ordered")
    search = _Search(system, executor(network), least, wanted, began + seconds, at_once)
    try:
        search.run()
    except TooComplex as reason:
        search.tried.append(f"{reason}")
    except OutOfTime:
        search.tried.append(f"the time of {seconds:g} s is up")
    if not search.claims and search.wrong is None and search.rounded is None:
        search.look_further()
    return search.proof(network, time.monotonic() - began)


class _Search:
    def __init__(
        self,
        system: System,
        run: Executor,
        least: Claim,
        wanted: Claim | None,
        deadline: float,
        at_once: bool,
    ) -> None:
        self.system, self.executor = system, run
        self.least, self.wanted = least, wanted
        self.deadline, self.at_once = deadline, at_once
        self.explored = Explored([], 0, None)
        self.wrong: Node | None = None
        self.shortest = False
        self.induction: Induction | None = None
        self.claims: tuple[Claim, ...] = ()
        self.tried: list[str] = []
        self.rounded: Counterexample | None = None
        self.length = 0
        self.further = 0
        self.unreached: Model | None = None

    def _time(self, usual: float) -> float:
        """Seconds for what has a time of its own."""
        if not self.at_once:
            return usual
        return max(LEAST_TIME, min(usual, self.deadline - time.monotonic()))

    def run(self) -> None:
        most = AT_ONCE_PREFIXES if self.at_once else PREFIXES
        seconds = self._time(EXPLORE)
        self.explored = explore(self.system, self.executor, self.least, most, seconds)
        self.wrong = self.explored.wrong
        if self.explored.obstacle is not None:
            self.tried.append(self.explored.obstacle)
            self.rounded, self.length = explore_rounded(
                self.system, self.executor, self.least, self._time(ROUNDED)
            )
            return
        if self.wrong is not None:
            self.shortest = True
            return
        nodes = list(self.explored.nodes)
        for scheme in schemes(self.executor):
            for _ in range(ROUNDS):
                found = attempt(scheme, self.system, self.executor, nodes, self.deadline)
                if isinstance(found, Induction):
                    self._conclude(found, nodes)
                    return
                self.tried.append(found.why)
                more = [] if found.model is None else self._follow(found.model)
                if self.wrong is not None:
                    return
                if not more:
                    break
                nodes += more
        self._try_equivalent_machines()

    def _try_equivalent_machines(self) -> None:
        """Another machine for the same language may be the one that the network follows."""
        language = self.system.language
        if language is None:
            return
        counting = counting_machine(language)
        tried = [] if counting is None else [(counting, schemes(self.executor)[:3])]
        for machine, several in [*tried, *((m, [Scheme()]) for m in equivalent_machines(language))]:
            system, _ = system_for(self.executor.network, machine)
            nodes = explore(
                system, self.executor, self.least, PREFIXES_OF_EQUIVALENT, self._time(EXPLORE)
            ).nodes
            for scheme in several:
                found = attempt(scheme, system, self.executor, nodes, self.deadline)
                if isinstance(found, Induction):
                    self.system = system
                    self._conclude(found, nodes)
                    return

    def _follow(self, model: Model) -> list[Node]:
        """The runs through a configuration at which something failed, if it can be reached."""
        counters = tuple(model.counters[name] for name in self.system.counters)
        goal = Configuration(model.state, counters)
        nodes, self.wrong = follow(self.system, self.executor, goal, model.label, self.least)
        return nodes

    def _conclude(self, induction: Induction, nodes: list[Node]) -> None:
        self.induction = induction
        self.claims, model = strongest(
            induction, nodes, self.wanted, self.least, self.deadline, self.at_once
        )
        if not self.claims:
            self.tried.append("the relation is inductive, but the outputs do not bear the claim")
            if model is not None:
                self._follow(model)
                self.unreached = model if self.wrong is None else None

    def look_further(self) -> None:
        """Long random strings, since a mistake may lie beyond all that was run."""
        self.wrong, self.further = wander(
            self.system, self.executor, self.least, self._time(EXPLORE)
        )

    def proof(self, network: Network, seconds: float) -> Proof:
        title = self.system.title
        self.length = max(self.length, self.explored.length)
        if self.wrong is not None or self.rounded is not None:
            found = self.rounded
            if self.wrong is not None:
                found = _counterexample(self.system, self.wrong, self.shortest, self.least)
            assert found is not None
            if not found.as_it_runs:  # a longer string may be wrong in both ways, which says more
                running = explore_running(
                    self.system, self.executor, self.least, self._time(ROUNDED)
                )
                found = running or found
            text = refutation(self.system, self.least, found, network.saturation)
            return Proof(
                network, title, "refuted", text, (), found, self.length, seconds,
                (), None, self.system,
            )  # fmt: skip
        if self.claims:
            assert self.induction is not None
            return self._theorem(network, self.induction, seconds)
        attempts = Attempts(tuple(self.tried), self.length, self.further, self.unreached)
        text, told = not_shown(self.system, attempts, self.least)
        return Proof(
            network, title, "not shown", text, (), None, self.length, seconds,
            told, self.induction, self.system,
        )  # fmt: skip

    def _theorem(self, network: Network, induction: Induction, seconds: float) -> Proof:
        title, claims = self.system.title, self.claims
        if self.wanted is None and not claims[0].makes_right(self.system.least_chance):
            text, told = not_right(self.system, claims)
            return Proof(
                network, title, "not right", text, claims, None, self.length, seconds, told,
                induction, self.system, limits=IN_EXACT_NUMBERS,
            )  # fmt: skip
        if self.at_once:
            reach = quick_reach(induction, claims[0], self._time(FLOAT_RUNS))
        else:
            reach = reach_of(induction, claims[0])
        text = theorem(self.system, claims) + as_it_runs_warning(reach)
        told = notes(induction, claims, reach)
        if not self.at_once:
            told = (*on_the_table(induction), *told)
        return Proof(
            network, title, "proved", text, claims, None, self.length, seconds,
            told, induction, self.system, reach.shown, reach.mistake,
            limits_text(self.system, reach),
        )  # fmt: skip


def _counterexample(system: System, node: Node, shortest: bool, claim: Claim) -> Counterexample:
    chances = system.chances(node.phase)
    assert chances is not None
    labels = [*node.labels(), *completion(system, node.here)]
    return Counterexample(
        words(labels, system),
        node.depth,
        dict(zip(system.outcomes, chances, strict=True)),
        dict(zip(system.outcomes, shown_probabilities(node.shares), strict=True)),
        shortest,
        is_wrong_as_it_runs(system, node.executor, claim, node.labels(), node.here),
    )
