"""A platform as in production: several web processes and workers over real Open vSwitch, and clients.

Database and broker are those of the environment (TERCAST_DATABASE_URL, TERCAST_REDIS_URL), or SQLite and a
folder.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import websockets

from mininet_labs.demo.platform_up import BEAT_OPTIONS, CELERY, ROOT, WORKER_OPTIONS, Platform
from mininet_labs.demo.registration import register
from mininet_labs.demo.rest import RestClient
from mininet_labs.demo.services import python, wait_until
from mininet_labs.topologies.generate import ring

TOPIC = {"name": "load", "attributes": [{"name": "low", "type": "int", "min": 0, "max": 65535}]}
PATIENCE = 300.0


class Many(Platform):
    """A ring of switches, or another topology, with `webs` web processes and `workers` workers."""

    def __init__(
        self,
        run_dir: Path,
        webs: int,
        workers: int,
        switches: int = 5,
        port: int = 8300,
        more: Mapping[str, str] | None = None,
        topology: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(run_dir, topology or ring(switches), port)
        self.webs, self.workers, self._more = webs, workers, more or {}

    def start(self) -> RestClient:
        """Start everything with a topic and an advertisement of everything.

        The network is declared before discovery can find it.
        """
        self.prepare()
        self.start_web()
        rest = RestClient(self.base_url, self.secret("operator-token"), patience=PATIENCE)
        register(rest, self.topology)
        self.start_fabric()
        self.start_controller()
        self.start_workers()
        rest.post("/api/v1/topics/", TOPIC)
        rest.post("/api/v1/publishers/", {"name": "p", "host": self.hosts_named[0]})
        rest.post("/api/v1/advertisements/", {"publisher": "p", "topic": "load", "filter": ""})
        wait_until("the advertisement", lambda: settled(rest), self.services, timeout=PATIENCE)
        return rest

    @property
    def hosts_named(self) -> list[str]:
        """Return the names of the hosts."""
        return [host["id"] for host in self.topology["hosts"]]

    def start_web(self) -> None:
        """Start the web processes; return when they answer."""
        patient = ("--timeout-worker-healthcheck", "60")  # with less, busy processes are killed during calls
        self._serve("web", self.web_command("--workers", str(self.webs), *patient))
        wait_until("the web server", self._web_answers, self.services, timeout=PATIENCE)

    def start_workers(self) -> None:
        """Start the workers and beat."""
        for number in range(1, self.workers + 1):
            queues = ("-Q", "planner,celery", "-n", f"worker-{number}@%h")
            self._serve(f"worker-{number}", python(*CELERY, "worker", *queues, *WORKER_OPTIONS))
        self._serve("beat", python(*CELERY, "beat", *BEAT_OPTIONS))
        self._ports_lock.close()

    def manage(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a command of `manage.py` in this installation."""
        command = [sys.executable, "manage.py", *arguments]
        return subprocess.run(
            command, cwd=ROOT, env=self.environment(), capture_output=True, text=True, check=False
        )

    def environment(self) -> dict[str, str]:
        """Return the environment of its processes."""
        return {**os.environ, **self._env()}

    def _env(self) -> dict[str, str]:
        return {**super()._env(), **self._more}


def settled(rest: RestClient) -> bool:
    """Whether every request has ended."""
    waiting = rest.get("/api/v1/requests/", state__in="queued,planning,deploying", limit=1)
    return not waiting["results"]


@dataclass(slots=True)
class Times:
    """Seconds from calls to their confirmation by all switches, and errors."""

    register: list[float] = field(default_factory=list)
    withdraw: list[float] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    refused_for_rate: int = 0
    busy: int = 0
    seconds: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """Return the figures."""
        changes = len(self.register) + len(self.withdraw)
        return {
            "changes": changes,
            "seconds": round(self.seconds, 2),
            "changes_per_s": round(changes / self.seconds, 1) if self.seconds else None,
            "register_ms": milliseconds(self.register),
            "withdraw_ms": milliseconds(self.withdraw),
            "failed": len(self.failed),
            "why": self.failed[:5],
            "rate_limited": self.refused_for_rate,
            "told_to_come_again": self.busy,
        }


def milliseconds(values: Sequence[float]) -> dict[str, float] | None:
    """Return percentiles (nearest rank)."""
    found = sorted(values)
    if not found:
        return None
    at = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "max": 1.0}
    last = len(found) - 1
    return {name: round(1000 * found[min(last, int(share * len(found)))], 1) for name, share in at.items()}


async def clients(platform: Many, count: int, rounds: int) -> Times:
    """Run `count` clients in parallel that each register and withdraw `rounds` times."""
    times = Times()
    headers = {"Authorization": f"Bearer {platform.secret('operator-token')}"}
    limits = httpx.Limits(max_connections=count + 10)
    async with httpx.AsyncClient(
        base_url=platform.base_url, headers=headers, timeout=PATIENCE, limits=limits, trust_env=False
    ) as http:
        names = [f"c{n}" for n in range(count)]
        hosts = platform.hosts_named
        there = {row["name"] for row in await _rows(http, "/api/v1/subscribers/")}
        missing = [name for name in names if name not in there]
        bodies = [{"name": name, "host": hosts[n % len(hosts)]} for n, name in enumerate(missing)]
        if bodies:
            await _call(http, times, "POST", "/api/v1/subscribers/", bodies)
        started = time.perf_counter()
        await asyncio.gather(*(_client(http, times, name, rounds) for name in names))
        times.seconds = time.perf_counter() - started
    return times


async def _rows(http: httpx.AsyncClient, path: str) -> list[dict[str, Any]]:
    answer = await http.get(path, params={"limit": 200})
    rows: list[dict[str, Any]] = answer.json()["results"]
    return rows


