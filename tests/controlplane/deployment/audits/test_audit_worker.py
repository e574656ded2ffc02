"""Audits name each difference before the repair; a switch without an answer is unreachable, not empty."""

import pytest
from django.core.management import CommandError, call_command

from controlplane.deployment import session
from controlplane.deployment.audits import audits, worker
from controlplane.deployment.audits.models import Audit, AuditState, Check, Drift
from controlplane.deployment.watcher import watch
from controlplane.requestlog.models import OutboxEvent, SwitchSync
from tests.support.controlplane import network_world as world
from tests.support.controlplane.worker_processes import kill_at

A, B, C = ("ff0e:4:4000::/34", None, 20), ("ff0e:4::/34", None, 20), ("ff0e:4:8000::/33", None, 19)


def prepared(network):
    """s2 has the entries A and B."""
    world.advertise("h1", [""])
    world.subscribe("h3", ["01"])
    world.subscribe("h2", ["00"])
    watch.run()
    session.run()
    assert set(network.switches[world.dpid(2)].table) == {A, B}
    network.changes.clear()
    OutboxEvent.objects.all().delete()
    return network


@pytest.fixture
def busy(network):
    return prepared(network)


def audit(*names, repair=True) -> Audit:
    asked = audits.request_audit(names or None, repair, None)
    assert not worker.run(seconds=60)
    asked.refresh_from_db()
    return asked


def checks(asked) -> dict[str, str]:
    return dict(asked.checks.values_list("switch", "state"))


def drift(asked) -> set:
    rows = Drift.objects.filter(check_of__audit=asked)
    return {(row.check_of.switch, row.kind, row.dst, row.priority) for row in rows.select_related("check_of")}


def alarms() -> list[str]:
    rows = OutboxEvent.objects.filter(kind="alarm").order_by("id")
    return [payload["text"] for payload in rows.values_list("payload", flat=True)]


def meddle(network) -> dict:
    """One entry vanishes, one changes, two are not in the plan; return the planned table."""
    table = network.switches[world.dpid(2)].table
    planned = dict(table)
    del table[A]
    table[B] = [{"output": 8}]
    table[C] = [{"output": 1}]
    table[A[0], None, 77] = [{"output": 1}]
    return planned


def test_nothing_to_repair_means_no_flow_mod(busy):
    before = busy.mods
    asked = audit()
    assert checks(asked) == {"s1": "equal", "s2": "equal", "s3": "equal"}
    assert (asked.state, busy.mods, busy.changes, alarms()) == (AuditState.DONE, before, [], [])
    assert asked.checks.get(switch="s2").entries == 2


def test_drift_is_reported_by_name_before_the_smallest_repair(busy, monkeypatch):
    planned = meddle(busy)
    known = []

    def reported_before():
        known.append((Drift.objects.count(), alarms(), set(Check.objects.values_list("state", flat=True))))

    real = worker.reconcile.run

    def run(cache, northbound):
        reported_before()
        return real(cache, northbound)

    monkeypatch.setattr(worker.reconcile, "run", run)
    asked = audit()
    assert [count for count, _, _ in known] == [4]
    (text,) = known[0][1]
    assert "switch s2 differs" in text and A[0] in text and "drifted" in known[0][2]
    assert drift(asked) == {
        ("s2", "missing", A[0], 20),
        ("s2", "different", B[0], 20),
        ("s2", "strange", C[0], 19),
        ("s2", "strange", A[0], 77),
    }
    different = Drift.objects.get(kind="different")
    assert different.found == [{"output": 8}]
    assert different.expected == [{"set_dst": "h2"}, {"output": 3}]
    assert checks(asked) == {"s1": "equal", "s2": "repaired", "s3": "equal"}
    assert busy.switches[world.dpid(2)].table == planned
    (change,) = busy.changes
    (part,) = change["switches"]
    sent = {kind: [row["dst"] for row in part[kind]] for kind in ("add", "modify", "remove")}
    assert sent == {"add": [A[0]], "modify": [B[0]], "remove": [C[0], A[0]]}
    assert alarms()[-1].endswith("switch s2 equals the plan again")
    events = OutboxEvent.objects.filter(kind="audit").order_by("id").values_list("payload", flat=True)
    assert [event["state"] for event in events] == ["drifted", "repaired", "done"]
    assert (events[0]["missing"], events[0]["strange"], events[0]["different"]) == (1, 2, 1)
    before = busy.mods
    assert set(checks(audit()).values()) == {"equal"}
    assert busy.mods == before


