"""Signs of loss: what is a sign, which switches it audits, and how often it may."""

from datetime import timedelta

import pytest
from django.utils import timezone

from controlplane.deployment import session
from controlplane.deployment.audits import audits, loss_signs, worker
from controlplane.deployment.audits.models import Audit, AuditState, AuditTrigger, Check, CheckState
from controlplane.deployment.watcher import link_load, watch
from controlplane.network.models import Switch
from controlplane.requestlog import checkpoints
from controlplane.requestlog.models import OutboxEvent, SwitchSync
from controlplane.telemetry.traffic_reports import report
from tests.support.controlplane import network_world as world


@pytest.fixture(autouse=True)
def own_memory(monkeypatch):
    monkeypatch.setattr(loss_signs, "_seen", {})
    monkeypatch.setattr(link_load, "due", lambda: True)
    monkeypatch.setattr(audits, "wake_audits", lambda: None)


@pytest.fixture
def loaded(network):
    """Two entries at each switch; the controller has counted them, and the watcher has seen that."""
    world.advertise("h1", ["0"])
    for cell in ("000", "010"):
        world.subscribe("h3", [cell])
    session.run()
    watch.run()
    for at in (0, 1):
        count(network, at=at)
        watch.run()
    return network


def count(network, at: int, entries: int | None = None, reserved: int = 9, switch: int = 2) -> None:
    """The controller has polled all switches; `entries` are those that `switch` counts (None: all it has)."""
    network.counters["tables"] = [
        {
            "dpid": world.dpid(n),
            "entries": len(network.switches[world.dpid(n)].table)
            if entries is None or n != switch
            else entries,
            "foreign": 4,
            "reserved": reserved if n == switch else 9,
            "reserved_wanted": 9,
            "at": f"2026-01-01T00:00:{at:02}Z",
        }
        for n in (1, 2, 3)
    ]


def raised(network, alarm: str, **subject) -> None:
    number = len(network.events) + 1
    fields = {"id": number, "kind": "alarm", "state": "raised", "alarm": alarm, "detail": "it is said"}
    network.events.append({**fields, **subject})


def audited() -> list[set[str]]:
    """The switches of each audit that followed a sign."""
    rows = Audit.objects.filter(trigger=AuditTrigger.SIGN).order_by("id")
    return [set(audit.checks.values_list("switch", flat=True)) for audit in rows]


def pass_time(seconds: float) -> None:
    """What is remembered of signs is so much older now."""
    state = checkpoints.recall(loss_signs._STATE, {})
    for one in state.values():
        one["at"] = (loss_signs._time(one) - timedelta(seconds=seconds)).isoformat()
    checkpoints.store(loss_signs._STATE, state)


@pytest.mark.parametrize("entries", [0, 1, 3])
def test_another_number_of_entries_is_a_sign_and_is_repaired(loaded, entries):
    table = loaded.switches[world.dpid(2)].table
    before = dict(table)
    table.clear()
    count(loaded, at=2, entries=entries)
    watch.run()
    assert audited() == [{"s2"}]
    (audit,) = Audit.objects.all()
    assert (
        f"switch s2: its table has {entries} entries for events, but the switch has confirmed 2"
        in audit.reason
    )
    assert not worker.run()
    assert table == before
    assert Check.objects.get().state == CheckState.REPAIRED


def test_a_stream_of_changes_is_no_sign(loaded, monkeypatch):
    """A subscription comes and goes between two looks, and a reading fell in between."""
    now = loss_signs.time.monotonic()
    monkeypatch.setattr(loss_signs.time, "monotonic", lambda: now)  # however long the test takes
    for at in range(2, 12):
        row = world.subscribe("h3", ["001"])
        session.run()
        count(loaded, at=at)
        if at % 2:
            watch.run()
        world.withdraw(row)
        session.run()
        watch.run()
    assert audited() == []


def test_a_loss_shows_during_a_stream_of_changes(loaded, monkeypatch):
    clock = [loss_signs.time.monotonic()]
    monkeypatch.setattr(loss_signs.time, "monotonic", lambda: clock[0])
    loaded.switches[world.dpid(2)].table.clear()
    for at in range(2, 14):
        row = world.subscribe("h3", ["001"])
        session.run()
        world.withdraw(row)
        session.run()
        count(loaded, at=at, entries=0)
        clock[0] += 2
        watch.run()
        worker.run()
    assert audited()[:1] == [{"s2"}] and "changes too often" in Audit.objects.earliest("id").reason
    assert Check.objects.earliest("id").state == CheckState.REPAIRED


def test_usual_numbers_are_no_sign_during_a_stream_of_changes(loaded, monkeypatch):
    clock = [loss_signs.time.monotonic()]
    monkeypatch.setattr(loss_signs.time, "monotonic", lambda: clock[0])
    for at in range(2, 30):
        row = world.subscribe("h3", ["001"])
        session.run()
        if at % 3 == 0:
            watch.run()
        count(loaded, at=at)
        world.withdraw(row)
        session.run()
        clock[0] += 2
        watch.run()
    assert audited() == []


def test_changes_all_the_time_do_not_hide_a_later_loss(loaded, monkeypatch):
    """Redundant audits during changes do not delay the audit that follows a comparison."""
    monkeypatch.setattr(loss_signs, "UNCOUNTED", timedelta(0))
    for at in range(2, 8):
        row = world.subscribe("h3", ["001"])
        session.run()
        count(loaded, at=at)
        world.withdraw(row)
        session.run()
        watch.run()
        worker.run()
    redundant = len(audited())
    assert 0 < redundant < 6
    loaded.switches[world.dpid(2)].table.clear()
    for at in (8, 9, 10):
        count(loaded, at=at)
        watch.run()
    assert len(audited()) == redundant + 1


