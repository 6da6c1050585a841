"""What the command line can do, as functions: `score`, `test`, `prove`, `check`, `sample`, `feed`,
`report`, `describe`. Each takes a network as a value, a `Run`, a file or a run's folder.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from ..checks import check_integer, short
from ..construction import machine_network
from ..corpus import Corpus, match
from ..errors import InputError
from ..extraction import Comparison, Learned, Verdict
from ..extraction import compare as compare_networks
from ..extraction import learned as learned_by
from ..files import PathLike, named, path_of, save
from ..languages import (
    EVERY_TASK,
    OWN_SIZE,
    SEED,
    language_from,
    language_with_rules,
    machine_from,
    split_size,
)
from ..machines import Transducer, random_from
from ..measures import Report, UnseenReport, measure, measure_unseen
from ..network import (
    BOUNDARY,
    EXACT,
    FLOAT,
    Encoding,
    Network,
    Score,
    distribution,
    has_words,
    input_rows,
    plan,
    stepper,
    symbols_of,
)
from ..network import feed as feed_rows
from ..old import knows_old
from ..proofs import CHECK, SECONDS, Checked, Proof
from ..proofs import check as check_certificate
from ..proofs import explain as explain_network
from ..runs import (
    encoding_of,
    holds_run,
    is_network,
    network_from,
    proof_of,
    training_of,
    verdict_of,
)
from ..search import CARD, Stop
from ..show import content_of, page
from ._progress import Display

if TYPE_CHECKING:
    from ..search import Run

LEARNED = 20.0
"""Work, in seconds of an idle core, for what a network has learned."""
SEARCHED = 60.0
"""Seconds for a search on strings, of which is asked what was learned."""


def score(network: object, source: object, encoding: Encoding | None = None) -> Score:
    """|G| and |D:G| of a network on the strings of a source.

    Without an encoding, that of the run from which the network comes, or the paper's, as the
    network needs it.
    """
    if encoding is None:
        encoding = encoding_of(network)
    return score_many([network], source, encoding, workers=1)[0]


@knows_old("score_many")
def score_many(
    networks: Iterable[object],
    source: object,
    encoding: Encoding | None = None,
    *,
    workers: object = None,
) -> list[Score]:
    """The scores of many networks, on that many threads (by default, all cores), or with
    `workers="cuda"` on a graphics card."""
    # Imported here: the other functions need no Numba.
    from ..kernels import gpu
    from ..kernels import score_many as score_networks
    from ..search import local_workers

    spec = local_workers(workers)
    if isinstance(networks, str) or not isinstance(networks, Iterable):
        raise InputError(f"networks is {short(networks)}; give a list of networks.")
    if encoding is not None and not isinstance(encoding, Encoding):
        raise InputError(f"the encoding is {short(encoding)}; make it with Encoding(...).")
    found = [network_from(network) for network in networks]
    words = any(has_words(network.alphabet) for network in found)
    corpus = language_from(source, words=words).corpus()
    if spec.device == CARD:
        return gpu.score_on_card(found, corpus, encoding)
    return score_networks(found, corpus, encoding, threads=spec.threads)


def test(
    network: object,
    source: object,
    *,
    size: int | None = None,
    seed: int = SEED,
    words: bool = False,
    training: object = None,
    longest: int | None = None,
) -> Report | UnseenReport:
    """How well a network does on a task or language: what `mdlrnn test` prints, as a value.

    The test strings are longer than the training strings; `longest` says how long, in symbols.
    On strings of an unknown language, a file or a list, the cross-entropy is measured, beside that
    of simple models of the training strings: those given, or those of the run.
    """
    net = network_from(network)
    check_integer("seed", seed, 0)
    known = language_from(source, size=size, words=words or has_words(net.alphabet))
    if known.rules is None:
        if longest is not None:
            raise InputError(
                f"{known.name} has its strings, and longest is for strings that are drawn; leave "
                "it out."
            )
        seen = training_of(network) if training is None else training
        strings = None if seen is None else _fitting(net, seen, known.words)
        return measure_unseen(net, known.corpus(), strings)
    if longest is not None:
        check_integer("longest", longest, 1)
    return measure(net, known, known.size, seed, longest)


def _fitting(network: Network, training: object, words: bool) -> Corpus:
    """The training strings, all of whose symbols the network reads."""
    corpus = language_from(training, words=words).corpus()
    try:
        return match(corpus, network)
    except InputError as error:
        name = f", {named(training)}" if isinstance(training, str | os.PathLike) else ""
        raise InputError(f"the training strings{name}: {error}") from None


def prove(
    network: object, language: object, *, margin: float | None = None, seconds: float = SECONDS
) -> Proof:
    """Whether a network is right for every string of a language, however long.

    The language is a task's name or a machine (`mdlrnn.languages`). Without a margin the strongest
    claim that holds is sought; with one, that every probability is off by less. Needs the extra
    `prove`.
    """
    return proof_of(network, machine_from(language), margin=margin, seconds=seconds)


def check(
    certificate: PathLike,
    solver: str = "cvc5",
    *,
    network: object = None,
    language: object = None,
    seconds: float = CHECK,
) -> Checked:
    """Have a second solver decide the queries of a certificate that `Proof.certificate` wrote.

    It is accepted if its language is the one given or, without one, that of a task. With `network`,
    the certificate must also be about that network.
    """
    return check_certificate(
        certificate,
        solver,
        None if network is None else network_from(network),
        None if language is None else machine_from(language),
        seconds,
    )


def learned(
    source: object,
    *,
    seconds: float | None = None,
    words: bool = False,
    progress: bool | Display | None = False,
) -> Learned:
    """What a network has learned: the machine inside it, its name, and what is proved of it.

    The language is not given. The source is a network, or strings, a list or a file of them:
    then a network is searched for first, until what it has learned is proved. `seconds`, 20 for a
    network and 60 for the search, are the most that this may take. Needs the extra `prove`.
    """
    verdict = verdict_by(source, seconds=seconds, words=words, progress=progress)
    return verdict.learned or learned_by(verdict.network, LEARNED if seconds is None else seconds)


def verdict_by(
    source: object,
    *,
    seconds: float | None = None,
    words: bool = False,
    progress: bool | Display | None = False,
) -> Verdict:
    """The verdict on a network, or on the best one of a run; or of a search on strings."""
    if hasattr(source, "concluded"):
        # Imported here: only a run has what needs it, and a run has loaded it.
        from ._carry_out import verdict_by_run

        return verdict_by_run(cast("Run", source))
    if is_network(source):
        return verdict_of(source, seconds=LEARNED if seconds is None else seconds, proving=0)
    # Imported here: without a search nothing of Numba is needed.
    from ._evolve import evolve

    stop = Stop(seconds=SEARCHED if seconds is None else seconds, proved=True)
    return evolve(source, stop=stop, words=words, progress=progress).verdict


def compare(first: object, second: object) -> Comparison:
    """Whether two networks have learned the same, proved; or the shortest prefix after which they
    differ. Needs the extra `prove`."""
    return compare_networks(network_from(first), network_from(second))


def explain(network: object, style: str = "text") -> str:
    """How each input changes the memory, and what the outputs are then; text, markdown or latex."""
    return explain_network(network_from(network), style)


def construct(source: object) -> Network:
    """The network that runs the machine of a language, constructed from its rules, without strings
    and without a search.

    The language is a notation ('a^n b^2n'), a language file, a grammar with a machine, a task or a
    machine. Its probabilities are those of the network, and `prove` shows it. Where the machine
    multiplies counters, as a stack that is a number does, the network's saturation is off.
    """
    machine = machine_from(source)
    if isinstance(machine, Transducer):
        raise InputError(
            f"{machine.title} reads numbers, and networks are constructed for strings; evolve one."
        )
    return machine_network(machine)


def sample(source: object, size: int | None = None, seed: int = SEED) -> list[Any]:
    """Random strings of a task or language, or of a network or a run as it gives probabilities;
    where symbols are words, tuples of words."""
    if _makes_strings(source):
        return drawn(network_from(source), OWN_SIZE if size is None else size, seed)
    known = language_from(source)
    task = language_with_rules(known)
    return task.strings(known.size if size is None else size, seed)


def _makes_strings(source: object) -> bool:
    """Whether strings are to be drawn from a network: a value, its file, or a run's folder."""
    if not isinstance(source, str | os.PathLike):
        return is_network(source)
    if isinstance(source, str) and split_size(source)[0] in EVERY_TASK:
        return False
    path = path_of(source)
    return holds_run(path) or (path.is_file() and is_network(path))