async def _client(http: httpx.AsyncClient, times: Times, name: str, rounds: int) -> None:
    rng = random.Random(name)
    for _ in range(rounds):
        low = rng.randrange(0, 65000)
        body = {"subscriber": name, "topic": "load", "filter": f"low in [{low}, {low + rng.randrange(64)}]"}
        made = await _call(http, times, "POST", "/api/v1/subscriptions/", body, times.register)
        if made is not None:
            path = made["object"]["url"]
            await _call(http, times, "DELETE", path, None, times.withdraw)


async def _call(
    http: httpx.AsyncClient, times: Times, method: str, path: str, body: Any, took: list[float] | None = None
) -> Any:
    """Make a call and wait without limit until its request is active; return None if it fails."""
    started = time.perf_counter()
    wait = {"Prefer": "wait=30"} if took is not None else {}
    while True:
        try:
            answer = await http.request(method, path, json=body, headers=wait)
        except httpx.HTTPError as error:
            times.failed.append(f"{method} {path}: {error!r}")
            return None
        if answer.status_code == httpx.codes.TOO_MANY_REQUESTS:
            times.refused_for_rate += 1
        elif answer.status_code == httpx.codes.SERVICE_UNAVAILABLE:
            times.busy += 1
        else:
            break
        await asyncio.sleep(float(answer.headers["Retry-After"]))
    found = answer.json() if answer.content else {}
    while took is not None and answer.is_success and found["state"] not in ("active", "failed"):
        again = await http.get(found["url"], headers=wait)
        if again.status_code == httpx.codes.SERVICE_UNAVAILABLE:
            times.busy += 1
            await asyncio.sleep(float(again.headers["Retry-After"]))
            continue
        answer, found = again, again.json()
    if not answer.is_success or (took is not None and found["state"] != "active"):
        times.failed.append(f"{method} {path}: {answer.status_code} {answer.text[:2000]}")
        return None
    if took is not None:
        took.append(time.perf_counter() - started)
    return found


@dataclass(slots=True)
class Stream:
    """Observations of a client of the live stream: ids in order, and ages of events on arrival."""

    ids: list[int] = field(default_factory=list)
    delays: list[float] = field(default_factory=list)
    end: str | None = None
    started: int = 0


class Streams:
    """Open live streams, one of which reads nothing until the end."""

    def __init__(self, platform: Many, count: int, slow: bool) -> None:
        self._url = platform.base_url.replace("http", "ws", 1) + "/ws/v1/live/"
        self._headers = {"Authorization": f"Bearer {platform.secret('operator-token')}"}
        self.readers = [Stream() for _ in range(count - slow)]
        self.slow = Stream() if slow else None
        self._tasks: list[asyncio.Task[None]] = []
        self._opened = asyncio.Semaphore(20)

    async def open(self) -> None:
        """Connect all streams; return when each has received the hello."""
        ready = [asyncio.Event() for _ in self.readers]
        for stream, event in zip(self.readers, ready, strict=True):
            self._tasks.append(asyncio.create_task(self._read(stream, event)))
        async with asyncio.timeout(PATIENCE):
            await asyncio.gather(*(event.wait() for event in ready))

    async def stay_silent(self, until: Callable[[], Awaitable[bool]]) -> None:
        """Open the slow stream, read nothing until `until`, and then record how it ended."""
        assert self.slow is not None
        connection = await self._connect(max_queue=1)
        async with connection:
            await self._greet(connection, self.slow)
            transport = connection.transport
            transport.pause_reading()
            while not await until():
                await asyncio.sleep(0.2)
            transport.resume_reading()
            await self._events(connection, self.slow, await self.newest())

    async def newest(self) -> int:
        """Return the id of the last event."""
        last = Stream()
        async with await self._connect() as connection:
            await self._greet(connection, last)
        return last.started

    async def caught_up(self, newest: int) -> bool:
        """Whether every stream that reads and is open has got the event `newest`."""
        return all(stream.end or (stream.ids and stream.ids[-1] >= newest) for stream in self.readers)

    async def close(self) -> None:
        """End all streams."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _read(self, stream: Stream, ready: asyncio.Event) -> None:
        async with self._opened:
            connection = await self._connect()
            await self._greet(connection, stream)
        ready.set()
        async with connection:
            await self._events(connection, stream)

    async def _connect(self, **more: Any) -> Any:
        options = {"open_timeout": PATIENCE, "ping_interval": None, "max_size": None, "proxy": None}
        return await websockets.connect(self._url, additional_headers=self._headers, **options, **more)

    async def _greet(self, connection: Any, stream: Stream) -> None:
        hello = json.loads(await connection.recv())
        stream.started = hello["newest"]
        await connection.send(json.dumps({"type": "from", "id": hello["newest"]}))

    async def _events(self, connection: Any, stream: Stream, until: int | None = None) -> None:
        """Read events up to `until`, or to the end, and record the reason of the end."""
        try:
            async for text in connection:
                message = json.loads(text)
                if message["type"] == "event":
                    stream.ids.append(message["id"])
                    at = datetime.fromisoformat(message["at"])
                    stream.delays.append((datetime.now(UTC) - at).total_seconds())
                    if until is not None and message["id"] >= until:
                        return
                elif message["type"] == "error":
                    stream.end = message["detail"]
        except websockets.ConnectionClosed as closed:
            received = closed.rcvd
            stream.end = stream.end or (f"{received.code} {received.reason}" if received else "cut off")
        else:
            close = connection.protocol.close_rcvd
            stream.end = stream.end or (f"{close.code} {close.reason}" if close else None)
