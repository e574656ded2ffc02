"""A controller without free descriptors: it reports this, waits, and continues when some are free."""

from __future__ import annotations

import errno
import resource
import socket
from pathlib import Path
from typing import Any

import pytest
from greenlet import GreenletExit

from controller_app import resource_shortage
from controller_app.resource_shortage import PatientListener, run_forever
from tests.support.controller.controller_harness import Controller, eventually, running


def limit_descriptors(controller: Controller, soft: int) -> int:
    assert controller.process is not None
    before, hard = resource.prlimit(controller.process.pid, resource.RLIMIT_NOFILE)
    resource.prlimit(controller.process.pid, resource.RLIMIT_NOFILE, (soft, hard))
    return before


def raised(controller: Controller) -> set[Any]:
    return {line.get("part") for line in controller.lines() if line.get("alarm") == "resources_exhausted"}


@pytest.mark.full
def test_without_descriptors_connections_wait_and_are_served_afterwards(run_dir: Path) -> None:
    with running(run_dir) as controller:
        before = limit_descriptors(controller, 3)
        switch = socket.create_connection(("127.0.0.1", controller.openflow))
        caller = socket.create_connection(("127.0.0.1", controller.northbound))
        with switch, caller:
            assert eventually(lambda: raised(controller) == {"switches", "northbound"}), controller.lines()
            limit_descriptors(controller, before)
            switch.settimeout(60)
            assert switch.recv(1) == b"\4"  # its hello
        alarms = [row for row in controller.get("/v1/alarms") if row["alarm"] == "resources_exhausted"]
        assert {row["part"] for row in alarms} == {"switches", "northbound"}
        assert all("LimitNOFILE" in row["detail"] for row in alarms)


class Failing:
    """A listener whose `accept` fails with each error in turn, then accepts."""

    def __init__(self, *errors: Exception) -> None:
        self.errors = list(errors)
        self.open = True

    def accept(self) -> tuple[str, str]:
        if self.errors:
            raise self.errors.pop(0)
        return "peer", "address"

    def fileno(self) -> int:
        return 7 if self.open else -1


@pytest.fixture
def raised(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    monkeypatch.setattr(resource_shortage, "PAUSE", 0)
    return []


def test_what_passes_is_tried_again_and_shortage_is_reported(raised: list[tuple[str, str]]) -> None:
    errors = [OSError(errno.EMFILE, "Too many open files"), OSError(errno.ECONNABORTED, "x"), MemoryError()]
    listener: Any = Failing(*errors)
    patient = PatientListener(listener, "northbound", lambda *one: raised.append(one))
    assert patient.accept() == ("peer", "address")
    assert raised == [
        ("northbound", "Too many open files; new connections wait"),
        ("northbound", "no memory; new connections wait"),
    ]


def test_a_closed_listener_ends_it(raised: list[tuple[str, str]]) -> None:
    listener: Any = Failing(OSError(errno.EBADF, "Bad file descriptor"))
    listener.open = False
    with pytest.raises(OSError, match="Bad file"):
        PatientListener(listener, "northbound", lambda *one: raised.append(one)).accept()


def test_a_loop_starts_again_after_any_error(raised: list[tuple[str, str]]) -> None:
    errors: list[BaseException] = [MemoryError(), ValueError("ours"), GreenletExit()]

    def fail() -> None:
        raise errors.pop(0)

    with pytest.raises(GreenletExit):
        run_forever(fail, "polls", lambda *one: raised.append(one))
    assert raised == [("polls", "no memory")]
