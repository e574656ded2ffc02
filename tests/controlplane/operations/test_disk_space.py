"""The alarm before a disk is full: once when it becomes low, while it is, and when it ends."""

import dataclasses
from pathlib import Path

import pytest
from django.utils import timezone

from controlplane.operations import alarms, disk_space, health_checks
from controlplane.requestlog import checkpoints
from controlplane.requestlog.models import OutboxEvent


@pytest.fixture
def free(monkeypatch, settings):
    """One disk, whose free MiB the test sets; the threshold is 512."""
    settings.ENV = dataclasses.replace(settings.ENV, disk_free_megabytes=512)
    state = {"free": 10_000, "inodes": 1_000_000}

    def measured():
        path = Path("/srv/tercast")
        mib = disk_space.MEGABYTE
        return [
            disk_space.Disk(("state", "database"), path, state["free"] * mib, 20_000 * mib, state["inodes"])
        ]

    monkeypatch.setattr(disk_space, "disks", measured)
    return state


def texts():
    return [row.payload["text"] for row in OutboxEvent.objects.filter(kind="alarm").order_by("id")]


def test_alarm_is_raised_once_and_ends_with_a_margin(db, free):
    disk_space.record()
    assert texts() == [] and disk_space.measure_low_disks() == []
    free["free"] = 511
    disk_space.record()
    disk_space.record()
    assert [text.partition(":")[0] for text in texts()] == [
        "disk of state, database (/srv/tercast) is nearly full"
    ]
    assert "511 of 20,000 MiB" in texts()[0] and "TERCAST_DISK_FREE_MEGABYTES" in texts()[0]
    assert disk_space.measure_low_disks()[0].since is not None
    free["free"] = 513  # within the margin
    disk_space.record()
    assert len(texts()) == 1
    free["free"] = 600
    disk_space.record()
    assert texts()[1:] == ["disk of state, database (/srv/tercast) has enough free space again"]
    assert disk_space.measure_low_disks() == []


def test_few_inodes_are_a_full_disk(db, free):
    free["inodes"] = 10
    assert disk_space.measure_low_disks()[0].subject.startswith("disk of state")


def test_health_and_standing_alarms_have_it(network, free):
    assert health_checks.disk().status == health_checks.CheckStatus.OK
    assert health_checks.disk().detail == "10,000 MiB free for state, database"
    free["free"] = 3
    assert health_checks.disk().status == health_checks.CheckStatus.DEGRADED
    found, _ = alarms.read_active_alarms()
    assert [(row.source, row.alarm) for row in found] == [("disk", "disk_low")]


def test_other_machines_are_shown_while_they_report(db, free):
    now = timezone.now()
    row = {"detail": "full", "since": now.isoformat(), "seen": now.isoformat()}
    checkpoints.store("disks of other", {"disk of state": row})
    assert [each.subject for each in disk_space.measure_low_disks()] == ["other: disk of state"]
    row["seen"] = (now - 2 * disk_space.STALE).isoformat()
    checkpoints.store("disks of other", {"disk of state": row})
    assert disk_space.measure_low_disks() == []


def test_every_directory_in_use_is_measured(db, tmp_path, settings):
    settings.ENV = dataclasses.replace(
        settings.ENV,
        state_dir=tmp_path / "new" / "state",
        telemetry=tmp_path / "t",
        log_dir=tmp_path / "logs",
    )
    names = {name for disk in disk_space.disks() for name in disk.directories}
    assert {"state", "telemetry", "logs", "temporary files"} <= names
