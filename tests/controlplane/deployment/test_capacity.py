"""Tables that are full below their budgets: the limit is learned, reported, planned with, and forgotten."""

import pytest

from controlplane.deployment import replay_check, session, session_cache
from controlplane.deployment.watcher import watch
from controlplane.network.models import Switch
from controlplane.planning import planner_state
from controlplane.requestlog.models import OutboxEvent, Request, SwitchSync
from tests.support.controlplane import network_world as world

CELLS = ("000", "010", "100", "110", "111")
S2 = world.dpid(2)


@pytest.fixture
def budgeted(db, controller):
    """A line of three whose budgets say 50; h1 publishes everything."""
    world.line(3, budget=50)
    world.advertise("h1", [""])
    watch.run()
    session.run()
    return controller


def later() -> None:
    """The pauses are over, as often as it takes."""
    for _ in range(4):
        SwitchSync.objects.update(retry_at=None)
        session.run()


def state(row) -> str:
    row.refresh_from_db()
    return row.state


def alarms() -> list[str]:
    rows = OutboxEvent.objects.filter(kind="alarm").order_by("id")
    return [payload["text"] for payload in rows.values_list("payload", flat=True)]


def capacities() -> list:
    return [row.payload["entries"] for row in Request.objects.filter(kind="set_capacity").order_by("id")]


def all_is_one(controller) -> None:
    """The stored tables, the tables that result from the log, and those of the switches."""
    assert list(replay_check.differences()) == []
    assert not SwitchSync.objects.filter(dirty=True).exists()
    assert not Request.objects.exclude(state__in=("active", "failed")).exists()
    for switch in Switch.objects.all():
        kept = {row[:3] for row in world.installed().get(switch.name, [])}
        assert kept == set(controller.switches[switch.dpid].table), switch.name


def test_without_a_policy_the_request_fails_with_the_reason(budgeted):
    switch = budgeted.switches[S2]
    switch.limit = 3
    rows = [world.subscribe("h3", [cell]) for cell in CELLS[:3]]
    session.run()
    assert {state(row) for row in rows} == {"active"}
    late = [world.subscribe("h3", [cell]) for cell in CELLS[3:]]
    session.run()
    later()
    assert capacities() == [3]
    assert [state(row) for row in rows] == ["active"] * 3
    assert [state(row) for row in late] == ["failed"] * 2
    for row in late:
        request = row.request
        request.refresh_from_db()
        assert request.state == "failed"
        assert "switch s2 has a capacity of 3 entries" in request.problem["detail"]
        assert 'the aggregation method "none" does not merge' in request.problem["detail"]
    assert len(switch.table) == switch.peak == 3
    reports = [text for text in alarms() if "is full with 3 entries" in text]
    assert len(reports) == 1 and "the planner now limits its table to 3 entries" in reports[0]
    assert Switch.objects.get(name="s2").capacity == 3
    all_is_one(budgeted)
    sent = budgeted.mods
    later()
    assert budgeted.mods == sent  # the limit is not tested again
    refused = world.subscribe("h3", ["011"])  # the planner knows by now
    session.run()
    assert state(refused) == "failed" and budgeted.mods == sent


def test_where_merging_is_the_policy_the_plan_is_aggregated(budgeted):
    world.log({"op": "set_aggregation", "method": "la"})
    budgeted.switches[S2].limit = 3
    rows = [world.subscribe("h3", [cell]) for cell in CELLS]
    session.run()
    later()
    assert capacities()[0] == 3
    assert [state(row) for row in rows] == ["active"] * 5
    assert len(budgeted.switches[S2].table) <= 3
    all_is_one(budgeted)


def test_a_table_without_any_room_fails_what_needs_it(budgeted):
    budgeted.switches[S2].limit = 0
    far, near = world.subscribe("h3", ["0"]), world.subscribe("h1", ["0"])
    session.run()
    later()
    assert (state(far), state(near)) == ("failed", "active")
    assert capacities() == [0]
    all_is_one(budgeted)


def test_a_learned_limit_is_discarded_when_the_switch_reconnects(budgeted):
    """It said that it was full, with one entry of fifty, and had another reason."""
    switch = budgeted.switches[S2]
    first = world.subscribe("h3", ["00"])
    session.run()
    switch.refuses, switch.refusal = {"ff0e:4:8000::/33"}, ("flow_mod_failed", "table_full")
    second = world.subscribe("h3", ["1"])
    session.run()
    later()
    assert (state(first), state(second)) == ("active", "failed")
    assert capacities() == [1]
    switch = budgeted.connect(S2)
    switch.refuses = set()
    watch.run()
    session.run()
    assert capacities() == [1, None]
    assert Switch.objects.get(name="s2").capacity is None
    third = world.subscribe("h3", ["1"])
    session.run()
    assert state(third) == "active"
    all_is_one(budgeted)


def test_it_is_not_forgotten_while_the_connection_stays(budgeted):
    budgeted.switches[S2].limit = 1
    for cell in CELLS[:2]:
        world.subscribe("h3", [cell])
        session.run()
        later()
    SwitchSync.objects.update_or_create(switch="s2", defaults={"dirty": True})
    later()
    assert capacities() == [1]


def test_the_budget_of_an_operator_makes_it_void(budgeted):
    switch = budgeted.switches[S2]
    switch.limit = 1
    for cell in CELLS[:2]:
        world.subscribe("h3", [cell])
    session.run()
    later()
    assert Switch.objects.get(name="s2").limit == 1
    switch.limit = None
    world.log({"op": "set_budget", "switch": "s2", "tcam_budget": 40})
    again = world.subscribe("h3", ["1"])
    session.run()
    assert state(again) == "active"
    row = Switch.objects.get(name="s2")
    assert (row.capacity, row.tcam_budget, row.limit) == (None, 40, 40)
    all_is_one(budgeted)


def test_a_reported_capacity_is_planned_with_from_the_start(budgeted):
    switch = budgeted.connect(S2)
    switch.features = {"capacity": 5}  # three of them are reserved
    watch.run()
    session.run()
    assert capacities() == [2]
    assert any("reports a capacity of 2 entries, and has a budget of 50" in text for text in alarms())
    rows = [world.subscribe("h3", [cell]) for cell in CELLS[:3]]
    session.run()
    assert [state(row) for row in rows] == ["active", "active", "failed"]
    assert switch.peak == 2
    more = budgeted.connect(S2)
    more.features = {"capacity": 1_000_000}
    watch.run()
    session.run()
    assert capacities() == [2, None]
    all_is_one(budgeted)


def test_what_is_taken_back_may_be_an_advertisement(budgeted):
    world.subscribe("h1", [""])
    session.run()
    budgeted.switches[S2].limit = 0
    late = world.advertise("h3", ["11"])
    session.run()
    later()
    assert state(late) == "failed"
    all_is_one(budgeted)


def test_a_snapshot_and_the_log_lead_to_the_same_after_something_was_taken_back(budgeted, monkeypatch):
    budgeted.switches[S2].limit = 1
    for cell in CELLS[:3]:
        world.subscribe("h3", [cell])
    session.run()
    later()
    planner_state.keep_snapshot(planner_state.load(), every=1)
    monkeypatch.setattr(session_cache, "_kept", None)
    world.subscribe("h1", ["0"])
    session.run()
    all_is_one(budgeted)
