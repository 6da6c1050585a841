"""Two settings of the search, or more, side by side: success rate and steps to a target.

    python benchmarks/search/compare.py run OUT --corpora anbn_500,dyck1_500 --seeds 1-8 \
        --steps 20e6 --setting default --setting paper --setting 'calm:further_mutation_rate=0.3'
    python benchmarks/search/compare.py show OUT
    python benchmarks/search/compare.py table OUT

A setting is a name, then changes to the default search after a colon, `key=value` with commas
between; `paper` is the paper's. Every run is a file in OUT and is not run again, so that an
interrupted call goes on where it was. Targets are the best published scores (`targets.json`), under
the encoding `tacl2022`. Runs use one thread each, as many at a time as there are cores. `table` is
a table seed by seed, with how often each network is right on the task's test set.
"""

from __future__ import annotations

import argparse
import ast
import json
import math
import os
import statistics
import sys
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

ENCODING = "tacl2022"
TARGETS: dict[str, float] = json.loads(Path(__file__).with_name("targets.json").read_text())
SLACK = 1e-3
"""Bits above a target that still count: sums in another order differ in the last digits."""


class Job(NamedTuple):
    setting: str
    corpus: str
    seed: int
    steps: float
    seconds: float | None
    path: Path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="run what is missing, then show")
    run.add_argument("out", type=Path)
    run.add_argument("--corpora", required=True, help="names with sizes, commas between")
    run.add_argument("--seeds", default="1-3", help="1-8, or 1,4,7")
    run.add_argument("--steps", type=float, default=math.inf, help="of each run, at most")
    run.add_argument("--seconds", type=float, help="of each run, at most; makes it unrepeatable")
    run.add_argument("--setting", action="append", required=True)
    run.add_argument("--processes", type=int, default=os.cpu_count())
    show = commands.add_parser("show", help="the table, and the plot as OUT/CORPUS.svg")
    show.add_argument("out", type=Path)
    table = commands.add_parser("table", help="seed by seed, with the accuracy on the test set")
    table.add_argument("out", type=Path)
    arguments = parser.parse_args()
    if arguments.command == "table":
        print_seeds(arguments.out)
        return
    if arguments.command == "run":
        jobs = jobs_of(arguments)
        work(jobs, arguments.processes)
    print_tables(arguments.out)
    draw(arguments.out)


def jobs_of(arguments: argparse.Namespace) -> list[Job]:
    if arguments.steps == math.inf and arguments.seconds is None:
        sys.exit("say how long a run may take: --steps, --seconds or both.")
    first, _, last = arguments.seeds.partition("-")
    seeds = (
        range(int(first), int(last) + 1) if last else [int(s) for s in arguments.seeds.split(",")]
    )
    jobs = []
    for corpus in arguments.corpora.split(","):
        if corpus not in TARGETS:
            sys.exit(f"{corpus} has no target; use one of {', '.join(TARGETS)}.")
        for seed in seeds:
            for setting in arguments.setting:
                name = f"{corpus}--{setting.partition(':')[0]}--{seed}.json"
                path = arguments.out / name
                jobs.append(Job(setting, corpus, seed, arguments.steps, arguments.seconds, path))
    return jobs


def changes_of(setting: str) -> dict[str, Any]:
    _, _, text = setting.partition(":")
    pairs = [part.partition("=") for part in text.split(",") if part]
    return {key: ast.literal_eval(value) for key, _, value in pairs}


def carry_out(job: Job) -> str:
    from mdlrnn import Search, Stop, evolve
    from mdlrnn.languages import TASKS

    name, _, size = job.corpus.rpartition("_")
    start = Search.paper() if job.setting.partition(":")[0] == "paper" else Search()
    search = start.but({"encoding": ENCODING, **changes_of(job.setting)})
    a_generation = search.islands * search.population
    stop = Stop(
        generations=None if job.steps == math.inf else max(1, round(job.steps / a_generation)),
        target=TARGETS[job.corpus] + SLACK,
        seconds=job.seconds,
    )
    run = evolve(
        TASKS[name],
        search,
        size=int(size),
        stop=stop,
        seed=job.seed,
        prove=False,
        workers=1,
        progress=False,
    )
    result = {
        "corpus": job.corpus, "setting": job.setting, "seed": job.seed, "reason": run.reason,
        "target": TARGETS[job.corpus], "value": run.value, "g": run.score.g,
        "steps": run.statistics.steps, "seconds": run.statistics.seconds,
        "history": run.history, "network": run.best.to_dict(), "search": search.to_dict(),
        "encoding": asdict(run.encoding),
    }  # fmt: skip
    job.path.parent.mkdir(parents=True, exist_ok=True)
    partial = job.path.with_suffix(".part")
    partial.write_text(json.dumps(result))
    partial.replace(job.path)
    return f"{job.path.stem}: {run.value:,.4f} after {run.statistics.steps / 1e6:.1f} M steps"


