"""How well a network does a task, as the paper measures it (section 4.2), and the table of it."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..corpus import Corpus, match
from ..errors import InputError
from ..languages import SEED, Language
from ..machines import MARGIN, Truth, is_sure, leads, mistakes
from ..network import BOUNDARY, Network, counted, powers, spelled
from ..waiting import doing

MEASURES = (
    ("strings", "{}_strings"),
    ("characters", "{}_characters"),
    ("cross-entropy, bits a character", "{}_cross_entropy"),
    ("  optimal", "optimal_{}_cross_entropy"),
    ("deterministic accuracy", "{}_deterministic_accuracy"),
    ("categorical accuracy, margin 0.005", "{}_categorical_accuracy"),
    ("categorical accuracy, margin 0", "{}_categorical_accuracy_at_0"),
    ("strings without a mistake", "{}_string_accuracy"),
)
"""The measures in the order in which they are shown, with their keys in `Report.to_dict`; the first
only where strings are weighted."""
SETS = ("train", "test")
LONGEST = 48
"""Symbols of a string that is shown as it is."""
WIDTH = 80
"""Columns of the table and what stands below it."""


class Failure(NamedTuple):
    """The first place where a network is wrong."""

    string: str
    """The shortest string that it gets wrong, or for addition the two numbers."""
    step: int
    """Symbols read before the mistake, not counting the boundary."""
    expected: str
    given: str
    length: int = 0
    """Symbols of the whole string."""


class Measures(NamedTuple):
    """Over one set: bits, and how many steps of each sort were right."""

    characters: int = 0
    bits: float = 0.0
    optimal_bits: float = 0.0
    deterministic_steps: int = 0
    deterministic_right: int = 0
    categorical_right: int = 0
    """Steps where possible symbols get at least epsilon and the others less."""
    strictly_right: int = 0
    """The same with epsilon 0: possible symbols above 0, the others exactly 0."""
    strings: int = 0
    strings_right: int = 0
    """Strings that are right at every step."""

    def plus(self, other: Measures) -> Measures:
        sums: Any = (a + b for a, b in zip(self, other, strict=True))
        return Measures(*sums)


class Weighted(NamedTuple):
    """The strings of a set, each once, and the characters in them."""

    strings: int
    characters: int


class Report(NamedTuple):
    task: str
    size: int
    train: Measures
    test: Measures
    first_failure: Failure | None
    deterministic: bool
    """Whether the task has deterministic steps; Dyck languages have none."""
    title: str
    """Of the task."""
    noun: str = "symbol"
    """What one step is called."""
    has_symbols: bool = True
    """Whether it is about strings, not numbers."""
    weighted: Weighted | None = None
    """Where each string of the test set counts by its probability, what it holds."""

    def to_dict(self) -> dict[str, object]:
        data: dict[str, object] = {"task": self.task, "size": self.size}
        for name, part in (("train", self.train), ("test", self.test)):
            steps = part.characters
            held = (self.weighted if name == "test" else None) or Weighted(part.strings, steps)
            data[f"{name}_strings"], data[f"{name}_characters"] = held
            data[f"{name}_cross_entropy"] = part.bits / steps
            data[f"optimal_{name}_cross_entropy"] = part.optimal_bits / steps
            data[f"{name}_deterministic_accuracy"] = _share(
                part.deterministic_right, part.deterministic_steps
            )
            data[f"{name}_categorical_accuracy"] = (
                _share(part.categorical_right, steps) if self.has_symbols else None
            )
            data[f"{name}_categorical_accuracy_at_0"] = (
                _share(part.strictly_right, steps) if self.has_symbols else None
            )
            data[f"{name}_string_accuracy"] = _share(part.strings_right, part.strings)
        failure = self.first_failure
        data["first_failure"] = None if failure is None else failure._asdict()
        return data

    def rows(self) -> list[tuple[str, str, str]]:
        """A label and a text for both sets, of each measure that there is."""
        data = self.to_dict()
        found = []
        for label, key in MEASURES if self.weighted else MEASURES[1:]:
            train, test = (data[key.format(name)] for name in SETS)
            if train is not None or test is not None:
                entropy = "entropy" in key
                found.append((label, cell_text(train, entropy), cell_text(test, entropy)))
        return found

    @property
    def heading(self) -> str:
        return f"{self.title}, {self.size:,}"

    def verdict(self) -> list[str]:
        """The first mistake, or that there is none, in lines."""
        failure = self.first_failure
        note = ["each string of the test set counts by its probability"] if self.weighted else []
        if failure is None:
            return [*note, "no mistake on any of these strings"]
        shown = failure.string if len(failure.string) <= LONGEST else powers(failure.string)
        read = f"{failure.step} {self.noun}{'' if failure.step == 1 else 's'}"
        return [
            *note,
            f"first mistake: {shown or 'the empty string'}",
            f"  after {read}: expected {failure.expected}",
            f"  given {failure.given}",
        ]

    def __str__(self) -> str:
        """The table that `mdlrnn test` prints."""
        table = [(self.heading, "training", "test"), *self.rows()]
        width = max(12, *(2 + len(text) for _, *texts in table for text in texts))
        lines = [f"{label:<36}{train:>{width}}{test:>{width}}" for label, train, test in table]
        return "\n".join([*lines, "", *map(_filled, self.verdict())])


def _filled(line: str) -> str:
    return textwrap.fill(
        line, WIDTH, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
    )


def cell_text(value: Any, entropy: bool) -> str:
    if value is None:
        return "-"
    if isinstance(value, int):
        return f"{value:,}"
    return entropy_text(value) if entropy else f"{percent_text(value)} %"


def percent_text(share: float, digits: int = 2) -> str:
    """A share in percent, cut and not rounded: 100 means all."""
    scale = 10**digits
    cut = math.floor(100 * scale * share + 1e-9)  # 0.29 is 28.999999999999996 of 100
    return f"{(cut if share >= 1 else min(cut, 100 * scale - 1)) / scale:.{digits}f}"


def entropy_text(value: float) -> str:
    return "infinite" if math.isinf(value) else f"{value:.6f}"


def _share(right: int, all_of: int) -> float | None:
    return right / all_of if all_of else None


SHORTEST = 200
"""Strings of the language that are looked through for the first failure, besides both sets."""


def measure(
    network: Network,
    task: Language,
    size: int | None = None,
    seed: int = SEED,
    longest: int | None = None,
) -> Report:
    """The paper's measures on the training set and the test set of a task."""
    size = task.size if size is None else size
    network = named(network, task)
    train, early = measure_parts(network, task, [task.training(size, seed)])
    parts = task.tests(size, seed, longest)
    weighted = None
    if task.weighted and longest is None:
        parts = iter(held := list(parts))
        lengths = [len(string) + 1 for part in held for string, _ in part.strings()]
        weighted = Weighted(len(lengths), sum(lengths))
    test, late = measure_parts(network, task, parts)
    if not test.characters:
        raise InputError(
            f"{task.title} has no strings longer than those of the training set and of up to "
            f"{longest} symbols; give a larger --longest."
        )
    first = _first(network, task, early, late)
    return Report(
        task.task or task.name, size, train, test, first, train.deterministic_steps > 0, task.title,
        task.noun, task.alphabet is not None, weighted,
    )  # fmt: skip


