"""Measure where the time of a change goes, from the call to confirmed switches; print JSON.

    python tests/benchmarks/bench_stages.py [--rounds 60 --clients 32 --bulk 5000 -o FILE]

A platform of one web process and one worker serves 11 switches with 1,000 subscriptions. Clients register and
withdraw, one call after the other, and each waits until all switches have confirmed. Then one call registers
many subscriptions. For each load, the report has times of changes and, by stage, the own time and the own
processor time per change. The floor is the rate of the cheapest call with a token, in the same run.

The database is SQLite, or that of TERCAST_DATABASE_URL, which must be empty.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "platform"), str(ROOT), str(Path(__file__).parent)]

import httpx  # noqa: E402
from bench_machine import describe, processor_time, write_result  # noqa: E402
from load_platform import PATIENCE, Many, Streams, clients, milliseconds, settled  # noqa: E402

from mininet_labs.demo.rest import RestClient  # noqa: E402
from mininet_labs.topologies import load  # noqa: E402

SUBSCRIPTIONS = 1_000
TOPOLOGY = "abilene"
BUDGET = 100_000  # entries; tables here are larger than a default TCAM budget
WRAPPER = Path(__file__).with_name("stage_process.py")
PROGRAMS = {"web": "uvicorn", "worker-1": "celery", "controller": ""}
UNITS = ("ms", "cpu_ms")

Figures = dict[str, Any]


class Staged(Many):
    """A platform whose web process and worker record their stages."""

    def spans(self, name: str, start: float, end: float) -> Iterator[list[Any]]:
        """Yield the spans of a service that ended in a period."""
        for path in self.run_dir.glob(f"{name}.spans.*"):
            for line in path.read_text("ascii").splitlines():
                span = json.loads(line)
                if start <= span[2] <= end:
                    yield span

    def processor_time(self, name: str) -> float:
        """Return the processor time of a service and its children, in seconds."""
        service = next(each for each in self.services if each.name == name)
        assert service.process is not None
        return sum(processor_time(pid) for pid in _family(service.process.pid))

    def _serve(self, name: str, argv: list[str], optional: bool = False) -> None:
        if PROGRAMS.get(name):
            assert argv[1] == "-m", argv
            argv = [argv[0], str(WRAPPER), str(self.run_dir / f"{name}.spans"), *argv[2:]]
        super()._serve(name, argv, optional)


def _family(pid: int) -> list[int]:
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii").split()
    return [pid, *(each for child in children for each in _family(int(child)))]


class Measured:
    """What the processes did in a period."""

    def __init__(self, platform: Staged) -> None:
        self._platform = platform
        self._before = {name: platform.processor_time(name) for name in PROGRAMS}
        self._start = time.monotonic()

    def per_change(self, changes: int) -> Figures:
        """Return milliseconds of each stage per change, and processor time of each process."""
        end = time.monotonic()
        report: Figures = {}
        for name in PROGRAMS:
            cpu = self._platform.processor_time(name) - self._before[name]
            stages: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
            for stage, _, _, own, own_cpu in self._platform.spans(name, self._start, end):
                stages[stage][0] += own
                stages[stage][1] += own_cpu
            report[name] = {
                "cpu_ms": round(1000 * cpu / changes, 2),
                "stages": {
                    stage: {
                        "ms": round(1000 * own / changes, 2),
                        "cpu_ms": round(1000 * own_cpu / changes, 2),
                    }
                    for stage, (own, own_cpu) in stages.items()
                },
            }
        return report


def bulk(platform: Staged, rest: RestClient, count: int) -> Figures:
    """Register `count` subscriptions with one call, and wait until they are active."""
    bodies = subscriptions(platform, count, random.Random(count))
    start = time.perf_counter()
    rest.post("/api/v1/subscriptions/?dry_run=true", bodies)
    dry = time.perf_counter() - start
    measured = Measured(platform)
    start = time.perf_counter()
    operation = rest.post("/api/v1/subscriptions/", bodies)["url"]
    accepted = time.perf_counter() - start
    while not rest.get(operation, wait=30.0)["finished"]:
        pass
    took = time.perf_counter() - start
    return {
        "items": count,
        "dry_run_s": round(dry, 2),
        "accepted_s": round(accepted, 2),
        "active_s": round(took, 2),
        "changes_per_s": round(count / took, 1),
        "per_change": measured.per_change(count),
    }


def subscriptions(platform: Many, count: int, rng: random.Random) -> list[Figures]:
    """Return bodies of subscriptions to narrow ranges."""
    hosts = len(platform.hosts_named)
    found = []
    for _ in range(count):
        low = rng.randrange(65_000)
        text = f"low in [{low}, {low + rng.randrange(64)}]"
        found.append({"subscriber": f"s{rng.randrange(hosts)}", "topic": "load", "filter": text})
    return found


async def floor(platform: Staged, count: int, seconds: float) -> float:
    """Return how often `count` clients together make the cheapest call with a token, per second."""
    headers = {"Authorization": f"Bearer {platform.secret('operator-token')}"}
    calls = 0
    async with httpx.AsyncClient(base_url=platform.base_url, headers=headers, trust_env=False) as http:
        end = time.perf_counter() + seconds

        async def call() -> None:
            nonlocal calls
            while time.perf_counter() < end:
                (await http.get("/api/v1/me/")).raise_for_status()
                calls += 1

        await asyncio.gather(*(call() for _ in range(count)))
    return round(calls / seconds, 1)


async def changes(platform: Staged, count: int, rounds: int) -> Figures:
    """Return the figures of `count` clients, with a live stream open."""
    streams = Streams(platform, 1, slow=False)
    await streams.open()
    await clients(platform, count, 1)  # creates the subscribers
    measured = Measured(platform)
    times = await clients(platform, count, rounds)
    done = len(times.register) + len(times.withdraw)
    if times.failed:
        raise SystemExit(f"a call failed: {times.failed[0]}")
    report = {**times.to_json(), "per_change": measured.per_change(done)}
    await streams.caught_up(await streams.newest())
    report["stream_ms"] = milliseconds(streams.readers[0].delays)
    await streams.close()
    report["floor_per_s"] = await floor(platform, count, 2.0)
    return report


def measure(rounds: int, count: int, items: int) -> Figures:
    """Return the figures of all loads."""
    with running() as (platform, rest):
        report: Figures = {
            "database": os.environ.get("TERCAST_DATABASE_URL", "sqlite").partition(":")[0],
            "one_client": asyncio.run(changes(platform, 1, rounds)),
            "clients": {"count": count, **asyncio.run(changes(platform, count, max(rounds // 6, 2)))},
            "bulk": bulk(platform, rest, items),
        }
    return report


@contextmanager
def running() -> Iterator[tuple[Staged, RestClient]]:
    """Run a platform with `SUBSCRIPTIONS` subscriptions."""
    with tempfile.TemporaryDirectory(prefix="tcs-", dir="/tmp") as folder:
        topology = load(TOPOLOGY)
        for switch in topology["switches"]:
            switch["tcam_budget"] = BUDGET
        platform = Staged(Path(folder) / "r", 1, 1, topology=topology, port=8310)
        try:
            rest = platform.start()
            hosts = platform.hosts_named
            rest.post("/api/v1/subscribers/", [{"name": f"s{n}", "host": h} for n, h in enumerate(hosts)])
            rest.post("/api/v1/subscriptions/", subscriptions(platform, SUBSCRIPTIONS, random.Random(1)))
            end = time.monotonic() + PATIENCE
            while not settled(rest) and time.monotonic() < end:
                time.sleep(0.1)
            yield platform, rest
        finally:
            platform.stop()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--clients", type=int, default=32)
    parser.add_argument("--bulk", type=int, default=5_000)
    parser.add_argument("-o", "--output", type=Path)
    given = parser.parse_args()
    os.environ.setdefault("TERCAST_RATE_LIMIT", "0")
    machine = describe()
    report = {"machine": machine, **measure(given.rounds, given.clients, given.bulk)}
    machine["load_average_at_the_end"] = describe()["load_average"]
    write_result(report, given.output)


if __name__ == "__main__":
    main()