def work(jobs: list[Job], processes: int) -> None:
    missing = [job for job in jobs if not job.path.exists()]
    with ProcessPoolExecutor(processes) if processes > 1 else ThreadPoolExecutor(1) as pool:
        for done in as_completed([pool.submit(carry_out, job) for job in missing]):
            print(done.result(), flush=True)


def read(out: Path) -> dict[str, dict[str, list[dict[str, Any]]]]:
    """The runs by corpus and setting."""
    runs: dict[str, dict[str, list[dict[str, Any]]]] = defaultdict(lambda: defaultdict(list))
    for path in sorted(out.glob("*--*--*.json")):
        run = json.loads(path.read_text())
        runs[run["corpus"]][run["setting"]].append(run)
    return runs


def print_tables(out: Path) -> None:
    """For each corpus a line a setting.

    The steps a success takes are all steps of all runs, divided by the successes: what one would
    spend on average by running seed after seed.
    """
    for corpus, settings in read(out).items():
        print(f"\n{corpus}, target {TARGETS[corpus]:,.4f}")
        print(
            f"  {'found':>7} {'M steps each':>12} {'s each':>7} {'median':>10} {'best':>10}"
            "  setting"
        )
        for setting, runs in settings.items():
            found = sum(run["value"] <= run["target"] + SLACK for run in runs)
            steps = sum(run["steps"] for run in runs) / 1e6
            seconds = sum(run["seconds"] for run in runs)
            each = [f"{total / found:.1f}" if found else "-" for total in (steps, seconds)]
            values = [run["value"] for run in runs]
            print(
                f"  {found:>3}/{len(runs):<3} {each[0]:>12} {each[1]:>7} "
                f"{statistics.median(values):>10,.2f} {min(values):>10,.2f}  {setting}"
            )


def print_seeds(out: Path) -> None:
    """In Markdown: bold where the target is reached.

    Accuracy is that of deterministic steps, or where there are none the categorical one.
    """
    print("| corpus | target | setting | score (steps, seconds), test accuracy |")
    print("|---|---|---|---|")
    for corpus, settings in read(out).items():
        for setting, runs in settings.items():
            cells = " · ".join(map(seed_cell, sorted(runs, key=lambda run: int(run["seed"]))))
            print(f"| {corpus} | {TARGETS[corpus]:,.2f} | {setting} | {cells} |")


def seed_cell(run: dict[str, Any]) -> str:
    from mdlrnn import Network
    from mdlrnn.languages import language_from
    from mdlrnn.measures._measures import measure

    score = f"{run['value']:,.2f}"
    if run["value"] <= run["target"] + SLACK:
        score = f"**{score}**"
    task, _, size = run["corpus"].partition("_")
    test = measure(Network.from_dict(run["network"]), language_from(task), int(size)).test
    right, steps = test.deterministic_right, test.deterministic_steps
    share = right / steps if steps else test.categorical_right / test.characters
    return f"{score} ({run['steps'] / 1e6:.1f} M, {run['seconds']:.0f} s) {100 * share:.2f} %"


def best_after(run: dict[str, Any], steps: float) -> float:
    """The best value of a run after so many steps."""
    values = [entry["value"] for entry in run["history"] if entry["steps"] <= steps]
    return min(values, default=math.inf)


def draw(out: Path) -> None:
    """Best score against steps: median and quartiles over the seeds."""
    try:
        import matplotlib

        matplotlib.use("svg")
        from matplotlib import pyplot
    except ImportError:
        print("\nno plots: they need matplotlib (pip install matplotlib).")
        return
    for corpus, settings in read(out).items():
        figure, axes = pyplot.subplots(figsize=(7, 4.2), layout="constrained")
        end = max(run["steps"] for runs in settings.values() for run in runs)
        grid = [end * 1e-3 * 1000 ** (i / 200) for i in range(201)]
        for setting, runs in settings.items():
            bands: list[list[float]] = [[], [], []]
            for steps in grid:
                values = sorted(best_after(run, steps) for run in runs)
                for band, share in zip(bands, (0.25, 0.5, 0.75), strict=True):
                    band.append(values[round(share * (len(values) - 1))])
            line = axes.plot(grid, bands[1], label=f"{setting} ({len(runs)} seeds)")[0]
            axes.fill_between(grid, bands[0], bands[2], alpha=0.2, color=line.get_color())
        axes.axhline(TARGETS[corpus], color="black", linewidth=0.8, linestyle=":")
        shown = [y for line in axes.lines[:-1] for y in line.get_ydata() if math.isfinite(y)]
        top = min(max(shown), TARGETS[corpus] * 1.25)
        axes.set(xscale="log", xlabel="steps", ylabel="best MDL (bits)", title=corpus)
        axes.set_ylim(top=top)
        axes.legend()
        figure.savefig(out / f"{corpus}.svg")
        pyplot.close(figure)
        print(f"{out / corpus}.svg")


if __name__ == "__main__":
    main()
