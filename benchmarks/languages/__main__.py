"""`python -m benchmarks.languages`: run what is missing, show it, compare two settings."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from pathlib import Path

from . import _catalogue, _tables
from ._jobs import STRINGS, Job, against_others, carry_out, keep


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.languages", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="run what is missing, then show")
    run.add_argument("out", type=Path)
    run.add_argument("--languages", help="names or parts of names, commas between; else all")
    run.add_argument("--folder", type=Path, help="with NAME.train.txt and NAME.test.txt")
    run.add_argument("--seeds", default="1-3", help="1-8, or 1,4,7")
    run.add_argument("--seconds", type=float, default=60.0, help="of each run")
    run.add_argument("--size", type=int, default=STRINGS, help="training strings of a language")
    run.add_argument("--setting", action="append", help="default, or name:field=value,...")
    run.add_argument("--processes", type=int, default=os.cpu_count())
    run.add_argument(
        "--cluster",
        help="Dask instead of processes, as for mdlrnn evolve; its workers have this source tree",
    )
    others = commands.add_parser("others", help="an n-gram model, ALERGIA and an LSTM beside ours")
    others.add_argument("out", type=Path)
    others.add_argument("--languages", help="names or parts of names, commas between; else all")
    others.add_argument("--folder", type=Path, help="with NAME.train.txt and NAME.test.txt")
    others.add_argument("--size", type=int, default=STRINGS, help="training strings of a language")
    others.add_argument("--processes", type=int, default=os.cpu_count())
    show = commands.add_parser("show", help="a line a run")
    show.add_argument("out", type=Path)
    compare = commands.add_parser("compare", help="two settings, with quartiles over the seeds")
    compare.add_argument("out", type=Path)
    compare.add_argument("first")
    compare.add_argument("second")
    listing = commands.add_parser("list", help="the languages")
    listing.add_argument("--folder", type=Path)
    arguments = parser.parse_args()
    if arguments.command == "list":
        for entry in [*_entries(arguments.folder, None), *_catalogue.tasks()]:
            print(entry.name)
        return
    if arguments.command == "run":
        _work(_jobs(arguments), arguments.processes, arguments.cluster)
    if arguments.command == "others":
        _measure_others(arguments)
        print(_tables.others(_tables.read(arguments.out), _tables.read_others(arguments.out)))
        return
    runs = _tables.read(arguments.out)
    if arguments.command == "compare":
        for setting in (arguments.first, arguments.second):
            if setting not in runs:
                sys.exit(f"{arguments.out} has no runs of {setting!r}; it has {', '.join(runs)}.")
        print(_tables.compare(runs, arguments.first, arguments.second))
    else:
        print(_tables.show(runs))


def _entries(folder: Path | None, names: str | None) -> list[_catalogue.Entry]:
    entries = _catalogue.catalogue()
    if folder is not None:
        entries += _catalogue.collection(folder)
    if names is None:
        return entries
    entries += _catalogue.tasks()
    wanted = [name.strip() for name in names.split(",")]
    exact = {entry.name for entry in entries} & set(wanted)
    parts = [name for name in wanted if name not in exact]
    chosen = [
        entry
        for entry in entries
        if entry.name in exact or any(part in entry.name for part in parts)
    ]
    if not chosen:
        sys.exit(f"no language is named {names}; the command list names them.")
    return chosen


def _jobs(arguments: argparse.Namespace) -> list[Job]:
    first, _, last = arguments.seeds.partition("-")
    seeds = (
        range(int(first), int(last) + 1) if last else [int(s) for s in arguments.seeds.split(",")]
    )
    return [
        Job(entry, setting, seed, arguments.seconds, arguments.size, arguments.out)
        for seed in seeds
        for entry in _entries(arguments.folder, arguments.languages)
        for setting in arguments.setting or ["default"]
    ]


def _measure_others(arguments: argparse.Namespace) -> None:
    """What is missing; it does not depend on a seed or a setting of ours."""
    entries = _entries(arguments.folder, arguments.languages)
    paths = {entry: _tables.path_of_others(arguments.out, entry.name) for entry in entries}
    missing = [entry for entry, path in paths.items() if not path.exists()]
    arguments.out.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(arguments.processes) as pool:
        work = {pool.submit(against_others, entry, arguments.size): entry for entry in missing}
        for done in as_completed(work):
            entry = work[done]
            paths[entry].write_text(json.dumps({"language": entry.name, **done.result()}))


def _work(jobs: list[Job], processes: int, cluster: str | None) -> None:
    missing = [job for job in jobs if not job.path.exists()]
    if missing:
        print(_tables.HEAD, flush=True)
    with _pool(processes, cluster) as pool:
        work = {pool.submit(carry_out, job): job for job in missing}
        for done in as_completed(work):
            keep(work[done], done.result())
            print(_tables.line(done.result()), flush=True)


@contextmanager
def _pool(processes: int, cluster: str | None) -> Iterator[Executor]:
    if cluster is None:
        with ProcessPoolExecutor(processes) if processes > 1 else ThreadPoolExecutor(1) as pool:
            yield pool
        return
    from mdlrnn.search.workers._workers import client_of

    with client_of(cluster) as (client, _), client.get_executor(pure=False) as pool:
        yield pool


if __name__ == "__main__":
    main()