def named(network: Network, task: Language) -> Network:
    """A network without names for its units takes the symbols of the language in order."""
    symbols = task.alphabet
    if symbols is None or network.alphabet is not None:
        return network
    fits = network.inputs == network.outputs == len(symbols)
    return replace(network, alphabet=symbols) if fits else network


def _first(
    network: Network, task: Language, train: Failure | None, test: Failure | None
) -> Failure | None:
    """The failure on the shortest string, among the shortest of the language and both sets.

    A training set need not hold every short string, so that alone it would name a later one.
    """
    found = [failure for failure in (train, test) if failure is not None]
    if task.alphabet is None:
        return found[0] if found else None
    least = min((failure.length for failure in found), default=math.inf)
    shortest = task.shortest(SHORTEST)
    strings = list(takewhile(lambda string: len(string) <= least, shortest))
    early = measure_parts(network, task, [Corpus.from_strings(strings)])[1]
    if early is not None:
        return early
    return min(found, key=lambda failure: failure.length, default=None)


@doing("measuring")
def measure_parts(
    network: Network, task: Language, parts: Iterable[Corpus]
) -> tuple[Measures, Failure | None]:
    """The measures over all parts, and the failure on the shortest string."""
    total = Measures()
    first: Failure | None = None
    for part in parts:
        chances, corpus = fed(network, part)
        found, failure = judge(chances, corpus, truth_of(corpus, task), task.spelled)
        total = total.plus(found)
        if failure is not None and (first is None or failure.length < first.length):
            first = failure
    return total, first


