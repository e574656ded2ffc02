"""Heartbeats without a database, descriptors or memory: none ends its thread, and the time is an alarm."""

import errno
from datetime import timedelta

import pytest
from django.db import InterfaceError, OperationalError

from controlplane.operations import disk_space, heartbeats, write_interruptions
from controlplane.requestlog import checkpoints
from controlplane.requestlog.models import OutboxEvent

ERRORS = [
    OperationalError("database or disk is full"),
    InterfaceError("connection already closed"),
    OSError(errno.EMFILE, "Too many open files"),
    MemoryError("no memory"),
]


@pytest.fixture
def trouble(monkeypatch):
    """The error of every write, while the list has one."""
    monkeypatch.setattr(heartbeats, "_last", {})
    monkeypatch.setattr(heartbeats, "SECONDS", 0.0)
    monkeypatch.setattr(write_interruptions, "_open", {})
    monkeypatch.setattr(heartbeats.connections, "close_all", lambda: None)
    found = []
    write = checkpoints.store

    def keep(name, value):
        if found:
            raise found[0]
        write(name, value)

    monkeypatch.setattr(checkpoints, "store", keep)
    return found


def texts():
    return [row.payload["text"] for row in OutboxEvent.objects.filter(kind="alarm").order_by("id")]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_the_alarm_comes_once_when_it_is_over(db, trouble, error):
    trouble.append(error)
    for _ in range(3):
        heartbeats.record_heartbeat("worker")
    assert texts() == []
    trouble.clear()
    for _ in range(3):
        heartbeats.record_heartbeat("worker")
    (text,) = texts()
    assert text.startswith("worker could not write to the database from ")
    assert str(error) in text
    assert heartbeats.age("worker") < timedelta(minutes=1)


def test_processes_that_lacked_the_same_raise_one_alarm(db, trouble):
    trouble.append(ERRORS[0])
    for name in ("worker", "watcher", "beat"):
        heartbeats.record_heartbeat(name)
    trouble.clear()
    for name in ("worker", "watcher", "beat"):
        heartbeats.record_heartbeat(name)
    assert len(texts()) == 1
    trouble.append(ERRORS[2])
    heartbeats.record_heartbeat("beat")
    trouble.clear()
    heartbeats.record_heartbeat("beat")
    assert len(texts()) == 2


@pytest.mark.parametrize("value", ["never", 7, "9999-01-01T00:00:00+00:00"])
def test_a_row_that_makes_no_sense_hides_no_alarm(db, trouble, value):
    checkpoints.store(write_interruptions.REPORTED_UNTIL, value)
    trouble.append(ERRORS[0])
    heartbeats.record_heartbeat("worker")
    trouble.clear()
    heartbeats.record_heartbeat("worker")
    assert len(texts()) == 1


def test_no_error_ends_a_pulse(db, trouble, monkeypatch):
    errors = [ValueError("ours"), MemoryError(), OSError(errno.EIO, "x")]
    pulse = heartbeats.Pulse(["worker"])

    def fail():
        if len(errors) == 1:
            pulse.stop()
        raise errors.pop()

    monkeypatch.setattr(disk_space, "record", fail)
    pulse.run()
    assert not errors
