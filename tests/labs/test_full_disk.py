"""A platform whose disk fills up during traffic and requests: nothing that was accepted is lost."""

import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from http import HTTPStatus
from pathlib import Path
from typing import Any

import httpx
import pytest

from mininet_labs.demo.demo import DEFAULT_TOPOLOGY, Demo
from mininet_labs.demo.errors import DemoError
from mininet_labs.demo.options import DemoOptions
from mininet_labs.demo.platform_up import Platform
from mininet_labs.demo.services import wait_until
from mininet_labs.topologies import load

pytestmark = [pytest.mark.fabric, pytest.mark.full]

MEGABYTES = 64
BLOCK = 1 << 20
PATIENCE = 300.0
SILENT_SECONDS = 15.0
"""A heartbeat is due every 10 s, so an older one could not be written."""


@pytest.fixture
def disk() -> Iterator[Path]:
    """A separate small disk, with a short path for sockets."""
    folder = Path(tempfile.mkdtemp(prefix="tc-", dir="/tmp"))
    mount = ["mount", "-t", "tmpfs", "-o", f"size={MEGABYTES}m", "tmpfs", str(folder)]
    if os.getuid() != 0 or subprocess.run(mount, check=False, capture_output=True).returncode:
        folder.rmdir()
        pytest.skip("needs the right to mount a tmpfs")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def demo(disk: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Demo]:
    monkeypatch.setenv("TERCAST_DISK_FREE_MEGABYTES", "8")
    topology = load(DEFAULT_TOPOLOGY)
    platform = Platform(disk / "run", topology, 8420)
    with Demo(DemoOptions(None, None, 20.0, 8420, DEFAULT_TOPOLOGY, True), topology, platform) as demo:
        demo.start()
        yield demo


class Caller:
    """Requests one subscription at a time; `accepted` has the ids of requests."""

    def __init__(self, demo: Demo) -> None:
        token = demo.platform.secret("operator-token")
        headers = {"Authorization": f"Bearer {token}"}
        self._client = httpx.Client(
            base_url=demo.platform.base_url, headers=headers, timeout=PATIENCE, trust_env=False
        )
        self._number = 0
        self.accepted: list[int] = []

    def subscribe(self) -> httpx.Response:
        self._number += 1
        wanted = f"close < {self._number / 8}"
        body = {"subscriber": "archive", "topic": "quotes", "filter": wanted}
        answer = self._client.post("/api/v1/subscriptions/", json=body)
        if answer.status_code == HTTPStatus.ACCEPTED:
            self.accepted.append(answer.json()["id"])
        return answer

    def get(self, path: str) -> httpx.Response:
        return self._client.get(path)

    def health(self) -> dict[str, dict[str, Any]]:
        return {row["name"]: row for row in self.get("/api/v1/health/").json()["checks"]}

    def states(self) -> set[str]:
        return {self.get(f"/api/v1/requests/{number}/").json()["state"] for number in self.accepted}


def fill(disk: Path) -> None:
    """Write until nothing more fits; again if something was removed meanwhile."""
    for size in (BLOCK, 1):
        with suppress(OSError), (disk / "fill").open("ab", buffering=0) as file:
            while file.write(bytes(size)):
                pass


def free(disk: Path) -> None:
    (disk / "fill").unlink()


def await_that(demo: Demo, what: str, ready: Callable[[], bool]) -> None:
    """Wait while services are checked, as `make run` does."""

    def look() -> bool:
        assert demo.feed is not None
        demo.feed.check()
        with suppress(DemoError):
            demo.feed.pass_on()
        return ready()

    wait_until(what, look, demo.platform.services, PATIENCE)


def silent_for(row: dict[str, Any]) -> float:
    found = re.search(r"seconds: ([0-9.]+)|for ([0-9]+) s", row["detail"])
    return float(found[1] or found[2]) if found else 0.0


def test_nothing_accepted_is_lost_while_the_disk_is_full(demo: Demo, disk: Path) -> None:
    caller = Caller(demo)
    worker = next(each.process for each in demo.platform.services if each.name == "worker")
    assert worker is not None
    for _ in range(3):
        assert caller.subscribe().status_code == HTTPStatus.ACCEPTED
    os.kill(worker.pid, signal.SIGSTOP)  # requests that are accepted from here on wait until the disk is full
    for _ in range(3):
        assert caller.subscribe().status_code == HTTPStatus.ACCEPTED
    fill(disk)
    os.kill(worker.pid, signal.SIGCONT)

    refused: list[httpx.Response] = []

    def is_refused_for_long() -> bool:
        fill(disk)
        answer = caller.subscribe()
        refused.extend([answer] if answer.status_code != HTTPStatus.ACCEPTED else [])
        assert caller.get("/api/v1/topics/").status_code == HTTPStatus.OK
        assert caller.get("/login/").status_code == HTTPStatus.OK
        return len(refused) >= 5 and silent_for(caller.health()["beat"]) > SILENT_SECONDS

    await_that(demo, "refusals", is_refused_for_long)
    codes = {answer.status_code for answer in refused}
    assert HTTPStatus.INSUFFICIENT_STORAGE in codes
    assert codes <= {HTTPStatus.INSUFFICIENT_STORAGE, HTTPStatus.SERVICE_UNAVAILABLE}
    assert all(int(answer.headers["Retry-After"]) > 0 for answer in refused)
    expected = {"database": "failed", "broker": "failed", "disk": "degraded"}

    def is_reported() -> bool:
        fill(disk)
        found = caller.health()
        return {name: found[name]["status"] for name in expected} == expected

    await_that(demo, "health to report it", is_reported)
    free(disk)

    await_that(demo, "a call that is accepted", lambda: caller.subscribe().status_code == HTTPStatus.ACCEPTED)
    assert len(caller.accepted) >= 7
    await_that(demo, "accepted requests", lambda: caller.states() == {"active"})
    names = ("database", "broker", "worker", "watcher", "analytics", "beat", "planner", "disk")
    await_that(demo, "health", lambda: {caller.health()[name]["status"] for name in names} == {"ok"})
    texts = [row["text"] for row in caller.get("/api/v1/alarms/").json()["results"]]
    assert any("could not write to the database from" in text for text in texts), texts
    messages = demo.platform.state_dir / "broker" / "data"
    await_that(demo, "half-written messages to go", lambda: not list(messages.glob(".*")))
    assert demo.platform.restarts() == {}
    report = demo.finish()
    assert (report["lost"], report["doubled"]) == (0, 0) and report["wanted"] > 0
    telemetry = caller.get("/api/v1/telemetry/").json()
    assert (telemetry["lost"], telemetry["silent_writers"]) == (0, 0)
    for writer in telemetry["writers"]:
        assert writer["taken"] == writer["written"] + writer["pending"], writer