def truth_of(corpus: Corpus, task: Language) -> Truth:
    """The truth, with the score that the paper calls optimal.

    It is that of the true distribution, but for Dyck-2 that of the paper's hand-built stack, which
    opens a bracket with probability 4/13, not 3/10; `Machine.optimal` gives the true optimum.
    """
    truth = task.truth(corpus)
    if task.optimum is None:
        return truth
    return truth._replace(optimal_bits=bits_of(*fed(task.optimum(), corpus)))


def bits_of(chances: NDArray[np.float64], corpus: Corpus) -> float:
    """|D:G|"""
    each = chances[corpus.item_node, corpus.item_target]
    if np.any(each <= 0):
        return math.inf
    return float(-np.sum(corpus.item_weight * np.log2(each)))


def fed(network: Network, part: Corpus) -> tuple[NDArray[np.float64], Corpus]:
    from ..kernels import distributions  # heavy: Numba

    corpus = match(part, network)
    return distributions(network, corpus), corpus


def judge(
    chances: NDArray[np.float64],
    corpus: Corpus,
    truth: Truth,
    spelled: Callable[[Sequence[Any]], str],
) -> tuple[Measures, Failure | None]:
    """The measures of a model that gives these chances, (node, target), to what follows each
    prefix, and its mistake on the shortest string, which `spelled` writes."""
    possible = truth.possible
    sure = is_sure(possible)
    right = sure & leads(possible, chances)
    margin = np.all((chances >= MARGIN) == possible, axis=1)
    strict = np.all((chances > 0) == possible, axis=1)
    steps = np.bincount(corpus.item_node, weights=corpus.item_weight, minlength=len(possible))
    wrong = mistakes(truth.chances, chances)
    broken = _carried(wrong, corpus)
    weights, ends = corpus.item_weight, truth.ends
    found = Measures(
        characters=corpus.characters,
        bits=bits_of(chances, corpus),
        optimal_bits=truth.optimal_bits,
        deterministic_steps=int(steps[sure].sum()),
        deterministic_right=int(steps[right].sum()),
        categorical_right=int(steps[margin].sum()),
        strictly_right=int(steps[strict].sum()),
        strings=int(weights[ends].sum()),
        strings_right=int(weights[ends & ~broken[corpus.item_node]].sum()),
    )
    if not np.any(wrong & (steps > 0)):
        return found, None
    if corpus.alphabet is None:
        # Every part of a sequence of numbers is a sequence, so the shortest ends at the mistake.
        last = int(np.flatnonzero(wrong & (steps > 0))[0])
    else:
        last = int(corpus.item_node[ends & broken[corpus.item_node]][0])
    path = _path(corpus, last)
    return found, _failure(path, wrong, corpus, chances, possible, spelled)