def test_a_dry_run_shows_the_result_and_changes_nothing(busy):
    meddle(busy)
    table = dict(busy.switches[world.dpid(2)].table)
    asked = audit(repair=False)
    assert checks(asked)["s2"] == "drifted" and len(drift(asked)) == 4
    assert busy.switches[world.dpid(2)].table == table and busy.changes == []
    assert not SwitchSync.objects.filter(dirty=True).exists()
    assert alarms()[-1].endswith("this audit only reports")


def test_actions_that_cannot_be_said_are_different_and_foreign_entries_stay(busy):
    switch = busy.switches[world.dpid(2)]
    planned = dict(switch.table)
    switch.table[A], switch.foreign = None, 5
    asked = audit()
    row = Drift.objects.get(check_of__audit=asked)
    assert (row.kind, row.found, row.dst) == ("different", None, A[0])
    assert asked.checks.get(switch="s2").foreign == 5
    assert switch.table == planned and switch.foreign == 5


def test_reserved_and_unreadable_entries_are_repaired_by_the_controller(busy):
    switch = busy.switches[world.dpid(2)]
    switch.lost = ["the drop entry for ff0e::/16"]
    switch.unreadable = [{"table": 7, "priority": 18, "match": "0001"}]
    asked = audit()
    differences = {(row.kind, row.what) for row in Drift.objects.filter(check_of__audit=asked)}
    assert differences == {
        ("missing", "the drop entry for ff0e::/16"),
        ("strange", "an entry of table 7 at priority 18 with match 0001"),
    }
    assert checks(asked)["s2"] == "repaired" and not switch.lost and not switch.unreadable
    switch.lost, switch.stubborn = ["the entry that sends discovery probes to the controller"], True
    check = audit("s2").checks.get()
    assert (check.state, check.detail) == (
        "unrepaired",
        "the entry that sends discovery probes to the controller: refused",
    )


def test_a_switch_that_is_away_or_goes_in_the_middle_is_unreachable(busy):
    held = dict(busy.switches[world.dpid(2)].table)
    busy.disconnect(world.dpid(1))

    def go(dpid):
        if dpid == world.dpid(2):
            busy.disconnect(dpid)

    busy.before_read = go
    asked = audit()
    assert checks(asked) == {"s1": "unreachable", "s2": "unreachable", "s3": "equal"}
    assert not drift(asked) and busy.changes == []
    assert world.installed()["s2"] and busy.switches[world.dpid(2)].table == held


def test_a_switch_that_reconnects_in_the_middle_is_not_called_empty(busy):
    """The switch returns without entries: the audit reports it as unsettled, reconciliation repairs it."""
    busy.before_read = lambda dpid: busy.connect(dpid, keep=False) if dpid == world.dpid(2) else None
    asked = audit("s2")
    assert checks(asked) == {"s2": "unsettled"} and not drift(asked)
    busy.before_read = lambda dpid: None
    watch.run()
    session.run()
    assert set(busy.switches[world.dpid(2)].table) == {A, B}
    assert checks(audit("s2")) == {"s2": "equal"}


def test_without_a_controller_every_switch_is_unreachable(busy, settings):
    settings.NORTHBOUND_URL = "http://127.0.0.1:9"
    asked = audit()
    assert set(checks(asked).values()) == {"unreachable"} and not drift(asked)


def test_a_switch_with_changes_under_way_is_unsettled_and_no_drift(busy):
    busy.switches[world.dpid(2)].refuses = {"ff0e:4:8000::/33"}
    world.subscribe("h3", ["1"])
    session.run()
    assert SwitchSync.objects.get(switch="s2").dirty
    check = audit("s2").checks.get()
    assert check.state == "unsettled" and "refused the entry for ff0e:4:8000::/33" in check.detail


