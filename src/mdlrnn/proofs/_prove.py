"""`prove`: is a network right for every string of a language? And proofs in a run: which networks
to look at, and what to say at the end.

All short strings first, which finds most mistakes; then a relation between counters and memory,
shown inductive; then the strongest claim that the outputs bear. A counter-model on the way is made
a string, and either that string is wrong or it teaches what the short ones did not. Where nothing
is shown, long random strings are run before that is said.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property

from .. import work
from ..checks import is_number, short
from ..errors import InputError
from ..machines import (
    AnyMachine,
    Configuration,
    Machine,
    Symbols,
    Transducer,
    live_rules,
)
from ..network import FLOAT, Network, distribution, feed, input_rows
from ..waiting import doing
from ._equivalent_machines import counting_machine, equivalent_machines
from ._execute import NODES as PREFIXES
from ._execute import SECONDS as EXPLORE
from ._execute import Executor, Explored, Node, System, executor, explore, system_for, wander, words
from ._induction import Model, OutOfTime, attempt, strongest
from ._invariant import Scheme, schemes
from ._obligations import Induction
from ._proof import Proof
from ._smt import (
    IN_RUN,
    RUNNERS_UP,
    SECONDS,
    Claim,
    available,
    require,
    shown_probabilities,
)
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


@doing("proving")
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
    began, spent = time.monotonic(), work.now()
    system, network = system_for(network, machine)
    wanted = None if margin is None else Claim("within", Fraction(str(margin)))
    least = wanted or Claim("ordered")
    search = _Search(system, executor(network), least, wanted, spent + seconds, at_once)
    try:
        search.run()
    except TooComplex as reason:
        search.tried.append(f"{reason}")
    except OutOfTime:
        search.tried.append(f"as much work as an idle core does in {seconds:g} s was not enough")
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
        self.strings_alone = system.language is not None and system.language.assumed
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
        return max(LEAST_TIME, min(usual, self.deadline - work.now()))

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
        if self._try(schemes(self.executor), list(self.explored.nodes)):
            return
        given = self.system
        if given.language is not None and (live := _live(given.language)) is not None:
            self.system, _ = system_for(self.executor.network, live)
            nodes = explore(self.system, self.executor, self.least, most, seconds).nodes
            if self._try(schemes(self.executor)[:2], list(nodes)):
                return
        self.system = given
        self._try_equivalent_machines()

    def _try(self, several: Sequence[Scheme], nodes: list[Node]) -> bool:
        """Whether one of the schemes leads to an end, which learn from each other's failures."""
        for scheme in several:
            for _ in range(ROUNDS):
                found = attempt(scheme, self.system, self.executor, nodes, self.deadline)
                if isinstance(found, Induction):
                    self._conclude(found, nodes)
                    return True
                self.tried.append(found.why)
                more = [] if found.model is None else self._follow(found.model)
                if self.wrong is not None:
                    return True
                if not more:
                    break
                nodes += more
        return False

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
            induction, nodes, self.wanted, self.least, self.deadline, self.at_once,
            self.strings_alone,
        )  # fmt: skip
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


def _live(language: Machine) -> Machine | None:
    """The machine whose counters are set only where they matter, as a network may keep them; None
    if it is this one."""
    try:
        live = replace(language, rules=live_rules(language))
    except InputError:
        return None
    return None if live == language else live


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


PRECHECK_STRINGS = (29, 59, 149)
"""Strings of the language, shortest first, by place: a network must be right on them to be given
to the solver."""


class Prover:
    """Looks at the networks of a run, at none of them twice."""

    def __init__(self, machine: Machine | Transducer) -> None:
        self.machine = machine
        self.can_prove = available("z3")
        self._found: dict[str, Proof] = {}
        self._tried: dict[str, float] = {}
        """Seconds that were given to networks that were not proved."""

    def prove(self, network: Network, seconds: float = IN_RUN) -> Proof:
        key = network.to_json()
        seconds = min(seconds, IN_RUN)
        if key in self._found and (self._found[key].proved or self._tried[key] >= seconds):
            return self._found[key]
        self._found[key] = prove(network, self.machine, seconds=seconds)
        self._tried[key] = seconds
        return self._found[key]

    def remember(self, proof: Proof | None) -> None:
        """A proof that was found before, so that it need not be found again."""
        if proof is not None and proof.proved:
            self._found[proof.network.to_json()] = proof

    def first_proved(self) -> Proof:
        """The proof that ended the run."""
        return next(proof for proof in self._found.values() if proof.proved)

    def another(self, networks: Iterable[Network]) -> Proof | None:
        """Of the runners-up the first that is proved: with few strings, lucky networks win."""
        ends = work.now() + RUNNERS_UP
        for network in networks:
            left = ends - work.now()
            if left <= 0:
                return None
            if self.fails_on_longer_strings(network):
                continue
            proof = self.prove(network, left)
            if proof.proved:
                return proof
        return None

    def fails_on_longer_strings(self, network: Network) -> bool:
        """Whether it is wrong on some string that is longer than most it was found with.

        That is soon known, while a solver takes seconds to say neither yes nor no. Wrong is what no
        theorem bears: an impossible symbol gets as much as a possible one.
        """
        return any(self._fails(network, string) for string in self._longer)

    def _fails(self, network: Network, string: Symbols) -> bool:
        machine = self.machine
        assert isinstance(machine, Machine)
        here = machine.beginning
        rows = input_rows(network, string, machine.alphabet)
        names = network.alphabet or machine.alphabet
        for symbol, values in zip((None, *string), feed(network, rows, FLOAT), strict=True):
            if symbol is not None:
                after = machine.step(here, symbol)
                assert after is not None
                here = after
            allowed = machine.next_from(here).allowed
            given = dict(zip(names, distribution(network, values), strict=True))
            least = min(given[name] for name in allowed)
            if any(p >= least for name, p in given.items() if name not in allowed):
                return True
        return False

    @cached_property
    def _longer(self) -> list[Symbols]:
        """Nothing for sequences of numbers, all of which a proof runs through soon enough."""
        if not isinstance(self.machine, Machine):
            return []
        shortest = self.machine.shortest(PRECHECK_STRINGS[-1] + 1)
        return [string for place, string in enumerate(shortest) if place in PRECHECK_STRINGS]