def _failure(
    path: list[int],
    wrong: NDArray[np.bool_],
    corpus: Corpus,
    chances: NDArray[np.float64],
    possible: NDArray[np.bool_],
    spelled: Callable[[Sequence[Any]], str],
) -> Failure:
    """The first mistake along a path of nodes."""
    node = next(node for node in path if wrong[node])
    if corpus.alphabet is None:
        names = tuple(map(str, range(chances.shape[1])))
        rows = corpus.input_rows[corpus.symbol[path]].astype(int)
        read: list[Any] = [tuple(row) for row in rows.tolist()]
    else:
        names = corpus.alphabet
        read = [names[symbol] for symbol in corpus.symbol[path][1:]]
    return Failure(
        spelled(read),
        path.index(node),
        " or ".join(name for name, can in zip(names, possible[node], strict=True) if can),
        ", ".join(
            f"P({name}) = {chance:.4g}" for name, chance in zip(names, chances[node], strict=True)
        ),
        len(read),
    )


def _carried(marked: NDArray[np.bool_], corpus: Corpus) -> NDArray[np.bool_]:
    """Nodes that are marked or stand below a marked one."""
    found = marked.copy()
    for begin, end in zip(corpus.levels[1:-1], corpus.levels[2:], strict=True):
        found[begin:end] |= found[corpus.parent[begin:end]]
    return found


def _path(corpus: Corpus, node: int) -> list[int]:
    path = list(_upwards(corpus, node))
    return path[::-1]


def _upwards(corpus: Corpus, node: int) -> Iterator[int]:
    while node >= 0:
        yield node
        node = int(corpus.parent[node])