def test_what_cannot_be_repaired_is_reported_with_the_reason(busy):
    meddle(busy)
    busy.switches[world.dpid(2)].refuses = {A[0]}
    check = audit("s2").checks.get()
    assert check.state == "unrepaired" and "refused the entry" in check.detail
    assert SwitchSync.objects.get(switch="s2").dirty  # it is tried again


def test_requests_go_on_between_two_switches(busy):
    audits.request_audit(None, True, None)
    subscription = world.subscribe("h3", ["1"])
    assert worker.run(seconds=0)  # one switch, then time is up
    session.run()
    subscription.refresh_from_db()
    assert subscription.state == "active"
    assert not worker.run(seconds=60)
    assert set(Check.objects.values_list("state", flat=True)) == {"equal"}


def test_a_session_elsewhere_is_waited_for(busy, monkeypatch):
    asked = audits.request_audit(None, True, None)
    with worker.planner_lock() as held:
        assert held is not None
        assert not worker.run()
    asked.refresh_from_db()
    assert asked.state == AuditState.QUEUED
    assert not worker.run(seconds=60) and audits.is_over(asked.pk)


@pytest.mark.parametrize("step", ["audit:reported", "audit:repaired"])
def test_a_worker_that_is_killed_leaves_an_audit_that_goes_on(transactional_db, controller, step):
    world.line(3)
    session.run()
    busy = prepared(controller)
    planned = meddle(busy)
    asked = audits.request_audit(None, True, None)
    kill_at(step, worker.run)
    assert len(drift(asked)) == 4
    session.run()
    assert not worker.run(seconds=60)
    assert checks(asked) == {"s1": "equal", "s2": "repaired", "s3": "equal"}
    assert len(drift(asked)) == 4 and busy.switches[world.dpid(2)].table == planned


def test_by_period_there_is_one_at_a_time(busy):
    assert audits.request_periodic_audit() is not None
    assert audits.request_periodic_audit() is None
    assert not worker.run(seconds=60)
    assert audits.request_periodic_audit() is not None


def test_old_audits_go_and_those_that_found_something_stay_longer(busy, monkeypatch):
    monkeypatch.setattr(audits, "KEPT_QUIET", 2)
    monkeypatch.setattr(audits, "KEPT", 4)
    meddle(busy)
    first = audit("s2")
    for _ in range(3):
        audit("s2")
    assert Audit.objects.count() == 3 and Audit.objects.filter(pk=first.pk).exists()
    for _ in range(4):
        meddle(busy)
        audit("s2")
    assert Audit.objects.count() == 4 and not Audit.objects.filter(pk=first.pk).exists()
    monkeypatch.setattr(audits, "KEPT_DRIFT", 6)
    audits.prune()
    assert Drift.objects.count() <= 6 and Audit.objects.exists()


def test_so_many_rows_of_one_switch_and_the_counts_of_all(busy, monkeypatch):
    monkeypatch.setattr(worker, "MAX_STORED", 2)
    meddle(busy)
    check = audit("s2").checks.get()
    assert (check.missing, check.strange, check.different) == (1, 2, 1)
    assert check.drifts.count() == 2


def test_an_operator_asks_on_the_command_line(busy, capsys):
    planned = meddle(busy)
    with pytest.raises(CommandError) as raised:
        call_command("audit", "--dry-run")
    assert raised.value.returncode == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if not line.startswith(" ")] == ["s1: equal", "s2: drifted", "s3: equal"]
    assert f"  missing: {A[0]} at priority 20, expected [{{'output': 1}}]" in lines
    call_command("audit", "s2")
    assert capsys.readouterr().out.splitlines()[0] == "s2: repaired"
    assert busy.switches[world.dpid(2)].table == planned
    with pytest.raises(CommandError, match="s7"):
        call_command("audit", "s7")


def test_a_switch_that_was_removed_meanwhile_ends_its_check(busy):
    asked = audits.request_audit(["s1"], True, None)
    Check.objects.update(switch="s0")
    assert not worker.run(seconds=60)
    assert checks(asked) == {"s0": "unreachable"}
