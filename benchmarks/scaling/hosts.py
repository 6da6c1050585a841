"""Several hosts on one machine: network namespaces with a slow, lossy net between them.

    sudo python benchmarks/scaling/hosts.py --workers 2 --delay 20 --loss 1

A scheduler and each worker run in a namespace of their own, joined by a bridge; every packet to or
from a worker is delayed and some are lost (`tc netem`). Where the kernel has no netem, each worker
talks to the scheduler through a relay that delays every piece of data, and for a lost one holds the
stream back for as long as TCP takes to send it again. The same search runs on these hosts and on
threads here; the digests must agree. Bytes are counted on the workers' interfaces. Namespaces are
removed at the end, also after Ctrl-C. It needs root, the commands ip and tc, and the extra cluster.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "src"))

NET = "10.199.77"
PORT, RELAY_PORT = 8786, 8787
RESEND = 0.2
"""Seconds after which TCP sends a lost packet again, at least."""
START = 180.0
"""Seconds that the workers may take to come up."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--delay", type=float, default=20.0, help="milliseconds each way")
    parser.add_argument("--loss", type=float, default=1.0, help="percent of packets")
    parser.add_argument("--task", default="anbn_500")
    parser.add_argument("--islands", type=int, default=16)
    parser.add_argument("--generations", type=int, default=600)
    parser.add_argument("--relay", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.relay:
        host, port = options.relay
        asyncio.run(relay(host, port, options.delay / 1000, options.loss / 100))
        return
    reason = why_not()
    if reason:
        sys.exit(reason)
    with hosts(options.workers, options.delay, options.loss) as how:
        print(f"{options.workers} hosts, {how}", flush=True)
        measure(options)


def why_not() -> str:
    """Why namespaces cannot be made here; nothing if they can."""
    if os.geteuid() != 0:
        return "network namespaces need root; run this with sudo."
    if shutil.which("ip") is None:
        return "the command ip is missing; install iproute2."
    done = subprocess.run(["ip", "netns", "add", "mdlrnn-try"], capture_output=True, check=False)
    if done.returncode:
        return "this system makes no network namespaces; try on another machine."
    subprocess.run(["ip", "netns", "del", "mdlrnn-try"], check=False)
    return ""


def sh(*words: str) -> None:
    subprocess.run(words, check=True)


def inside(name: str, *words: str) -> list[str]:
    return ["ip", "netns", "exec", name, *words]


@contextlib.contextmanager
def hosts(workers: int, delay: float, loss: float) -> Iterator[str]:
    """A scheduler in a namespace and workers in others; the bridge is the way in from here."""
    names = [f"mdlrnn-{i}" for i in range(workers + 1)]
    started: list[subprocess.Popen[bytes]] = []
    try:
        sh("ip", "link", "add", "mdlrnn-br", "type", "bridge")
        sh("ip", "addr", "add", f"{NET}.254/24", "dev", "mdlrnn-br")
        sh("ip", "link", "set", "mdlrnn-br", "up")
        for i, name in enumerate(names):
            sh("ip", "netns", "add", name)
            sh("ip", "link", "add", f"mdlrnn-v{i}", "type", "veth", "peer", "name", "eth0",
               "netns", name)  # fmt: skip
            sh("ip", "link", "set", f"mdlrnn-v{i}", "master", "mdlrnn-br", "up")
            sh(*inside(name, "ip", "addr", "add", f"{NET}.{i + 1}/24", "dev", "eth0"))
            sh(*inside(name, "ip", "link", "set", "eth0", "up"))
            sh(*inside(name, "ip", "link", "set", "lo", "up"))
        netems = [_netem(names[i], i, delay, loss) for i in range(1, workers + 1)]
        slow = all(netems)
        scheduler = f"tcp://{NET}.1:{PORT}"
        started.append(_start(names[0], "scheduler", "--host", f"{NET}.1", "--port", str(PORT)))
        for i in range(1, workers + 1):
            to = scheduler
            if not slow:
                words = [sys.executable, __file__, "--delay", str(delay), "--loss", str(loss),
                         "--relay", f"{NET}.1", str(PORT)]  # fmt: skip
                started.append(subprocess.Popen(inside(names[i], *words)))
                to = f"tcp://127.0.0.1:{RELAY_PORT}"
            started.append(
                _start(names[i], "worker", to, "--nthreads", "1", "--nworkers", "1",
                       "--host", f"{NET}.{i + 1}", "--name", f"host-{i}")
            )  # fmt: skip
        way = "netem" if slow else "a relay, since this kernel has no netem"
        yield f"{delay:g} ms each way and {loss:g} % loss by {way}"
    finally:
        for process in started:
            process.terminate()
        for process in started:
            process.wait()
        for name in names:
            subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)
        subprocess.run(["ip", "link", "del", "mdlrnn-br"], capture_output=True, check=False)