LONGEST_DRAWN = 10_000
"""Symbols of a string that a network makes; one that seldom ends is refused."""


def drawn(network: Network, size: int, seed: int) -> list[Any]:
    """Random strings as a network gives probabilities, in float64."""
    if network.alphabet is None:
        raise InputError("the network names no symbols, so it makes no strings; give another.")
    check_integer("size", size, 1)
    check_integer("seed", seed, 0)
    random, step = random_from(seed), stepper(network, FLOAT)
    rows = [[float(unit == place) for unit in range(network.inputs)]
            for place in range(network.inputs)]  # fmt: skip
    end = network.alphabet.index(BOUNDARY)
    found = []
    for _ in range(size):
        string: list[str] = []
        values = step(rows[end], None)
        while True:
            chances = [float(chance) for chance in distribution(network, values)]
            at = int(random.choice(len(chances), p=[chance / sum(chances) for chance in chances]))
            if at == end:
                break
            string.append(network.alphabet[at])
            if len(string) > LONGEST_DRAWN:
                raise InputError(
                    f"a string of the network went beyond {LONGEST_DRAWN:,} symbols; it hardly "
                    "ever ends one, so give another network."
                )
            values = step(rows[at], values)
        found.append(tuple(string) if has_words(network.alphabet) else "".join(string))
    return found


