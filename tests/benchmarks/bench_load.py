"""Measure the platform with many clients and live streams, over real Open vSwitch; print JSON.

    TERCAST_RATE_LIMIT=0 python tests/benchmarks/bench_load.py [--clients 50 --streams 500] [-o FILE]

The baselines come from the same run: one client that does the same alone, and one live stream during the same
changes. The environment names the database, which must be empty.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "platform"), str(ROOT), str(Path(__file__).parent)]

import bench_options  # noqa: E402
from bench_machine import describe  # noqa: E402
from load_platform import PATIENCE, Many, Streams, clients, milliseconds, settled  # noqa: E402

from mininet_labs.demo.rest import RestClient  # noqa: E402

BURST = """
from controlplane.requestlog import outbox
for number in range({}):
    outbox.emit("load", {{"number": number, "fill": "x" * 200}})
"""
"""Emits more events together than a slow stream may miss."""

Figures = dict[str, Any]


def main() -> int:
    """Measure; return 0 if nothing failed and every stream got every event."""
    given = bench_options.of_load().parse_args()
    _raise_descriptors()
    machine = describe()
    with tempfile.TemporaryDirectory(prefix="tcl-", dir="/tmp") as folder:
        platform = Many(Path(folder) / "r", given.webs, given.workers)
        try:
            _say("starting the platform")
            report = asyncio.run(_measure(platform, platform.start(), given))
            checked = platform.manage("replay", "--check")
        finally:
            platform.stop()
    report["log_leads_to_the_tables"] = checked.returncode == 0
    machine["load_average_at_the_end"] = describe()["load_average"]
    text = json.dumps({"machine": machine, **report}, indent=2)
    print(text)
    if given.output:
        given.output.write_text(text + "\n")
    return 0 if _good(report) else 1


def _raise_descriptors() -> None:
    """Raise the limit of descriptors: a stream needs one here and one in a web process."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


async def _measure(platform: Many, rest: RestClient, given: argparse.Namespace) -> Figures:
    _say("one client")
    alone = await clients(platform, 1, given.rounds)
    _say(f"{given.clients} clients")
    together = await clients(platform, given.clients, given.rounds)
    _say("one stream")
    one = await _with_streams(platform, rest, 1, given)
    _say(f"{given.streams} streams")
    many = await _with_streams(platform, rest, given.streams, given)
    server = os.environ.get("TERCAST_DATABASE_URL", "sqlite").partition(":")[0]
    return {
        "database": server,
        "webs": given.webs,
        "workers": given.workers,
        "one_client": alone.to_json(),
        "clients": {"count": given.clients, **together.to_json()},
        "one_stream": one,
        "streams": many,
    }


async def _with_streams(platform: Many, rest: RestClient, count: int, given: argparse.Namespace) -> Figures:
    """Measure streams (one of several is slow) during changes by ten clients."""
    slow = count > 1
    streams = Streams(platform, count, slow)
    await streams.open()
    over = asyncio.Event()

    async def is_over() -> bool:
        return over.is_set()

    silent = asyncio.create_task(streams.stay_silent(is_over)) if slow else None
    times = await clients(platform, 10, given.rounds)
    if given.burst and slow:
        await asyncio.to_thread(platform.manage, "shell", "-c", BURST.format(given.burst))
    await asyncio.to_thread(_settle, rest)
    newest = await streams.newest()
    end = time.monotonic() + PATIENCE
    while not await streams.caught_up(newest) and time.monotonic() < end:
        await asyncio.sleep(0.1)
    over.set()
    if silent is not None:
        await silent
    await streams.close()
    return {"count": count, **_seen(streams, newest), "changes": times.to_json()}


def _say(text: str) -> None:
    print(f"bench: {text} ...", file=sys.stderr, flush=True)


def _settle(rest: RestClient) -> None:
    """Wait until no request is open."""
    while not settled(rest):
        time.sleep(0.1)


def _seen(streams: Streams, newest: int) -> Figures:
    """Check that each stream got every id once and in order; return delays and the end of the slow one."""
    lost = doubled = 0
    for stream in streams.readers:
        wanted = range(stream.started + 1, newest + 1)
        had = [id_ for id_ in stream.ids if id_ <= newest]
        lost += len(set(wanted) - set(had))
        doubled += len(had) - len(set(had))
    delays = [delay for stream in streams.readers for delay in stream.delays]
    ended = None
    if streams.slow is not None:
        ids = streams.slow.ids
        gaps = any(b != a + 1 for a, b in pairwise(ids))
        ended = {"events": len(ids), "gaps": gaps, "end": streams.slow.end}
    cut_off = [stream.end for stream in streams.readers if stream.end]
    return {
        "events": len(delays),
        "lost": lost,
        "doubled": doubled,
        "cut_off": len(cut_off),
        "why": sorted(set(cut_off))[:5],
        "delay_ms": milliseconds(delays),
        "slow": ended,
    }


def _good(report: Figures) -> bool:
    failed = report["clients"]["failed"] + report["streams"]["changes"]["failed"]
    streams = report["streams"]
    kept = not (streams["lost"] or streams["doubled"] or streams["cut_off"] or failed)
    slow = streams["slow"] is None or not streams["slow"]["gaps"]
    return bool(kept and slow and report["log_leads_to_the_tables"])


if __name__ == "__main__":
    sys.exit(main())
