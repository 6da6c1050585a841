"""`mdlrnn draw`, `mdlrnn report` and `mdlrnn export`: networks as files for others."""

from __future__ import annotations

import time
from pathlib import Path

import click

from ..errors import InputError
from ..exports import FORMATS as TOOLS
from ..exports import export as export_network
from ..exports import format_by_ending
from ..files import check_writable, save
from ..interface import say
from ..languages import (
    Language,
    exists,
    is_language_file,
    language_from,
    looks_like_notation,
    machine_from,
)
from ..network import has_words
from ..runs import BEST, check_holds_run, network_from, status_of
from ..show import (
    FORMATS,
    PLOT_FORMATS,
    format_of,
    network_content,
    page,
    picture_bytes,
    picture_of_machine,
    run_content,
)
from ..show import draw as draw_network
from ._group import command
from ._options import encoding_from, encoding_options, naming, network_argument, words_option


@command(doing="drawing")
@network_argument
@click.option(
    "-o",
    "--out",
    type=click.Path(),
    required=True,
    help="Where to; the ending says how: .svg, .png, .pdf, .tex (TikZ) or .dot.",
)
def draw(network: str, out: str) -> None:
    """Draw a network, or the best one of a run, in the manner of the paper's figures.

    Inputs are yellow and at the bottom, outputs blue and at the top. Dashed connections are
    recurrent, an arrow without a source is a bias. Faded is what has no effect: connections that
    close a loop, and units that reach no output. A language file or a grammar is drawn as its
    machine: states as circles, rules as arrows.
    """
    machine = machine_from(network) if is_language_file(network) else None
    kind = format_of(out, FORMATS if machine is None else PLOT_FORMATS)
    check_writable(out)
    if machine is None:
        if looks_like_notation(network) and not exists(Path(network)):
            raise InputError(
                f"{network} is a notation, not a file; write it as a language file with "
                "mdlrnn language -o, and draw that."
            )
        net = network_from(network)
        with naming(network):
            data = draw_network(net).to_bytes(kind)
    else:
        with naming(network):
            data = picture_bytes(picture_of_machine(machine), kind)
    save(out, data)
    say(f"saved as {out}")


SECONDS = 2.0
"""Between two looks at a run that is followed."""


@command(doing="writing the page")
@click.argument("source", metavar="NET_OR_RUN", type=click.Path())
@click.option(
    "-o", "--out", type=click.Path(), default="report.html", show_default=True, help="Where to."
)
@click.option(
    "--task", metavar="TASK", help="Measure the network on this task. [default: the run's]"
)
@click.option("--corpus", metavar="CORPUS", help="Score a network on this corpus.")
@click.option("--title", help="The page's heading. [default: the network's or folder's name]")
@click.option("--follow", is_flag=True, help="Rewrite the page as the run goes on, until it ends.")
@encoding_options
@words_option
def report(
    source: str,
    out: str,
    task: str | None,
    corpus: str | None,
    title: str | None,
    follow: bool,
    scheme: str | None,
    activations: str | None,
    products: bool,
    words: bool,
) -> None:
    """Write a page on which to look inside a network file or the best network of a run.

    The page is one HTML file that works offline. It has the drawing, the bits behind |G|, a field
    for a string to step through, and, where they are known, the score, the search and the measures
    on a task.
    """
    check_writable(out)
    chosen = None if task is None else _task(task)
    if Path(source).is_dir():
        if corpus is not None:
            raise InputError("a run has its corpus; leave --corpus out.")
        _report_run(Path(source), Path(out), chosen, title, follow)
        return
    if follow:
        raise InputError(f"{source} is no run that could be followed; leave --follow out.")
    net = network_from(source)
    encoding = encoding_from(scheme, activations, products, net)
    data = None
    if corpus is not None:
        data = language_from(corpus, words=words or has_words(net.alphabet))
    with naming(source):
        name = title or net.name or Path(source).stem
        content = network_content(net, name, encoding, corpus=data, task=chosen)
        text = page(content)
    save(out, text)
    say(f"saved as {out}; open it in a browser")


def _report_run(
    folder: Path, out: Path, task: Language | None, title: str | None, follow: bool
) -> None:
    check_holds_run(folder)

    def write() -> bool:
        """Whether the run still goes on."""
        content = run_content(folder, title, task)
        save(out, page(content))
        return content.search is not None and content.search.running

    if not follow:
        running = write()
        say(f"saved as {out}; open it in a browser")
        if running:
            say("the run goes on; with --follow the page goes along")
        return
    _wait_for_network(folder)
    seen = _moment(folder)
    running = write()
    say(f"saved as {out}; it is rewritten as the run goes on, and Ctrl-C ends that")
    while running:
        time.sleep(SECONDS)
        now = _moment(folder)
        if now != seen or status_of(folder).status != "running":
            running, seen = write(), now
    say("the run has ended, and the page is complete")


def _wait_for_network(folder: Path) -> None:
    """A run saves its first network some seconds after it began."""
    while not (folder / BEST).exists() and status_of(folder).status == "running":
        time.sleep(SECONDS)


def _moment(folder: Path) -> tuple[int, float | None, int]:
    status = status_of(folder)
    best = folder / BEST
    return status.generation, status.mdl, best.stat().st_mtime_ns if best.exists() else 0


def _task(name: str) -> Language:
    """A task by its name; a file of strings has no true distribution to measure against."""
    source = language_from(name)
    if source.rules is None:
        raise InputError(f"{name} is a file and no task; give it with --corpus.")
    return source


_NEXT = {
    "python": "python {0} tries it on a string.",
    "c": "include it and call the function that ends in _step.",
    "torch": "mdlrnn.exports.load_torch({0!r}) reads it.",
    "onnx": "onnxruntime.InferenceSession({0!r}) runs it.",
}


@command(doing="writing")
@network_argument
@click.option(
    "--to",
    "kind",
    type=click.Choice(list(TOOLS)),
    help="What to write, of those listed above.  [default: as the ending of FILE says]",
)
@click.option("-o", "--out", type=click.Path(), required=True, help="The file to write.")
@click.option("--exact", is_flag=True, help="Python: compute in fractions instead of floats.")
@click.option("--step", is_flag=True, help="ONNX: one step, with its memory as input and output.")
def export(network: str, kind: str | None, out: str, exact: bool, step: bool) -> None:
    """Write a network, or the best one of a run, for another tool.

    \b
    torch    a PyTorch module; mdlrnn.exports.load_torch reads it
    onnx     an ONNX graph over whole strings, or with --step of one step
    sympy    exact formulas: LaTeX in a file .tex, else Python that needs SymPy
    python   one Python file that imports nothing, in floats or with --exact
    c        one C99 header
    graphml  the graph, for networkx and other tools
    dot      the graph, for Graphviz

    The first five compute what mdlrnn computes, in float64 or exactly, or are refused.
    """
    kind = kind or format_by_ending(out)
    export_network(network, out, kind, exact=exact, step=step)
    say(f"saved as {out}")
    if kind in _NEXT:
        say(f"Next: {_NEXT[kind].format(out)}")
