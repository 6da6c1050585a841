"""`mdlrnn report`: a network or a run as a page."""

from __future__ import annotations

import time
from pathlib import Path

import click

from .._errors import InputError
from .._files import save_text
from .._network import Network
from .._run_files import BEST, holds_run, read_settings
from .._run_status import status_of
from .._tasks import TASKS, Task
from ._data import is_grammar, load_corpus, load_task, split_size
from ._options import encoding_from, encoding_options, naming, words_option

SECONDS = 2.0
"""Between two looks at a run that is followed."""


@click.command()
@click.argument("source", metavar="RUN_OR_NET", type=click.Path())
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
    scheme: str,
    activations: str | None,
    products: bool,
    words: bool,
) -> None:
    """Write a page on which to look inside a network: RUN_OR_NET is a run's folder or a network.

    The page is one HTML file that works offline. It has the drawing, the bits behind |G|, a field
    for a string to step through, and, where they are known, the score, the search and the measures
    on a task.
    """
    from ..page import network_content, page

    chosen = None if task is None else _task(task)
    if Path(source).is_dir():
        if corpus is not None:
            raise InputError("a run has its corpus; leave --corpus out.")
        _report_run(Path(source), Path(out), chosen, title, follow)
        return
    if follow:
        raise InputError(f"{source} is no run that could be followed; leave --follow out.")
    net = Network.load(source)
    encoding = encoding_from(scheme, activations, products, net)
    data = None if corpus is None else load_corpus(corpus, words)
    named, size = chosen or (None, None)
    with naming(source):
        content = network_content(
            net, title or net.name or Path(source).stem, encoding, corpus=data,
            corpus_name=corpus, task=named, size=size,
        )  # fmt: skip
        text = page(content)
    save_text(out, text)
    click.echo(f"saved as {out}; open it in a browser")


def _report_run(
    folder: Path, out: Path, task: tuple[Task, int | None] | None, title: str | None, follow: bool
) -> None:
    from ..page import page, run_content

    if not holds_run(folder):
        raise InputError(f"{folder}: holds no run; give a run's folder or a network file.")
    if task is None:
        own = read_settings(folder).corpus.get("task")
        if isinstance(own, str) and split_size(own)[0] in TASKS:
            task = load_task(own)
    named, size = task or (None, None)

    def write() -> bool:
        """Whether the run still goes on."""
        content = run_content(folder, title or folder.resolve().name, task=named, size=size)
        save_text(out, page(content))
        return content.search is not None and content.search.running

    if not follow:
        running = write()
        click.echo(f"saved as {out}; open it in a browser")
        if running:
            click.echo("the run goes on; with --follow the page goes along")
        return
    _wait_for_network(folder)
    seen = _moment(folder)
    running = write()
    click.echo(f"saved as {out}; it is rewritten as the run goes on, and Ctrl-C ends that")
    while running:
        time.sleep(SECONDS)
        now = _moment(folder)
        if now != seen or status_of(folder).status != "running":
            running, seen = write(), now
    click.echo("the run has ended, and the page is complete")


def _wait_for_network(folder: Path) -> None:
    """A run saves its first network some seconds after it began."""
    while not (folder / BEST).exists() and status_of(folder).status == "running":
        time.sleep(SECONDS)


def _moment(folder: Path) -> tuple[int, float | None, int]:
    status = status_of(folder)
    best = folder / BEST
    return status.generation, status.mdl, best.stat().st_mtime_ns if best.exists() else 0


def _task(name: str) -> tuple[Task, int | None]:
    """A task by its name; a file of strings has no true distribution to measure against."""
    if Path(name).exists() and not is_grammar(name):
        raise InputError(f"{name} is a file and no task; give it with --corpus.")
    return load_task(name)
