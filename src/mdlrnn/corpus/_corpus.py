"""What a network is fed: a corpus as a weighted prefix tree, and what must hold of one.

Kernels use its numbers as indices without looking, so nothing that would lead them astray gets past
`check`. The tree is grown without a loop over symbols or levels: the sequences are sorted, so that
those with a common prefix stand together, and everything else follows from how many first symbols
each one shares with its neighbour.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..checks import check_kind, is_number, short
from ..errors import InputError
from ..files import PathLike, path_of
from ..network import (
    BOUNDARY,
    Arithmetic,
    Network,
    Number,
    check_alphabet,
    distribution,
    has_words,
    log2,
    stepper,
)
from ._strings import (
    Symbols,
    count_lines,
    count_strings,
    distinct_rows,
    encode,
    flatten,
    line_text,
    read_sequences,
)

Integers = NDArray[Any]
Int32 = NDArray[np.int32]

MOST_NODES = 2**31 - 1
"""Nodes are numbered in 32 bits."""
BLOCK = 2**20
"""Symbols compared at once: bounds the memory, not the result."""


class Tree(NamedTuple):
    """Nodes in breadth-first order, inside a level by (parent, symbol); see `Corpus`."""

    parent: Int32
    symbol: Int32
    levels: Int32
    weight: NDArray[np.float64]
    """How many sequences, with their counts, pass through the node."""
    opened: NDArray[np.int64]
    """step * sequences + rank of the first sequence, in sorted order, to reach the node."""
    rank: NDArray[np.int64]
    """The place of each given sequence in sorted order."""

    def node(self, sequence: Integers, step: Integers) -> NDArray[np.int64]:
        """The node that a sequence reaches at a step: the last one opened there up to its rank."""
        wanted = step * len(self.rank) + self.rank[sequence]
        return np.searchsorted(self.opened, wanted, side="right") - 1


def grow(codes: Integers, lengths: Integers, counts: Integers) -> Tree:
    """The tree of the sequences whose codes (0, 1, ...) stand one after the other in `codes`."""
    order, codes = _sort(codes, lengths)
    lengths, counts = lengths[order], counts[order]
    starts = np.cumsum(lengths) - lengths
    number = len(lengths)
    shared = np.zeros(number + 1, np.int64)
    shared[1:-1] = _shared(codes, starts, lengths)
    # A sequence opens the nodes beyond what it shares with the one before it, and closes those
    # beyond what it shares with the one after it. At any time one node of a level is open, so
    # the k-th node to be opened on a level is also the k-th to be closed.
    step, opener = _beyond(lengths, shared[:-1])
    closer = _beyond(lengths, shared[1:])[1]
    if len(step) > MOST_NODES:
        raise InputError(
            f"the corpus has {len(step)} distinct prefixes, more than {MOST_NODES}; "
            "give fewer or shorter sequences."
        )
    passed = np.concatenate(([0.0], np.cumsum(counts)))
    weight = passed[1:][closer] - passed[opener]
    del closer
    opened = step.astype(np.int64) * number + opener
    rank = np.empty(number, np.int64)
    rank[order] = np.arange(number)
    return Tree(
        # The last node opened one step earlier by this sequence or one before it; -1 if none.
        parent=(np.searchsorted(opened, opened - number, side="right") - 1).astype(np.int32),
        symbol=codes[starts[opener] + step].astype(np.int32),
        levels=np.searchsorted(step, np.arange(int(step[-1]) + 2)).astype(np.int32),
        weight=weight,
        opened=opened,
        rank=rank,
    )


def following(tree: Tree) -> tuple[Int32, Int32, NDArray[np.float64]]:
    """What follows each node of a tree of strings, as node, target and weight: the children,
    and before them the boundary, target 0, where strings end."""
    parent, symbol, weight = tree.parent[1:], tree.symbol[1:], tree.weight[1:]
    # Of the strings that come to a node, those that go on to no child end there.
    ending = tree.weight - np.bincount(parent, weight, len(tree.weight))
    last = np.flatnonzero(ending)
    at = np.searchsorted(parent, last)
    return (
        np.insert(parent, at, last),
        np.insert(symbol, at, 0),
        np.insert(weight, at, ending[last]),
    )


def reorder(parent: Int32, symbol: Int32, levels: Int32) -> NDArray[np.int64]:
    """The order of the nodes that is breadth-first for these symbols, as old node numbers."""
    order = np.arange(len(parent))
    place = np.arange(len(parent))
    for start, end in pairwise(levels.tolist()):
        if end - start == 1:
            continue
        above = place[parent[start:end]] if start else parent[start:end]
        order[start:end] = start + np.lexsort((symbol[start:end], above))
        place[order[start:end]] = np.arange(start, end)
    return order


def _sort(codes: Integers, lengths: Integers) -> tuple[NDArray[np.int64], Integers]:
    """The lexicographic order of the sequences, and their codes in that order."""
    big_endian = codes.dtype.newbyteorder(">")  # bytes then compare as the codes do
    raw = codes.astype(big_endian).tobytes()
    edges = np.concatenate(([0], np.cumsum(lengths))) * codes.itemsize
    keys = [raw[start:end] for start, end in pairwise(edges.tolist())]
    order = sorted(range(len(keys)), key=keys.__getitem__)
    raw = b"".join(map(keys.__getitem__, order))
    return np.array(order), np.frombuffer(raw, big_endian).astype(codes.dtype)


def _shared(codes: Integers, starts: Integers, lengths: Integers) -> NDArray[np.int64]:
    """How many first symbols each sequence but the first shares with the one before it."""
    shared = np.minimum(lengths[:-1], lengths[1:]).astype(np.int64)
    blocks = np.unique(np.cumsum(shared) // BLOCK, return_index=True)[1].tolist()
    for first, last in pairwise([*blocks, len(shared)]):
        compared = shared[first:last]
        pair, step = _steps(compared, np.zeros_like(compared))
        differ = np.flatnonzero(
            codes[starts[first + pair] + step] != codes[starts[first + pair + 1] + step]
        )
        pair, step = pair[differ], step[differ]
        earliest = np.flatnonzero(np.diff(pair, prepend=-1))
        compared[pair[earliest]] = step[earliest]
    return shared


def _beyond(lengths: Integers, shared: Integers) -> tuple[Integers, Integers]:
    """Step and sequence of all that lies beyond the shared part, by step and then by sequence."""
    sequence, step = _steps(lengths, shared)
    step = step.astype(np.min_scalar_type(int(lengths.max())))  # short integers sort in linear time
    order = np.argsort(step, kind="stable")
    return step[order], sequence[order]


def _steps(ends: Integers, starts: Integers) -> tuple[Integers, Integers]:
    """Sequence and step of each step from `starts` up to `ends` of every sequence."""
    counts = ends - starts
    sequence = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
    offset = starts - (np.cumsum(counts) - counts)
    return sequence, np.arange(len(sequence)) + offset[sequence]


NUMBERS = ("inputs", "outputs", "sequences", "characters")
ARRAYS = {
    "input_rows": np.float64,
    "parent": np.int32,
    "symbol": np.int32,
    "levels": np.int32,
    "item_node": np.int32,
    "item_target": np.int32,
    "item_weight": np.float64,
}


def inconsistent(what: str) -> InputError:
    return InputError(
        f"the corpus is inconsistent: {what}; make it again with Corpus.load, from_strings or "
        "from_sequences."
    )


def frozen(name: str, value: Any) -> NDArray[Any]:
    """The array in its own type, read-only; refused where that type cannot hold its values."""
    kind = ARRAYS[name]
    array = np.asarray(value)
    integral = kind is np.int32
    if array.dtype.kind not in ("iu" if integral else "iuf"):
        raise inconsistent(f"{name} holds values of type {array.dtype}")
    if array.ndim != (2 if name == "input_rows" else 1):
        raise inconsistent(f"{name} has {array.ndim} dimensions")
    if not integral and not np.isfinite(array).all():
        raise inconsistent(f"{name} holds a value that is not finite")
    if integral and array.dtype != np.int32 and array.size:
        bounds = np.iinfo(np.int32)
        if array.min() < bounds.min or array.max() > bounds.max:
            raise inconsistent(f"{name} holds a value beyond 32 bits")
    array = np.ascontiguousarray(array, kind)
    array.setflags(write=False)
    return array


def check(corpus: Corpus) -> None:
    """Raise InputError unless the corpus meets all that feeding a network needs."""
    for name in NUMBERS:
        value = getattr(corpus, name)
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise inconsistent(f"{name} is {value!r}")
    if corpus.input_rows.shape[1] != corpus.inputs or not len(corpus.input_rows):
        raise inconsistent(
            f"input_rows has the shape {corpus.input_rows.shape} for {corpus.inputs} inputs"
        )
    _check_nodes(corpus)
    _check_items(corpus)
    if corpus.alphabet is not None:
        _check_strings(corpus, corpus.alphabet)


def _check_nodes(corpus: Corpus) -> None:
    parent, symbol, levels = corpus.parent, corpus.symbol, corpus.levels
    rows = len(corpus.input_rows)
    if len(levels) < 2 or levels[0] != 0 or levels[-1] != len(parent):
        raise inconsistent("levels does not go from 0 to the number of nodes")
    if (levels[1:] <= levels[:-1]).any():
        raise inconsistent("a level has no node")
    if len(symbol) != len(parent):
        raise inconsistent(f"there are {len(parent)} parents but {len(symbol)} symbols")
    if symbol.min() < 0 or symbol.max() >= rows:
        raise inconsistent("a symbol is not a row of input_rows")
    level = np.repeat(np.arange(len(levels) - 1, dtype=np.int32), np.diff(levels))
    if (parent[: levels[1]] != -1).any():
        raise inconsistent("a node of the first level has a parent")
    below = parent[levels[1] :]
    if ((below < 0) | (below >= len(parent))).any() or (
        level[below] + 1 != level[levels[1] :]
    ).any():
        raise inconsistent("a node's parent is not on the level before")
    if not _increasing(parent, symbol, rows):
        raise inconsistent("the nodes are not in the order of parent and symbol")


def _check_items(corpus: Corpus) -> None:
    node, target, weight = corpus.item_node, corpus.item_target, corpus.item_weight
    if not 0 < len(node) == len(target) == len(weight):
        raise inconsistent(
            f"there are {len(node)} nodes, {len(target)} targets and {len(weight)} weights of items"
        )
    if node.min() < 0 or node.max() >= len(corpus.parent):
        raise inconsistent("an item belongs to no node")
    known = max(corpus.outputs, 1 if corpus.alphabet is not None else 2)
    if target.min() < 0 or target.max() >= known:
        raise inconsistent("an item's target is no output")
    if weight.min() <= 0:
        raise inconsistent("an item's weight is not above 0")
    if not _increasing(node, target, known):
        raise inconsistent("the items are not in the order of node and target")


def _check_strings(corpus: Corpus, alphabet: tuple[str, ...]) -> None:
    check_alphabet(alphabet)
    if not len(alphabet) == corpus.inputs == corpus.outputs:
        raise inconsistent(
            f"there are {len(alphabet)} symbols, {corpus.inputs} inputs and "
            f"{corpus.outputs} outputs"
        )
    if not np.array_equal(corpus.input_rows, np.eye(len(alphabet))):
        raise inconsistent("input_rows is not the identity matrix")
    boundary = alphabet.index(BOUNDARY)
    if corpus.levels[1] != 1 or corpus.symbol[0] != boundary:
        raise inconsistent("the first level is not the boundary symbol alone")
    onward = corpus.item_target != boundary
    if not (
        np.array_equal(corpus.item_node[onward], corpus.parent[1:])
        and np.array_equal(corpus.item_target[onward], corpus.symbol[1:])
    ):
        raise inconsistent("the items do not agree with the nodes they lead to")
    passing = np.bincount(corpus.item_node, corpus.item_weight, len(corpus.parent))
    if (
        (corpus.item_weight % 1).any()
        or not np.array_equal(corpus.item_weight[onward], passing[1:])
        or (passing[0], passing.sum()) != (corpus.sequences, corpus.characters)
    ):
        raise inconsistent("the weights of the items do not add up")


def _increasing(major: NDArray[np.int32], minor: NDArray[np.int32], base: int) -> bool:
    key = major.astype(np.int64) * base + minor
    return bool((key[1:] > key[:-1]).all())


LARGEST_TOTAL = 2**53
"""Up to here float64 adds counts exactly."""


@dataclass(frozen=True, eq=False, repr=False)
class Corpus:
    """A weighted prefix tree; corpora are equal when they hold the same sequences equally often.

    Make one with `load`, `from_strings` or `from_sequences`; the fields are for code that feeds
    networks. The arrays are read-only; given arrays are used without a copy.
    """

    alphabet: tuple[str, ...] | None
    """The symbol of each input and output, among them '#'; None for numeric sequences."""
    inputs: int
    outputs: int
    input_rows: NDArray[np.float64]
    """The distinct input vectors, (row, input); for strings the identity matrix."""
    parent: NDArray[np.int32]
    """The node one step earlier, -1 on the first level. Nodes stand in breadth-first order,
    inside a level by parent and symbol."""
    symbol: NDArray[np.int32]
    """The row of `input_rows` that is fed at each node."""
    levels: NDArray[np.int32]
    """The first node of each level, and the number of nodes at the end."""
    item_node: NDArray[np.int32]
    """An item says what follows a node; items are sorted by node and target."""
    item_target: NDArray[np.int32]
    """An output, or where there is only one output the value 0 or 1."""
    item_weight: NDArray[np.float64]
    """How often the target follows the node."""
    sequences: int
    characters: int
    """How many predictions are made, repetitions included: for a string its length plus one."""

    def __post_init__(self) -> None:
        for name in ARRAYS:
            object.__setattr__(self, name, frozen(name, getattr(self, name)))
        if self.alphabet is not None:
            object.__setattr__(self, "alphabet", tuple(self.alphabet))
        check(self)

    @classmethod
    def load(cls, path: PathLike, words: bool = False) -> Corpus:
        """The corpus of a file: `.npz` holds numeric sequences, anything else is text.

        Text has one string a line, with or without a count and a TAB before it. Symbols are
        characters, or with `words` the blank-separated words. `.npz` has the arrays that
        `from_sequences` takes: inputs, targets and perhaps lengths.
        """
        if path_of(path).suffix.lower() == ".npz":
            arrays = read_sequences(path)
            try:
                return cls.from_sequences(*arrays)
            except InputError as error:
                raise InputError(f"{path}: {error}") from None
        counts = count_lines(path, words)
        try:
            return _from_counts(counts, words)
        except InputError as error:
            raise InputError(f"{path}: {error}") from None

    @classmethod
    def from_strings(
        cls,
        strings: Iterable[str | Sequence[str]],
        counts: Iterable[int] | None = None,
        words: bool = False,
    ) -> Corpus:
        """The corpus of these strings, or of lists of symbols, each `counts` times.

        The symbols of a string are its characters, or with `words` its blank-separated words.
        """
        check_kind(strings, Iterable, "give a list of strings")
        if counts is not None:
            check_kind(counts, Iterable, "give a list of counts")
        return _from_counts(count_strings(strings, counts, words), words)

    @classmethod
    def from_sequences(
        cls,
        inputs: ArrayLike | Sequence[ArrayLike],
        targets: ArrayLike | Sequence[ArrayLike],
        lengths: ArrayLike | None = None,
    ) -> Corpus:
        """The corpus of numeric sequences: arrays (sequence, step, unit), or a list with an array
        (step, unit) for each sequence. `lengths` says where padded sequences end.

        Targets are weights of the outputs, one-hot or a distribution; a step whose targets are
        all 0 asks for no prediction. With a single output, where the last axis may be left out,
        the target is the probability of 1.
        """
        given = flatten(inputs, targets, lengths)
        input_rows, codes = distinct_rows(given.rows)
        tree = grow(codes, given.lengths, np.ones(len(given.lengths), np.int64))
        outputs = given.targets.shape[1]
        wanted = given.targets if outputs > 1 else np.hstack((1 - given.targets, given.targets))
        sequence = np.repeat(np.arange(len(given.lengths)), given.lengths)
        step = np.arange(len(codes)) - (np.cumsum(given.lengths) - given.lengths)[sequence]
        node = tree.node(sequence, step)
        weight = np.empty((len(tree.parent), wanted.shape[1]))
        for target, column in enumerate(wanted.T):
            weight[:, target] = np.bincount(node, column, len(tree.parent))
        item_node, item_target = np.nonzero(weight)
        return cls(
            alphabet=None,
            inputs=input_rows.shape[1],
            outputs=outputs,
            input_rows=input_rows,
            parent=tree.parent,
            symbol=tree.symbol,
            levels=tree.levels,
            item_node=item_node.astype(np.int32),
            item_target=item_target.astype(np.int32),
            item_weight=weight[item_node, item_target],
            sequences=len(given.lengths),
            characters=int(np.count_nonzero(wanted.any(axis=1))),
        )

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Any]) -> Corpus:
        """The corpus that `to_arrays` took apart; other arrays in the mapping are left alone."""
        check_kind(arrays, Mapping, "give what Corpus.to_arrays returned")
        for name in ("alphabet", *NUMBERS, *ARRAYS):
            if name not in arrays:
                raise InputError(f"the corpus lacks the array {name!r}; save it again.")
        numbers = {name: np.asarray(arrays[name]) for name in NUMBERS}
        for name, number in numbers.items():
            if number.shape != () or number.dtype.kind not in "iu":
                raise inconsistent(f"{name} is not an integer")
        try:
            alphabet = json.loads(str(arrays["alphabet"]))
        except (ValueError, RecursionError):
            raise inconsistent("the alphabet is not JSON") from None
        if not isinstance(alphabet, list | None):
            raise inconsistent("the alphabet is not a list")
        values: dict[str, Any] = {name: int(number) for name, number in numbers.items()}
        values.update((name, np.array(arrays[name])) for name in ARRAYS)
        return cls(alphabet=None if alphabet is None else tuple(alphabet), **values)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """The corpus as plain arrays for an `.npz` file; the alphabet is a JSON text."""
        return {
            "alphabet": np.array(json.dumps(self.alphabet)),
            **{name: np.array(getattr(self, name), np.int64) for name in NUMBERS},
            **{name: getattr(self, name) for name in ARRAYS},
        }

    def with_alphabet(self, alphabet: Sequence[str]) -> Corpus:
        """The same strings for a network whose units stand for these symbols, in this order."""
        if self.alphabet is None:
            raise InputError(
                "a numeric corpus has no symbols to give another alphabet; use it by position."
            )
        wanted = tuple(alphabet)
        if wanted == self.alphabet:
            return self
        check_alphabet(wanted)
        place = {symbol: number for number, symbol in enumerate(wanted)}
        for number in np.union1d(self.symbol, self.item_target).tolist():
            if self.alphabet[number] not in place:
                raise InputError(
                    f"the network has no unit for the symbol {self.alphabet[number]!r}; use a "
                    "network that has one, or leave out the strings with that symbol."
                )
        new = np.array([place.get(symbol, -1) for symbol in self.alphabet], np.int32)
        symbol = new[self.symbol]
        order = reorder(self.parent, symbol, self.levels)
        rank = np.empty(len(order), np.int32)
        rank[order] = np.arange(len(order))
        # Index -1, the root's parent, stands for itself: the appended last entry.
        parent = np.append(rank, np.int32(-1))[self.parent[order]]
        item_node, item_target = rank[self.item_node], new[self.item_target]
        items = np.lexsort((item_target, item_node))
        return replace(
            self,
            alphabet=wanted,
            inputs=len(wanted),
            outputs=len(wanted),
            input_rows=np.eye(len(wanted)),
            parent=parent,
            symbol=symbol[order],
            item_node=item_node[items],
            item_target=item_target[items],
            item_weight=self.item_weight[items],
        )

    def split(self, share: float, seed: int = 0) -> tuple[Corpus, Corpus]:
        """The corpus without a random share of its strings, and these strings.

        Both keep the whole alphabet, so that a network for one fits the other.
        """
        if self.alphabet is None:
            raise InputError("a numeric corpus cannot be split; give two .npz files instead.")
        if not is_number(share) or not 0 < share < 1:
            raise InputError(f"the share is {short(share)}; give a number between 0 and 1.")
        check_kind(seed, int, "give an integer as the seed")
        random = np.random.RandomState(seed % 2**32)  # it takes no larger ones
        kept: dict[tuple[str, ...], int] = {}
        held: dict[tuple[str, ...], int] = {}
        for string, count in self.strings():
            away = int(random.binomial(count, share))
            if away < count:
                kept[string] = count - away
            if away:
                held[string] = away
        if not kept or not held:
            raise InputError(
                f"a share of {share:g} of {self.sequences} strings leaves one side empty; "
                "change the share or give more strings."
            )
        first, second = (
            Corpus.from_strings(list(part), list(part.values())) for part in (kept, held)
        )
        return first.with_alphabet(self.alphabet), second.with_alphabet(self.alphabet)

    def strings(self) -> Iterator[tuple[tuple[str, ...], int]]:
        """The distinct strings with their counts, short ones first."""
        if self.alphabet is None:
            raise InputError("a numeric corpus holds no strings; read its arrays instead.")
        ends = self.item_target == self.alphabet.index(BOUNDARY)
        parent, symbol = self.parent.data, self.symbol.data
        for node, weight in zip(
            self.item_node[ends].tolist(), self.item_weight[ends].tolist(), strict=True
        ):
            path = []
            while node:
                path.append(self.alphabet[symbol[node]])
                node = parent[node]
            yield tuple(reversed(path)), int(weight)

    def to_text(self) -> str:
        """The strings as a corpus file: a count, a TAB and the string a line."""
        words = has_words(self.alphabet)
        return "".join(line_text(string, count, words) for string, count in self.strings())

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the content, in hexadecimal: what makes two corpora the same."""
        shapes = [getattr(self, name).shape for name in ARRAYS]
        numbers = [getattr(self, name) for name in NUMBERS]
        digest = hashlib.sha256(json.dumps([self.alphabet, numbers, shapes]).encode())
        for name, kind in ARRAYS.items():
            little_endian = np.dtype(kind).newbyteorder("<")
            digest.update(getattr(self, name).astype(little_endian, copy=False).data)
        return digest.hexdigest()

    def __eq__(self, other: object) -> bool:
        return self.digest == other.digest if isinstance(other, Corpus) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.digest)

    def __reduce__(self) -> tuple[Any, ...]:
        # Through the constructor, since plain unpickling would make the arrays writable.
        return Corpus, tuple(getattr(self, field.name) for field in fields(self))

    def __repr__(self) -> str:
        size = f"{self.characters} characters, {len(self.parent)} prefixes"
        if self.alphabet is None:
            return (
                f"Corpus({self.sequences} sequences, {size}, "
                f"{self.inputs} inputs, {self.outputs} outputs)"
            )
        distinct = np.count_nonzero(self.item_target == self.alphabet.index(BOUNDARY))
        symbols = " ".join(self.alphabet[:40]) + (" ..." if len(self.alphabet) > 40 else "")
        return (
            f"Corpus({self.sequences} strings, {distinct} distinct, {size}, alphabet={symbols!r})"
        )