def ngram_bits(training: Corpus, held_out: Corpus, order: int) -> float:
    """Bits of all held-out strings; both corpora have the same alphabet in the same order."""
    assert training.alphabet is not None
    assert training.alphabet == held_out.alphabet
    symbols = len(training.alphabet)
    chances = np.full(len(held_out.item_node), 1 / symbols)
    for length in range(order):
        seen = _contexts(training, length, symbols)[training.item_node]
        asked = _contexts(held_out, length, symbols)[held_out.item_node]
        count = _Counts(seen * symbols + training.item_target, training.item_weight)
        total = _Counts(seen, training.item_weight)
        kinds = _Counts(np.unique(seen * symbols + training.item_target) // symbols)
        t = kinds.of(asked)
        below = t > 0
        given = count.of(asked * symbols + held_out.item_target)
        whole = np.where(below, total.of(asked) + t, 1)
        chances = np.where(below, (given + t * chances) / whole, chances)
    return float(-np.sum(held_out.item_weight * np.log2(chances)))


class _Counts:
    """How often each code occurs."""

    def __init__(self, codes: NDArray[np.int64], weights: NDArray[np.float64] | None = None):
        self.codes, place = np.unique(codes, return_inverse=True)
        self.counts = np.bincount(place, weights, minlength=len(self.codes))

    def of(self, codes: NDArray[np.int64]) -> NDArray[np.float64]:
        place = np.minimum(np.searchsorted(self.codes, codes), len(self.codes) - 1)
        return np.where(self.codes[place] == codes, self.counts[place], 0.0)


def _contexts(corpus: Corpus, length: int, symbols: int) -> NDArray[np.int64]:
    """For each node its last symbols, so many, as one number; before the first there is none."""
    code = np.zeros(len(corpus.symbol), dtype=np.int64)
    node = np.arange(len(corpus.symbol))
    for _ in range(length):
        symbol = np.where(node >= 0, corpus.symbol[node], symbols).astype(np.int64)
        code = code * (symbols + 1) + symbol
        node = np.where(node >= 0, corpus.parent[node], -1)
    return code


def trigram_length(corpus: Corpus) -> float:
    """Bits of a corpus under the trigram model of its own counts, and of the model: for each
    context how many symbols follow it and which, and for each number that the model needs half the
    logarithm of the corpus' size."""
    assert corpus.alphabet is not None
    symbols = len(corpus.alphabet)
    contexts = _contexts(corpus, 2, symbols)[corpus.item_node]
    following = _Counts(np.unique(contexts * symbols + corpus.item_target) // symbols).counts
    numbers = float(np.sum(following - 1))
    named = sum(math.log2(symbols * math.comb(symbols, int(count))) for count in following)
    of_model = named + numbers / 2 * math.log2(corpus.item_weight.sum())
    return ngram_bits(corpus, corpus, 3) + of_model


def list_length(corpus: Corpus) -> float:
    """Bits of a corpus as a list of its distinct strings, each symbol as long as the next, of how
    often each of them comes, and then of the number in that list of each of its strings, in a code
    that fits these frequencies."""
    assert corpus.alphabet is not None
    strings = list(corpus.strings())
    total = sum(count for _, count in strings)
    written = sum(len(string) + 1 for string, _ in strings) * math.log2(len(corpus.alphabet))
    return (
        written
        + _choices(total - 1, len(strings) - 1)
        - sum(count * math.log2(count / total) for _, count in strings)
    )


def _choices(of: float, chosen: int) -> float:
    """Bits to say which places are chosen: so a total is cut into counts of at least 1."""
    logs = math.lgamma(of + 1) - math.lgamma(chosen + 1) - math.lgamma(of - chosen + 1)
    return max(0.0, logs) / math.log(2)


COSTLIEST = 5
"""Strings that are named."""


class Costly(NamedTuple):
    """A held-out string, and the step of it that the network expects least."""

    string: str
    times: int
    """How often it is among the held-out strings."""
    bits: float
    """Of the string once."""
    step: int
    """Symbols read before that step, not counting the boundary."""
    symbol: str
    """What follows there; '#' is the end."""
    chance: float
    """What the network gives it."""


class UnseenReport(NamedTuple):
    strings: int
    characters: int
    bits: float
    baselines: dict[str, float | None]
    """Bits of the same strings under simple models; None without training strings."""
    new_strings: int | None = None
    """Held-out strings that are not among the training strings."""
    costliest: tuple[Costly, ...] = ()

    @property
    def cross_entropy(self) -> float:
        """Bits a character."""
        return self.bits / self.characters

    def to_dict(self) -> dict[str, object]:
        baselines = {
            name: None if bits is None else bits / self.characters
            for name, bits in self.baselines.items()
        }
        return {
            "test_strings": self.strings,
            "test_characters": self.characters,
            "test_cross_entropy": self.cross_entropy,
            "baselines": baselines,
            "new_strings": self.new_strings,
            "costliest": [costly._asdict() for costly in self.costliest],
        }

    def __str__(self) -> str:
        """What `mdlrnn test` prints."""
        lines = [f"{counted(self.strings, 'string')}, {counted(self.characters, 'character')}", ""]
        lines.append(f"{'cross-entropy':<36}bits a character")
        lines.append(f"{'the network':<36}{entropy_text(self.cross_entropy):>16}")
        for name, bits in self.baselines.items():
            if bits is not None:
                lines.append(f"{LABELS[name]:<36}{entropy_text(bits / self.characters):>16}")
        if self.new_strings:
            are = "is" if self.new_strings == 1 else "are"
            lines.append(f"  ({self.new_strings:,} of the strings {are} not among them)")
        if None in self.baselines.values():
            lines += ["", *WITHOUT_TRAINING]
        if self.costliest:
            lines += ["", "the costliest strings", *(_line(costly) for costly in self.costliest)]
        return "\n".join(lines)


LABELS = {
    "uniform": "all symbols equally likely",
    "unigram": "unigram of the training strings",
    "trigram": "trigram of the training strings",
    "training_frequencies": "frequencies of the training strings",
}
WITHOUT_TRAINING = (
    "For what n-grams of the training strings would pay, give the run's folder as",
    "the network, or the strings with --training FILE.",
)


def _line(costly: Costly) -> str:
    string = costly.string if len(costly.string) <= LONGEST else powers(costly.string)
    times = f" ({costly.times:,} times)" if costly.times > 1 else ""
    read = f"{costly.step} symbol{'' if costly.step == 1 else 's'}"
    bits = "infinite" if math.isinf(costly.bits) else f"{costly.bits:.2f}"
    return (
        f"{bits:>10} bits  {string or 'the empty string'}{times}\n"
        f"{'':17}after {read}: P({costly.symbol}) = {costly.chance:.4g}"
    )


def measure_unseen(
    network: Network, held_out: Corpus, training: Corpus | None = None
) -> UnseenReport:
    """The bits of held-out strings under the network and under simple models."""
    chances, corpus = fed(network, held_out)
    baselines: dict[str, float | None] = {}
    new = None
    if corpus.alphabet is not None:
        baselines["uniform"] = corpus.characters * math.log2(len(corpus.alphabet))
        known = None if training is None else match(training, network)
        for name, order in (("unigram", 1), ("trigram", 3)):
            baselines[name] = None if known is None else ngram_bits(known, corpus, order)
        baselines["training_frequencies"] = None
        if known is not None:
            baselines["training_frequencies"], new = _frequencies(known, corpus)
    return UnseenReport(
        corpus.sequences, corpus.characters, bits_of(chances, corpus), baselines, new,
        _costliest(chances, corpus),
    )  # fmt: skip


def _frequencies(training: Corpus, held_out: Corpus) -> tuple[float, int]:
    """Bits if each string had its share of the training strings; and how many are not there."""
    below = {
        (parent, symbol): node
        for node, (parent, symbol) in enumerate(
            zip(training.parent.tolist(), training.symbol.tolist(), strict=True)
        )
    }
    counts = dict(_ends(training))
    same: list[int | None] = []
    """For each node of the held-out strings that of the training strings with the same prefix."""
    for parent, symbol in zip(held_out.parent.tolist(), held_out.symbol.tolist(), strict=True):
        above = same[parent] if parent >= 0 else -1
        same.append(None if above is None else below.get((above, symbol)))
    bits, new = 0.0, 0
    for node, count in _ends(held_out):
        place = same[node]
        seen = 0 if place is None else counts.get(place, 0)
        new += 0 if seen else count
        bits += count * math.log2(training.sequences / seen) if seen else math.inf
    return bits, new


def _ends(corpus: Corpus) -> Iterator[tuple[int, int]]:
    """The nodes at which strings end, with how many do."""
    assert corpus.alphabet is not None
    ends = corpus.item_target == corpus.alphabet.index(BOUNDARY)
    nodes, weights = corpus.item_node[ends].tolist(), corpus.item_weight[ends].tolist()
    yield from zip(nodes, map(round, weights), strict=True)


def _costliest(chances: NDArray[np.float64], corpus: Corpus) -> tuple[Costly, ...]:
    if corpus.alphabet is None:
        return ()
    with np.errstate(divide="ignore"):
        surprise = -np.log2(chances)
    cost = np.zeros(len(corpus.symbol))
    for begin, end in zip(corpus.levels[1:-1], corpus.levels[2:], strict=True):
        above = corpus.parent[begin:end]
        cost[begin:end] = cost[above] + surprise[above, corpus.symbol[begin:end]]
    ends = np.flatnonzero(corpus.item_target == corpus.alphabet.index(BOUNDARY))
    bits = cost[corpus.item_node[ends]] + surprise[corpus.item_node[ends], corpus.item_target[ends]]
    dearest = np.argsort(-bits, kind="stable")[:COSTLIEST]
    return tuple(_costly(int(ends[i]), float(bits[i]), chances, corpus) for i in dearest)


def _costly(item: int, bits: float, chances: NDArray[np.float64], corpus: Corpus) -> Costly:
    names = corpus.alphabet
    assert names is not None
    path = [int(corpus.item_node[item])]
    while corpus.parent[path[-1]] >= 0:
        path.append(int(corpus.parent[path[-1]]))
    path.reverse()
    follows = [*corpus.symbol[path[1:]].tolist(), int(corpus.item_target[item])]
    given = [float(chances[node, symbol]) for node, symbol in zip(path, follows, strict=True)]
    step = min(range(len(given)), key=given.__getitem__)
    string = spelled([names[symbol] for symbol in follows[:-1]])
    return Costly(
        string, round(corpus.item_weight[item]), bits, step, names[follows[step]], given[step]
    )
