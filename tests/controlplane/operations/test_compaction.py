"""Compaction of the log: what ended leaves it, no table changes, and a kill anywhere leaves a right state."""

import dataclasses
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from controlplane.deployment import replay_check, session, session_cache
from controlplane.operations import stage_histograms
from controlplane.operations.backup import compaction
from controlplane.operations.backup.errors import BackupError
from controlplane.planning import planner_state
from controlplane.registry.models import Subscription
from controlplane.requestlog.models import PlannerSnapshot, Request
from controlplane.telemetry import request_rows
from tests.support.controlplane import network_world as world
from tests.support.controlplane.worker_processes import kill_at


@pytest.fixture
def old(transactional_db, controller, monkeypatch, settings, tmp_path):
    """A log of 40 days ago: ten subscriptions came and went, one and an advertisement stay."""
    settings.ENV = dataclasses.replace(settings.ENV, telemetry=tmp_path / "telemetry")
    monkeypatch.setattr(compaction, "SNAPSHOT_EVERY", 5)
    monkeypatch.setattr("os.nice", lambda _: 0)  # or all tests after it have a lower priority
    world.line(3)
    world.advertise("h1", ["0"])
    stays = world.subscribe("h3", ["01"])
    world.log({"op": "link_down", "switch": "s9", "port": 1})  # fails
    gone = [world.subscribe("h2", ["001"]) for _ in range(10)]
    session.run()
    for row in gone:
        world.withdraw(row)
    session.run()
    request_rows.export()
    long_ago = timezone.now() - timedelta(days=40)
    Request.objects.update(received_at=long_ago, computed_at=long_ago)
    Request.objects.exclude(confirmed_at=None).update(confirmed_at=long_ago)
    controller.stays = stays
    return controller


def state(controller) -> dict:
    return {
        "switches": controller.tables(),
        "installed": world.installed(),
        "trees": world.trees(),
        "planner": planner_state.load().planner.snapshot(),
        "log alone": planner_state.load(snapshots=False).planner.tables(),
    }


def ids() -> set[int]:
    return set(Request.objects.values_list("pk", flat=True))


def test_what_ended_long_ago_goes_and_no_table_changes(old, monkeypatch, capsys):
    before, ended, rows = state(old), stage_histograms.totals().to_json()["ended"], ids()
    planner_state.current_planner()
    call_command("compact")
    assert "removed 21 requests, 10 announcements" in capsys.readouterr().out
    assert state(old) == before
    assert list(replay_check.differences()) == []
    assert stage_histograms.totals().to_json()["ended"] == ended
    assert Subscription.objects.get() == old.stays
    # what an object refers to stays, and the log continues at its position
    assert old.stays.request_id in ids()
    newest = planner_state.decided()
    late = world.subscribe("h2", ["0001"])
    session.run()
    assert Request.objects.get(pk=late.request_id).position == newest + 1
    session_cache._kept = None
    second = world.withdraw(late)
    session.run()
    assert Request.objects.get(pk=second.pk).state == "active"
    assert state(old)["planner"]["applied"] == before["planner"]["applied"] + 2
    assert planner_state.current_planner().tables() == session_cache._kept.state.planner.tables()
    # again, from the new base
    call_command("compact", "--days", "0")
    assert list(replay_check.differences()) == []
    assert rows - ids() and late.request_id in ids()  # telemetry has not recorded it yet


def test_what_is_gone_says_so(old, admin_user):
    client = Client(headers={"accept": "application/json"})
    client.force_login(admin_user)
    gone = Request.objects.filter(kind="link_down").get().pk
    call_command("compact")
    answer = client.get(f"/api/v1/requests/{gone}/")
    assert answer.status_code == 404
    assert answer.json()["detail"] == (
        f"Request {gone} no longer exists. Requests without an object are deleted 30 days after their end."
    )
    assert (
        client.get("/api/v1/requests/99999999/")
        .json()["detail"]
        .startswith("There is no request 99999999. It may have been removed.")
    )
    assert client.get(f"/api/v1/requests/{old.stays.request_id}/").json()["state"] == "active"
    assert {row["id"] for row in client.get("/api/v1/requests/").json()["results"]} == ids()


POINTS = (
    "compact:pinned",
    "compact:subscription",
    "compact:announcements",
    "compact:request",
    "compact:requests",
)


def test_killed_anywhere(old):
    assert planner_state.keep_snapshot(planner_state.load(), every=1)
    before, sizes = state(old), []
    for point in POINTS:
        kill_at(point, lambda: call_command("compact"))
        sizes.append(Request.objects.count())
        session_cache._kept = None
        session.run()
        assert state(old) == before, point
        assert list(replay_check.differences()) == []
    assert sizes[0] > sizes[-1]


def test_nothing_goes_that_telemetry_or_the_base_do_not_cover(old):
    call_command("compact")
    late = world.subscribe("h2", ["0001"])
    session.run()
    world.withdraw(late)
    session.run()
    compaction.compact(timedelta(0), lambda _: None)
    assert Request.objects.filter(pk=late.request_id).exists()
    request_rows.export()
    base = planner_state.base()
    compaction.compact(timedelta(0), lambda _: None)
    assert Request.objects.filter(pk=late.request_id).exists() == (base < planner_state.decided() - 1)


def test_a_snapshot_that_does_not_lead_to_the_tables_is_never_a_base(old):
    call_command("compact")
    for n in range(6):
        world.log({"op": "set_budget", "switch": "s1", "tcam_budget": 90 + n})
        session.run()
    wrong = planner_state._empty()
    wrong.position = planner_state.decided() - 1
    assert planner_state.keep_snapshot(wrong, every=1)
    rows = ids()
    with pytest.raises(BackupError, match="nothing was removed"):
        compaction.compact(timedelta(0), lambda _: None)
    assert ids() == rows


def test_a_compacted_log_without_a_readable_snapshot_stops_with_the_reason(old):
    call_command("compact")
    PlannerSnapshot.objects.update(data=b"nothing")
    with pytest.raises(planner_state.ReplayError, match="restore a backup"):
        planner_state.load()
    with pytest.raises(CommandError, match="no snapshot can be read"):
        call_command("compact")