def match(corpus: Corpus, network: Network) -> Corpus:
    """The corpus in the order of the network's units: by symbol where both have an alphabet."""
    if corpus.alphabet is not None and network.alphabet is not None:
        return corpus.with_alphabet(network.alphabet)
    forbid_only_boundary(corpus)
    if (corpus.inputs, corpus.outputs) != (network.inputs, network.outputs):
        raise InputError(
            f"the corpus has {corpus.inputs} inputs and {corpus.outputs} outputs, but the network "
            f"has {network.inputs} and {network.outputs}; use a network made for this corpus, or "
            "give the network the alphabet of its units if the corpus holds strings."
        )
    return corpus


def forbid_only_boundary(corpus: Corpus) -> None:
    """One output would be read as P(1) of a numeric task."""
    if corpus.alphabet is not None and len(corpus.alphabet) == 1:
        raise InputError("all strings of the corpus are empty; give at least one with symbols.")


def _from_counts(counts: dict[Symbols, int], words: bool) -> Corpus:
    """Empties `counts`, so that the strings and the tree are not in memory together."""
    alphabet, codes, lengths = encode(list(counts), words)
    each = list(counts.values())
    counts.clear()
    characters = sum(map(int.__mul__, each, lengths.tolist()))
    if characters > LARGEST_TOTAL:
        raise InputError(
            f"with their counts the strings have {characters} characters, more than 2**53; "
            "divide the counts."
        )
    tree = grow(codes, lengths, np.array(each, np.int64))
    item_node, item_target, item_weight = following(tree)
    size = len(alphabet)
    return Corpus(
        alphabet=alphabet,
        inputs=size,
        outputs=size,
        input_rows=np.eye(size),
        parent=tree.parent,
        symbol=tree.symbol,
        levels=tree.levels,
        item_node=item_node,
        item_target=item_target,
        item_weight=item_weight,
        sequences=sum(each),
        characters=characters,
    )


def surprisal(network: Network, corpus: Corpus, arithmetic: Arithmetic) -> float:
    """Infinite if a target has probability 0. `corpus` is in the order of the network's units."""
    step = stepper(network, arithmetic)
    rows = [row.tolist() for row in corpus.input_rows]
    values: list[tuple[Number, ...]] = []
    chances: list[list[Number]] = []
    for above, symbol in zip(corpus.parent.tolist(), corpus.symbol.tolist(), strict=True):
        values.append(step(rows[symbol], None if above < 0 else values[above]))
        given = distribution(network, values[-1])
        chances.append([1 - given[0], given[0]] if len(given) == 1 else given)
    items = zip(corpus.item_node, corpus.item_target, corpus.item_weight, strict=True)
    bits = []
    for node, target, weight in items:
        chance = chances[node][target]
        if chance <= 0:
            return math.inf
        bits.append(-float(weight) * log2(chance))
    return math.fsum(bits)