def report(
    source: object,
    path: PathLike = "report.html",
    *,
    task: object = None,
    corpus: object = None,
    title: str | None = None,
) -> None:
    """Write a page on which to look inside a network or a run: one file that works offline.

    A run's folder brings its task and corpus; a network is measured and proved on `task` and scored
    on `corpus`, where they are given.
    """
    save(path, page(content_of(source, task=task, corpus=corpus, title=title)))


class Step(NamedTuple):
    """A step of a network at work, in exact fractions."""

    read: str
    values: Sequence[Fraction | None]
    """Of every unit; None for one that is not evaluated, since it reaches no output."""
    probabilities: dict[str, Fraction]
    """Of what can come next; of a network with one output, that of 1."""


def feed(network: object, string: str | Sequence[Any]) -> list[Step]:
    """A network at work: every unit and probability after the boundary and after each symbol.

    A network with numeric inputs takes rows of numbers.
    """
    net = network_from(network)
    rows = input_rows(net, string)
    if net.alphabet is None:
        read = [",".join(map(str, row)) for row in rows]
    else:
        symbols = symbols_of(string, net.alphabet) if isinstance(string, str) else string
        read = [BOUNDARY, *symbols]
    evaluated = {*plan(net).order, *range(net.inputs)}
    labels = outcomes(net)
    return [
        Step(
            symbol,
            [value if u in evaluated else None for u, value in enumerate(values)],
            dict(zip(labels, distribution(net, values), strict=True)),
        )
        for symbol, values in zip(read, feed_rows(net, rows, EXACT), strict=True)
    ]


def outcomes(network: Network) -> list[str]:
    """What each of the network's outputs is the probability of."""
    if network.alphabet is not None:
        return list(network.alphabet)
    return ["1"] if network.outputs == 1 else [str(output) for output in range(network.outputs)]