def test_fewer_reserved_entries_are_a_sign(loaded):
    loaded.switches[world.dpid(2)].lost = ["the entry that sends discovery probes to the controller"]
    count(loaded, at=2, reserved=8)
    watch.run()
    assert audited() == [{"s2"}] and "8 system entries, but should have 9" in Audit.objects.get().reason
    worker.run()
    assert loaded.switches[world.dpid(2)].lost == [] and Check.objects.get().state == CheckState.REPAIRED


def test_a_count_from_before_a_change_is_no_sign(loaded):
    world.subscribe("h3", ["001"])
    session.run()
    watch.run()  # the reading is still the first
    assert audited() == []
    count(loaded, at=2)
    watch.run()
    assert audited() == []
    count(loaded, at=3, entries=2)
    watch.run()
    assert audited() == [{"s2"}]


@pytest.mark.parametrize("why", ["dirty", "gone", "reconnected", "unknown"])
def test_a_switch_that_is_not_settled_is_not_compared(loaded, why):
    count(loaded, at=2, entries=0)
    if why == "dirty":
        SwitchSync.objects.update_or_create(switch="s2", defaults={"dirty": True})
    elif why == "gone":
        loaded.disconnect(world.dpid(2))
    elif why == "reconnected":
        loaded.connect(world.dpid(2))
    else:
        loaded.counters["tables"][1]["dpid"] = world.dpid(77)
    watch.run()
    assert audited() == []


def test_a_silent_link_audits_both_ends(loaded):
    raised(loaded, "link_silent", a=world.dpid(1), a_port=1, b=world.dpid(2), b_port=2)
    watch.run()
    assert audited() == [{"s1", "s2"}]


@pytest.mark.parametrize(
    ("alarm", "state", "switches"),
    [
        ("late_error", "raised", [{"s3"}]),
        ("late_error", "cleared", []),
        ("signalling_flood", "raised", []),
        ("link_silent", "raised", []),
    ],
)
def test_which_alarms_are_signs(loaded, alarm, state, switches):
    raised(loaded, alarm, state=state, dpid=world.dpid(3))
    watch.run()
    assert audited() == switches


def test_lost_events_that_a_host_reports_audit_the_trees_of_its_topics(loaded):
    values = dict.fromkeys(("published", "wanted", "delivered", "lost", "doubled", "unwanted"), 0)
    values |= {"reporter": "h3", "delay_ms": None}
    report(values, None)
    assert audited() == []
    counts = [{"subscription": "q1", "delivered": 3, "last_at": None}]
    report({**values, "lost": 2, "subscriptions": counts}, None)
    assert audited() == [{"s1", "s2", "s3"}] and "h3 reports 2 more lost events" in Audit.objects.get().reason
    report({**values, "lost": 2}, None)
    assert len(audited()) == 1


def test_a_flapping_sign_audits_ever_more_rarely(loaded):
    """The link is silent every ten seconds for ten minutes, and the tables are as they should be."""
    for _ in range(60):
        raised(loaded, "link_silent", a=world.dpid(1), a_port=1, b=world.dpid(2), b_port=2)
        loss_signs.process_reports(loaded.events[-1:], None)
        worker.run()
        pass_time(10)
    assert 5 <= len(audited()) <= 10
    assert set(Check.objects.values_list("state", flat=True)) == {CheckState.EQUAL}


def test_real_losses_are_repaired_each_time(loaded):
    table = loaded.switches[world.dpid(2)].table
    before = dict(table)
    for n in range(5):
        table.clear()
        for at in range(3 * n + 2, 3 * n + 5):
            count(loaded, at=at)
            watch.run()
        worker.run()
        assert table == before
        pass_time(loss_signs.SHORTEST.total_seconds())


def test_a_flapping_link_does_not_hide_a_loss(loaded):
    for _ in range(5):
        raised(loaded, "link_silent", a=world.dpid(1), a_port=1, b=world.dpid(2), b_port=2)
        watch.run()
        worker.run()
    loaded.switches[world.dpid(2)].table.clear()
    count(loaded, at=2)
    watch.run()
    assert audited()[-1] == {"s2"}


def test_an_audit_for_a_sign_goes_before_a_large_one(loaded):
    periodic = audits.request_periodic_audit()
    assert periodic is not None
    count(loaded, at=2, entries=0)
    watch.run()
    first = audits.under_way()
    assert first is not None and first.trigger == AuditTrigger.SIGN
    worker.run()
    assert not Audit.objects.exclude(state=AuditState.DONE).exists()


def test_a_sign_audit_does_not_hold_up_the_periodic_one(loaded):
    count(loaded, at=2, entries=0)
    watch.run()
    assert audits.request_periodic_audit() is not None


def test_an_audit_whose_turn_was_missed_is_asked_for_again(loaded, monkeypatch):
    asked = []
    monkeypatch.setattr(audits, "wake_audits", lambda: asked.append(1))
    count(loaded, at=2, entries=0)
    watch.run()
    asked.clear()
    watch.run()
    Audit.objects.update(created_at=timezone.now() - timedelta(seconds=5))
    watch.run()
    assert asked == [1]
    worker.run()
    watch.run()
    assert asked == [1]


def test_an_audit_that_finds_nothing_raises_no_alarm(loaded):
    OutboxEvent.objects.all().delete()
    raised(loaded, "late_error", dpid=world.dpid(2))
    loss_signs.process_reports(loaded.events, None)
    worker.run()
    assert Check.objects.get().state == CheckState.EQUAL
    assert not OutboxEvent.objects.filter(kind="alarm").exists()
    assert Switch.objects.get(name="s2").connected
