"""Budgets: a request that exceeds one is undone as a whole; changes of the network are reported."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercast.planner.planner import Planner
from tests.property_profiles import examples
from tests.support.budget_scenes import Scene, pair
from tests.support.networks import advertise, host, link, planner_for, scenes, subscribe, topology


def test_a_subscription_without_room_fails_by_name_and_changes_nothing() -> None:
    planner = planner_for(pair(1))
    planner.apply_all([advertise("a", "p", ""), subscribe("q1", "h", "00")])
    planner.take_diff()
    before = planner.snapshot(), planner.tables()
    outcome = planner.apply(subscribe("q2", "h", "01", "1"))
    assert not outcome.ok
    assert outcome.failed_switches == ("s2",)
    assert outcome.reason is not None
    assert outcome.reason.code == "budget"
    assert '"q2"' in outcome.reason.detail
    assert '"s2" (budget 1)' in outcome.reason.detail
    assert len(planner.take_diff()) == 0
    assert ({**planner.snapshot(), "applied": 2}, planner.tables()) == before
    assert planner.apply(subscribe("q2", "h", "0")).ok  # replaces the existing entry


def test_a_budget_of_zero_lets_nothing_through_and_null_everything() -> None:
    planner = planner_for(pair(0))
    planner.apply(advertise("a", "p", ""))
    assert planner.apply(subscribe("q", "h", "0")).failed_switches == ("s2",)
    assert planner.apply({"op": "set_budget", "switch": "s2", "tcam_budget": None}).ok
    assert planner.apply(subscribe("q", "h", "0")).ok


def test_an_advertisement_without_room_leaves_no_tree_and_no_number() -> None:
    planner = planner_for(pair(0))
    planner.apply(subscribe("q", "h", "0"))
    before = planner.snapshot()
    outcome = planner.apply(advertise("a", "p", ""))
    assert outcome.failed_switches == ("s2",)
    assert {**planner.snapshot(), "applied": 1} == before


def test_a_withdrawal_that_would_uncover_too_much_fails() -> None:
    planner = planner_for(pair(1))
    planner.apply_all([advertise("a", "p", ""), subscribe("wide", "h", ""), subscribe("q", "h", "00", "11")])
    before = planner.snapshot()
    assert planner.apply({"op": "unsubscribe", "id": "wide"}).failed_switches == ("s2",)
    assert {**planner.snapshot(), "applied": 3} == before


@pytest.mark.parametrize(("publisher", "subscriber"), [("h1", "h3"), ("h3", "h1")])
def test_switches_without_space_are_reported_in_order_of_their_names(publisher: str, subscriber: str) -> None:
    network = topology(
        3,
        [link("s1", 1, "s2", 1), link("s2", 2, "s3", 1)],
        [host(f"h{n}", f"s{n}", 9, n) for n in (1, 2, 3)],
    )
    for switch in network["switches"]:
        switch["tcam_budget"] = 0
    planner = planner_for(network)
    assert planner.apply(advertise("a", publisher, "")).ok
    for one in (planner, Planner.restore(planner.snapshot())):
        outcome = one.apply(subscribe("q", subscriber, "0"))
        assert outcome.failed_switches == ("s1", "s2", "s3")
        assert '"s1" (budget 0), "s2" (budget 0), "s3" (budget 0)' in str(outcome.reason)


def test_what_happens_to_the_network_is_carried_out_and_reported() -> None:
    planner = planner_for(pair(1))
    planner.apply_all([advertise("a", "p", ""), subscribe("q", "h", "00")])
    planner.apply({"op": "host_move", "host": "h", "switch": "s1", "port": 7})
    planner.apply(subscribe("q2", "h", "11"))
    outcome = planner.apply({"op": "host_move", "host": "h", "switch": "s2", "port": 7})
    assert outcome.ok
    assert outcome.failed_switches == ("s2",)
    assert planner.over_budget() == ("s2",)
    assert planner.apply(subscribe("q3", "p", "0")).ok  # adds nothing if there is no space


def test_a_budget_below_what_a_table_has_is_refused_and_changes_nothing() -> None:
    planner = planner_for(pair(None))
    planner.apply_all([advertise("a", "p", ""), subscribe("q", "h", "00")])
    before = planner.snapshot()
    outcome = planner.apply({"op": "set_budget", "switch": "s2", "tcam_budget": 0})
    assert not outcome.ok and outcome.failed_switches == ("s2",)
    assert outcome.reason is not None and outcome.reason.code == "budget"
    assert (
        "it has 1" in outcome.reason.detail
        and 'method "none" does not merge entries' in outcome.reason.detail
    )
    assert {**planner.snapshot(), "applied": 0} == {**before, "applied": 0}
    assert planner.topology.switches["s2"].tcam_budget is None
    assert planner.apply({"op": "set_budget", "switch": "s2", "tcam_budget": 1}).ok


def test_a_table_that_is_too_large_may_shrink() -> None:
    planner = planner_for(pair(None))
    planner.apply_all([advertise("a", "p", ""), *(subscribe(f"q{dz}", "h", dz) for dz in ("00", "01", "11"))])
    planner.enforce_budgets = False
    assert planner.apply({"op": "set_budget", "switch": "s2", "tcam_budget": 0}).failed_switches == ("s2",)
    planner.enforce_budgets = True
    assert planner.apply({"op": "unsubscribe", "id": "q01"}).ok
    assert planner.counts()["s2"] == 2
    assert not planner.apply(subscribe("q", "h", "011")).ok


@examples(150)
@given(scenes(most=18), st.integers(0, 3), st.sampled_from([1, 64]))
def test_failing_is_as_if_it_had_never_been_asked(scene: Scene, budget: int, max_trees: int) -> None:
    network, requests = scene
    for switch in network["switches"]:
        switch["tcam_budget"] = budget
    planner, other = planner_for(network, max_trees), planner_for(network, max_trees)
    refused: set[str] = set()
    for request in requests:
        if request["op"].startswith("un") and request["id"] in refused:
            continue
        before = planner.counts()
        outcome = planner.apply(request)
        if outcome.ok:
            other.apply(request)
        elif request["op"] in ("subscribe", "advertise"):
            refused.add(request["id"])
        # A change of the network may leave a table over its budget; no other change makes it grow there.
        counts = planner.counts().items()
        assert outcome.failed_switches or all(count <= max(budget, before[name]) for name, count in counts)
    assert {**planner.snapshot(), "applied": 0} == {**other.snapshot(), "applied": 0}
    assert planner.tables() == other.tables()
    assert planner.trees() == other.trees()


def test_a_reserve_stays_free_and_a_snapshot_knows_it() -> None:
    planner = planner_for(pair(3))
    planner.apply_all([advertise("a", "p", ""), subscribe("q1", "h", "000"), subscribe("q2", "h", "010")])
    assert planner.apply({"op": "set_reserve", "switch": "s2", "entries": 1}).ok
    planner = Planner.restore(planner.snapshot())
    assert planner.topology.switches["s2"].tcam_budget == 3
    assert planner.apply(subscribe("q3", "h", "111")).failed_switches == ("s2",)
    assert planner.apply({"op": "set_reserve", "switch": "s2", "entries": 0}).ok
    assert planner.apply(subscribe("q3", "h", "111")).ok


def test_a_reserve_that_a_full_table_has_no_room_for_is_refused_and_changes_nothing() -> None:
    planner = planner_for(pair(2))
    planner.apply_all([advertise("a", "p", ""), subscribe("q1", "h", "000"), subscribe("q2", "h", "010")])
    before = planner.snapshot()
    outcome = planner.apply({"op": "set_reserve", "switch": "s2", "entries": 1})
    assert not outcome.ok and outcome.failed_switches == ("s2",)
    assert {**planner.snapshot(), "applied": 0} == {**before, "applied": 0}


def test_a_reserve_is_made_by_merging_where_that_is_the_policy() -> None:
    planner = planner_for(pair(2))
    planner.apply_all([advertise("a", "p", ""), subscribe("q1", "h", "000"), subscribe("q2", "h", "010")])
    planner.apply({"op": "set_aggregation", "method": "la"})
    assert planner.apply({"op": "set_reserve", "switch": "s2", "entries": 1}).ok
    assert planner.counts()["s2"] == 1


def test_a_table_for_one_entry_has_nothing_to_spare() -> None:
    budgets = []
    for budget in (0, 1, 2, None):
        planner = planner_for(pair(budget))
        planner.apply({"op": "set_reserve", "switch": "s2", "entries": 1})
        budgets.append(planner.topology.switches["s2"].usable_budget)
    assert budgets == [0, 1, 1, None]


def capacity(entries: int | None) -> dict[str, object]:
    return {"op": "set_capacity", "switch": "s2", "entries": entries}


def test_a_capacity_that_was_found_is_what_counts_and_is_never_refused() -> None:
    planner = planner_for(pair(5))
    planner.apply_all([advertise("a", "p", ""), *(subscribe(f"q{dz}", "h", dz) for dz in ("00", "01", "11"))])
    assert planner.apply(capacity(2)).failed_switches == ("s2",)
    switch = planner.topology.switches["s2"]
    assert (switch.tcam_budget, switch.capacity, switch.declared) == (2, 2, 5)
    assert not planner.apply(subscribe("q", "h", "10")).ok
    assert planner.apply({"op": "unsubscribe", "id": "q01"}).ok and planner.over_budget() == ()
    assert not planner.apply(subscribe("q", "h", "10")).ok
    for one in (planner, Planner.restore(planner.snapshot())):
        assert one.topology.switches["s2"] == switch
        assert one.apply(capacity(None)).ok
        assert one.topology.switches["s2"].tcam_budget == 5 and one.topology.switches["s2"].capacity is None
        assert one.apply(subscribe("q", "h", "10")).ok


def test_a_capacity_is_met_by_merging_where_that_is_the_policy() -> None:
    planner = planner_for(pair(None))
    planner.apply({"op": "set_aggregation", "method": "la"})
    planner.apply_all([advertise("a", "p", ""), *(subscribe(f"q{dz}", "h", dz) for dz in ("00", "01", "11"))])
    planner.take_diff()
    assert planner.apply(capacity(2)).failed_switches == ()
    assert planner.counts()["s2"] <= 2
    assert planner.apply(capacity(4)).ok and planner.topology.switches["s2"].declared is None


def test_the_word_of_an_operator_makes_what_was_found_void_unless_it_is_refused() -> None:
    planner = planner_for(pair(5))
    planner.apply_all([advertise("a", "p", ""), *(subscribe(f"q{dz}", "h", dz) for dz in ("00", "01", "11"))])
    planner.apply(capacity(3))
    before = planner.topology.switches["s2"]
    assert not planner.apply({"op": "set_budget", "switch": "s2", "tcam_budget": 1}).ok
    assert planner.topology.switches["s2"] == before
    assert planner.apply({"op": "set_budget", "switch": "s2", "tcam_budget": 4}).ok
    assert planner.topology.switches["s2"].capacity is None


def test_a_capacity_above_the_budget_changes_nothing_else() -> None:
    planner = planner_for(pair(2))
    assert planner.apply(capacity(7)).ok
    assert planner.topology.switches["s2"].tcam_budget == 2
    assert not planner.apply({"op": "set_capacity", "switch": "s9", "entries": 1}).ok
    assert not planner.apply({"op": "set_capacity", "switch": "s2", "entries": -1}).ok
