"""`mdlrnn tasks`, `mdlrnn sample` and `mdlrnn test`."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import click

from .._files import save_text
from .._network import Network
from .._tasks import SEED, TASKS
from .._text import powers
from ..languages._machine import SEEDS
from ._data import is_grammar, load_corpus, load_task, no_such, split_size
from ._options import json_option, naming, network_argument, words_option
from ._show import echo_json

seed_option = click.option(
    "--seed",
    type=click.IntRange(0, SEEDS - 1),
    default=SEED,
    show_default=True,
    help="100 gives the paper's own strings.",
)


@click.command()
@json_option
def tasks(as_json: bool) -> None:
    """The paper's tasks, by the names that other commands take."""
    if as_json:
        echo_json([{"name": t.name, "title": t.title, "sizes": t.sizes} for t in TASKS.values()])
        return
    rows = []
    for task in TASKS.values():
        sizes = ", ".join(f"{size:,}" for size in task.sizes)
        rows.append([task.name, task.title, sizes])
    widths = [max(len(row[i]) for row in rows) for i in range(2)]
    click.echo(f"{'task':<{widths[0]}}  {'language':<{widths[1]}}  training sizes in the paper")
    for name, title, sizes in rows:
        click.echo(f"{name:<{widths[0]}}  {title:<{widths[1]}}  {sizes}")


@click.command()
@click.argument("task", metavar="TASK")
@click.option("-n", "--size", type=click.IntRange(min=1), help="How many. [default: as the paper]")
@seed_option
@click.option("-o", "--out", type=click.Path(), help="Save them here, do not print them.")
def sample(task: str, size: int | None, seed: int, out: str | None) -> None:
    """Draw random strings of TASK, as a corpus file: a count, a TAB and the string a line.

    TASK is one of `mdlrnn tasks`, or a grammar: a .pcfg file in NLTK's notation.
    """
    chosen, suffix = load_task(task)
    counts = Counter(chosen.strings(size or suffix, seed))
    lines = {(s if isinstance(s, str) else " ".join(s)): count for s, count in counts.items()}
    text = "".join(f"{count}\t{string}\n" for string, count in lines.items())
    if out is None:
        click.echo(text, nl=False)
    else:
        save_text(out, text)
        click.echo(f"{counts.total():,} strings, {len(counts):,} distinct, saved as {out}")


@click.command()
@network_argument
@click.argument("task", metavar="TASK")
@click.option("--size", type=click.IntRange(min=1), help="Training size. [default: as the paper]")
@seed_option
@words_option
@json_option
def test(network: str, task: str, size: int | None, seed: int, words: bool, as_json: bool) -> None:
    """How well the network in NET does TASK, on its training set and on its test set.

    TASK is one of `mdlrnn tasks`, or a grammar (a .pcfg file in NLTK's notation), whose strings are
    drawn and whose true probabilities are the optimum, or a file of strings that the network has
    not seen, for which the cross-entropy is given.
    """
    from .._measure import measure, measure_strings

    net = Network.load(network)
    if Path(task).exists() and not is_grammar(task):
        corpus = load_corpus(task, words, size)
        with naming(network, task):
            found = measure_strings(net, [corpus])
        value = found.bits / found.characters
        if as_json:
            echo_json({"test_characters": found.characters, "test_cross_entropy": value})
        else:
            click.echo(f"{found.strings:,} strings, {found.characters:,} characters")
            click.echo(f"cross-entropy  {_number(value)} bits a character")
        return
    if not is_grammar(task) and split_size(task)[0] not in TASKS:
        raise no_such(task)
    chosen, suffix = load_task(task)
    with naming(network, task):
        report = measure(net, chosen, size or suffix, seed)
    data = report.to_dict()
    if as_json:
        echo_json(data)
        return
    rows = []
    for label, key in (
        ("characters", "{}_characters"),
        ("cross-entropy, bits a character", "{}_cross_entropy"),
        ("  optimal", "optimal_{}_cross_entropy"),
        ("deterministic accuracy", "{}_deterministic_accuracy"),
        ("categorical accuracy, margin 0.005", "{}_categorical_accuracy"),
        ("categorical accuracy, margin 0", "{}_categorical_accuracy_at_0"),
        ("strings without a mistake", "{}_string_accuracy"),
    ):
        cells = [data[key.format(name)] for name in ("train", "test")]
        if any(cell is not None for cell in cells):
            entropy = "entropy" in key
            rows.append((label, *(_cell(cell, entropy) for cell in cells)))
    for label, train, unseen in ((f"{chosen.title}, {report.size:,}", "training", "test"), *rows):
        click.echo(f"{label:<36}{train:>12}{unseen:>12}")
    failure = report.first_failure
    if failure is None:
        click.echo("\nno mistake on any of these strings")
    else:
        shown = failure.string if len(failure.string) <= 48 else powers(failure.string)
        click.echo(f"\nfirst mistake: {shown or 'the empty string'}")
        unit = "digit" if chosen.language is None else "symbol"
        read = f"{failure.step} {unit}{'' if failure.step == 1 else 's'}"
        click.echo(f"  after {read}: expected {failure.expected}")
        click.echo(f"  given {failure.given}")


def _cell(value: object, entropy: bool) -> str:
    if value is None:
        return "-"
    if isinstance(value, int):
        return f"{value:,}"
    assert isinstance(value, float)
    return _number(value) if entropy else f"{100 * value:.2f} %"


def _number(value: float) -> str:
    return "infinite" if math.isinf(value) else f"{value:.6f}"