def _netem(name: str, i: int, delay: float, loss: float) -> bool:
    """Both ways: what the worker sends, and on the bridge's side what it is sent."""
    if shutil.which("tc") is None:
        return False
    rule = ["root", "netem", "delay", f"{delay}ms", "loss", f"{loss}%"]
    ways = (
        inside(name, "tc", "qdisc", "add", "dev", "eth0", *rule),
        ["tc", "qdisc", "add", "dev", f"mdlrnn-v{i}", *rule],
    )
    done = [subprocess.run(words, capture_output=True, check=False) for words in ways]
    return not any(d.returncode for d in done)


def _start(name: str, what: str, *words: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "distributed.cli.dask_" + what, *words, "--no-dashboard"]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src"), "OMP_NUM_THREADS": "1"}
    quiet = subprocess.DEVNULL
    return subprocess.Popen(inside(name, *command), env=environment, stdout=quiet, stderr=quiet)


async def relay(host: str, port: str, delay: float, loss: float) -> None:
    """Pass on what comes to RELAY_PORT, late, in order, and now and then later still."""
    chance = random.Random(1)

    async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        queue: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()

        async def send() -> None:
            while True:
                due, data = await queue.get()
                await asyncio.sleep(max(0.0, due - time.monotonic()))
                if not data:
                    writer.close()
                    return
                writer.write(data)
                await writer.drain()

        sender = asyncio.create_task(send())
        due = 0.0
        data = b"."
        while data:
            data = await reader.read(1460)
            held = RESEND if chance.random() < loss else 0.0
            due = max(due, time.monotonic() + delay + held)
            await queue.put((due, data))
        await sender

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        ends = time.monotonic() + START
        while time.monotonic() < ends:
            with contextlib.suppress(OSError):
                there = await asyncio.open_connection(host, int(port))
                await asyncio.gather(pump(reader, there[1]), pump(there[0], writer))
                break
            await asyncio.sleep(0.2)  # the scheduler is not up yet
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", RELAY_PORT)
    async with server:
        await server.serve_forever()


def measure(options: argparse.Namespace) -> None:
    from distributed import Client

    from mdlrnn import Search, Stop, evolve

    search = Search(islands=options.islands)
    stop = Stop(generations=options.generations)
    settings: dict[str, Any] = {"progress": False, "prove": False}
    here = evolve(options.task, search, stop=stop, workers=1, **settings)
    with Client(f"tcp://{NET}.1:{PORT}", timeout=START, set_as_default=False) as client:
        client.wait_for_workers(options.workers, timeout=START)
        evolve(options.task, search, stop=Stop(generations=1), workers=client, **settings)
        before = _bytes(options.workers)
        there = evolve(options.task, search, stop=stop, workers=client, **settings)
        travelled = _bytes(options.workers) - before
    same = here.archipelago.digest() == there.archipelago.digest()
    one, all_of_them = here.statistics.seconds, there.statistics.seconds
    print(f"digests {'equal' if same else 'DIFFERENT'}: {there.archipelago.digest()[:16]}")
    print(f"1 thread here {one:.1f} s, {options.workers} hosts {all_of_them:.1f} s: "
          f"{one / all_of_them:.2f} times, efficiency "
          f"{one / all_of_them / options.workers:.0%}")  # fmt: skip
    legs = options.generations / search.migration_interval * options.islands
    print(f"{travelled / 1e6:.2f} MB in all, {travelled / max(1, legs) / 1e3:.1f} kB a leg")
    if not same:
        sys.exit(1)


def _bytes(workers: int) -> int:
    """To and from all workers, as the interfaces count them."""
    total = 0
    for i in range(1, workers + 1):
        for way in ("rx_bytes", "tx_bytes"):
            total += int(Path(f"/sys/class/net/mdlrnn-v{i}/statistics/{way}").read_text())
    return total


if __name__ == "__main__":
    main()
