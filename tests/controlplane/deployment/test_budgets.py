"""TCAM budgets on a network that runs: met by merging, changed, and refused where they cannot hold."""

import pytest

from controlplane.aggregation.models import Policy
from controlplane.deployment import replay_check, session, session_cache
from controlplane.network.models import Switch
from controlplane.planning import planner_state
from controlplane.requestlog.models import OutboxEvent, Request
from tests.support.controlplane import network_world as world

CELLS = ["0000", "0010", "0100", "0110"]


def run(payload) -> Request:
    row = world.log(payload)
    session.run()
    row.refresh_from_db()
    return row


def set_budget(switch: str, budget: int | None) -> Request:
    return run({"op": "set_budget", "switch": switch, "tcam_budget": budget})


@pytest.fixture
def spread(network):
    """h1 publishes to h3, which subscribes to four regions that do not touch: four entries per switch."""
    assert run({"op": "set_aggregation", "method": "la"}).state == "active"
    world.advertise("h1", ["0"])
    for cell in CELLS:
        world.subscribe("h3", [cell])
    session.run()
    assert entries() == {"s1": 4, "s2": 4, "s3": 4}
    return network


def entries() -> dict[str, int]:
    return {name: len(rows) for name, rows in world.installed().items()}


def in_switches(controller) -> dict[str, int]:
    return {dpid[-1]: len(table) for dpid, table in controller.tables().items() if table}


def exact() -> dict[str, int]:
    return dict(Switch.objects.values_list("name", "exact_entries"))


def consistent(controller) -> bool:
    kept = {name[-1]: n for name, n in entries().items()}
    return kept == in_switches(controller) and list(replay_check.differences()) == []


@pytest.mark.parametrize("budget", [1, 2, 3])
def test_a_lower_budget_is_met_at_once_by_merging(spread, budget):
    row = set_budget("s2", budget)
    assert row.state == "active"
    assert 1 <= entries()["s2"] <= budget and entries()["s1"] == entries()["s3"] == 4
    assert exact() == {"s1": 4, "s2": 4, "s3": 4}
    assert Switch.objects.get(name="s2").tcam_budget == budget
    assert consistent(spread)


def test_unequal_budgets_at_all_switches(spread):
    for switch, budget in (("s1", 1), ("s2", 3), ("s3", 2)):
        assert set_budget(switch, budget).state == "active"
    assert all(entries()[name] <= budget for name, budget in (("s1", 1), ("s2", 3), ("s3", 2)))
    assert consistent(spread)


def test_a_budget_that_cannot_hold_fails_with_the_reason_and_changes_nothing(spread):
    before, sent = spread.tables(), spread.mods
    row = set_budget("s2", 0)
    assert row.state == "failed"
    assert row.problem["switches"] == ["s2"]
    assert "a budget of 0 entries is too small" in row.problem["detail"]
    assert Switch.objects.get(name="s2").tcam_budget is None
    assert (spread.tables(), spread.mods) == (before, sent)
    assert consistent(spread)


def test_no_entry_at_all_where_nothing_is_wanted(network):
    run({"op": "set_aggregation", "method": "la"})
    assert set_budget("s3", 0).state == "active"
    world.advertise("h1", ["0"])
    near, far = world.subscribe("h2", ["01"]), world.subscribe("h3", ["00"])
    session.run()
    near.request.refresh_from_db(), far.request.refresh_from_db()
    assert (near.request.state, far.request.state) == ("active", "failed")
    assert far.request.problem["switches"] == ["s3"]
    assert "s3" not in entries()


def test_a_request_that_overflows_a_table_is_met_by_merging_there(spread):
    set_budget("s2", 4)
    added = world.subscribe("h3", ["0011"])
    late = world.subscribe("h2", ["0111"])
    session.run()
    added.request.refresh_from_db(), late.request.refresh_from_db()
    assert (added.request.state, late.request.state) == ("active", "active")
    assert entries()["s2"] <= 4 < exact()["s2"]
    assert consistent(spread)


def test_a_budget_that_goes_up_or_away(spread):
    set_budget("s2", 1)
    for budget in (2, None):
        assert set_budget("s2", budget).state == "active"
        assert Switch.objects.get(name="s2").tcam_budget == budget
    assert consistent(spread)


def test_the_policy_is_what_the_planner_has(spread):
    assert Policy.current().method == "la"
    run({"op": "set_aggregation", "method": "none"})
    assert Policy.current().method == "none"


def test_pages_get_the_number_of_exact_entries(spread):
    messages = [event.payload for event in OutboxEvent.objects.filter(kind="exact")]
    assert {"s1": 4, "s2": 4, "s3": 4}.items() <= {
        k: v for payload in messages for k, v in payload.items()
    }.items()


def test_covers_survive_a_restart_by_snapshot_and_by_log(spread, monkeypatch):
    set_budget("s2", 2)
    before = entries()
    state = planner_state.load()
    assert planner_state.keep_snapshot(state, every=1)
    monkeypatch.setattr(session_cache, "_kept", None)
    world.subscribe("h3", ["0001"])
    session.run()
    assert entries()["s2"] <= 2 and before["s2"] <= 2
    assert consistent(spread)
