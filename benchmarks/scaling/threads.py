"""How much faster more threads are, on identical work: same seed, same generations, same networks.

    python benchmarks/scaling/threads.py
    python benchmarks/scaling/threads.py --threads 1,2 --only anbn_500 --work 0.1

For each corpus and number of islands the same search is run with each number of threads, and the
digests of all networks must agree. Columns: seconds; how many times as fast as the first; the share
of the threads' time that was spent on islands, their own or helping (the rest is waiting); steps a
second of that time, against the first (what memory, clock speed, other programs and offspring made
in vain cost); the cores that the process got from the system; and the most that could be had if
threads did not help each other: the time of all islands by that of the slowest.

With --where a second line says where the processor's time went, which does not count waiting: into
kernels, which run side by side, into the Python around them, which holds the interpreter's lock,
and into kernels by which threads help each other; and how much memory the kernels of a thread work
in.

With --copies a last line says what the machine makes of so many processes that have nothing to do
with each other: each makes the search with one thread, all at the same time. Where they take longer
than one alone, that is for memory, clock speed or other users of the machine.

It needs the source tree, numba, numpy, click and rich, and takes about 7 minutes on 16 cores.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[2] / "src"))

from mdlrnn.kernels._compile import is_ready
from mdlrnn.kernels._warm_up import compile_parts
from mdlrnn.languages import language_from
from mdlrnn.search import _crew, _island
from mdlrnn.search._archipelago import Run
from mdlrnn.search._crew import cores
from mdlrnn.search._evolve import evolve_islands
from mdlrnn.search._island import Problem, tools_for
from mdlrnn.search._settings import Search, Stop


class Work(NamedTuple):
    corpus: str
    islands: int
    generations: int


WORKS = (
    Work("anbn_500", 16, 4000),
    Work("anbn_500", 128, 600),
    Work("dyck1_500", 16, 4000),
    Work("dyck1_500", 128, 800),
    Work("dyck2_20000", 16, 250),
    Work("dyck2_20000", 128, 60),
)


COUNTED: tuple[tuple[Any, str, str], ...] = (
    (_island, "advance", "kernels"),
    (_island, "advance_helped", "kernels"),
    (_crew, "run_leg", "legs"),
    (_island, "help_out", "helping"),
)
"""What is counted with --where: a module's function, and what it counts as."""
PLAIN = {name: vars(module)[name] for module, name, _ in COUNTED}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    powers = [2**k for k in range(1, 10) if 2**k < cores()]
    usual = ",".join(map(str, sorted({1, *powers[1::2], cores()})))
    parser.add_argument("--threads", default=usual, help=f"[default: {usual}]")
    parser.add_argument("--only", default="", help="corpora, with commas between")
    parser.add_argument("--islands", type=int, help="only with so many islands")
    parser.add_argument("--work", type=float, default=1.0, help="times the usual generations")
    parser.add_argument("--copies", type=int, help="processes that make it with one thread each")
    parser.add_argument("--where", action="store_true", help="say where the time goes")
    options = parser.parse_args()
    numbers = [int(text) for text in options.threads.split(",")]
    only = set(filter(None, options.only.split(",")))
    print(
        f"{'corpus':<12} {'islands':>7} {'threads':>7} {'seconds':>8} {'times':>6} "
        f"{'on islands':>10} {'speed':>6} {'cores':>6} {'at most':>7}  digest"
    )
    for work in WORKS:
        if (only and work.corpus not in only) or options.islands not in (None, work.islands):
            continue
        generations = max(1, round(work.generations * options.work))
        alone = _measure(work, generations, numbers, options.where)
        if options.copies:
            seconds = _in_copies(work, options.work, options.copies)
            print(
                f"{work.corpus:<12} {work.islands:>7}  {options.copies} copies: {seconds:.2f} s "
                f"each, worth {options.copies * alone / seconds:.2f} of one alone",
                flush=True,
            )


def _in_copies(work: Work, share: float, copies: int) -> float:
    """Seconds that the search with one thread takes, where so many processes make it at once."""
    command = [
        sys.executable, __file__, "--threads", "1", "--only", work.corpus, "--islands",
        str(work.islands), "--work", str(share),
    ]  # fmt: skip
    made = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(copies)]
    rows = [process.communicate()[0].splitlines()[-1].split() for process in made]
    return statistics.mean(float(row[3]) for row in rows)


def _measure(work: Work, generations: int, numbers: list[int], where: bool) -> float:
    """Seconds with the first number of threads."""
    source = language_from(work.corpus)
    problem = Problem(source.corpus(), Search(islands=work.islands), source.encoding())
    evolve_islands(problem, Stop(generations=0))  # compiles
    if not is_ready("help"):
        compile_parts(["help"])
    first: Run | None = None
    took = 0.0
    spent = _spent() if where else {}
    for threads in numbers:
        for name in spent:
            spent[name] = 0.0
        began, used = time.perf_counter(), time.process_time()
        run = evolve_islands(problem, Stop(generations=generations), workers=threads)
        seconds = time.perf_counter() - began
        used = time.process_time() - used
        if first is None:
            first, took = run, seconds
        busy = run.statistics.busy_seconds
        print(
            f"{work.corpus:<12} {work.islands:>7} {threads:>7} {seconds:>8.2f} "
            f"{took / seconds:>6.2f} {busy / seconds / threads:>10.2f} "
            f"{first.statistics.busy_seconds / busy:>6.2f} {used / seconds:>6.2f} "
            f"{busy / run.statistics.longest_seconds:>7.1f}  {run.archipelago.digest()[:16]}",
            flush=True,
        )
        if where:
            print(f"  {_where(spent, problem)}", flush=True)
        if run.archipelago.digest() != first.archipelago.digest():
            sys.exit("the networks differ, so these are not the same work")
    return took


def _spent() -> dict[str, float]:
    """Seconds of the processor in kernels, in legs, which are kernels and Python around them, and
    in helping."""
    spent = {kind: 0.0 for *_, kind in COUNTED}
    lock = threading.Lock()

    def counted(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            began = time.thread_time()
            try:
                return function(*arguments)
            finally:
                took = time.thread_time() - began
                with lock:
                    spent[name] += took

        return call

    for module, name, kind in COUNTED:
        setattr(module, name, counted(kind, PLAIN[name]))
    return spent


def _bytes(part: Any) -> int:
    return sum(map(_bytes, part)) if isinstance(part, tuple) else getattr(part, "nbytes", 0)


def _where(spent: dict[str, float], problem: Problem) -> str:
    kernels, legs = spent["kernels"], spent["legs"]
    tree = _bytes(tools_for(problem).tree)
    each = 8 * len(problem.corpus.parent)
    return (
        f"kernels {kernels:.2f} s, Python around them {legs - kernels:.2f} s "
        f"({(legs - kernels) / legs:.1%}), helping {spent['helping']:.2f} s; "
        f"tree {tree / 1e3:,.0f} kB, a unit at full resolution {each / 1e3:,.0f} kB"
    )


if __name__ == "__main__":
    main()
