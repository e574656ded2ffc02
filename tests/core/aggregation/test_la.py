"""LA: the pair lowest in the tree, budgets of all sizes, and budgets that change on a live network."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercast.eventspace.dz import text
from tercast.planner.planner import Planner
from tests.property_profiles import examples
from tests.support.aggregation_oracle import installed_as_defined
from tests.support.judge import Judge, World
from tests.support.networks import (
    DEPTH,
    TOPICS,
    advertise,
    cells,
    flows,
    host,
    link,
    planner_for,
    subscribe,
    topology,
)


def pair(budget: int | None, first: int | None = None) -> Planner:
    """A publisher of everything at s1, whose budget is `first`, and three hosts at s2; LA frees entries."""
    hosts = [host("p", "s1", 9, 1), *(host(f"h{n}", "s2", 8 + n, 1 + n) for n in (1, 2, 3))]
    network = topology(2, [link("s1", 1, "s2", 1)], hosts)
    network["switches"][0]["tcam_budget"], network["switches"][1]["tcam_budget"] = first, budget
    planner = planner_for(network)
    planner.apply_all([{"op": "set_aggregation", "method": "la"}, advertise("a", "p", "")])
    return planner


def covers_at(planner: Planner, switch: str) -> set[str]:
    found = planner.budget_enforcer.covers().get(switch, {}).get("a")
    assert found is None or all(not cover.kept for cover in found.plain)
    return set() if found is None else {text(cover.dz) for cover in found.plain}


def dz_of(planner: Planner, switch: str) -> set[str]:
    """The cells of the entries that are installed."""
    found = (planner.address.parse_match(entry.dst) for entry in planner.table(switch))
    return {text(dz) for _, dz in found}


def exact_at(planner: Planner, switch: str) -> set[str]:
    found = planner.exact_tables().get(switch, ())
    return {text(planner.address.parse_match(entry.dst)[1]) for entry in found}


def common(a: str, b: str) -> str:
    return next(a[:n] for n in range(len(a), -1, -1) if b.startswith(a[:n]))


def lowest_pairs(exact: set[str], covers: set[str], budget: int) -> set[str]:
    """The covers that merging the lowest pair again and again leads to."""
    covers = {top for top in covers if sum(entry.startswith(top) for entry in exact) > 1}
    while True:
        bare = {entry for entry in exact if not any(entry.startswith(top) for top in covers)}
        installed = bare | covers
        points = [common(*both) for both in combinations(sorted(installed), 2)]
        if len(installed) <= budget or not points:
            return covers
        point = min(points, key=lambda found: (-len(found), found))
        covers = {top for top in covers if not top.startswith(point)} | {point}


requests = st.lists(
    st.tuples(st.sampled_from(["h1", "h2", "h3"]), st.lists(cells, min_size=1, max_size=4)),
    min_size=1,
    max_size=14,
)


@examples(200)
@given(requests, st.integers(1, 5), st.data())
def test_the_lowest_pair_is_merged_until_the_budget_holds(
    wanted: list[tuple[str, list[str]]], budget: int, data: st.DataObject
) -> None:
    planner = pair(budget)
    covers: set[str] = set()
    live: list[str] = []
    for number, (name, dz) in enumerate(wanted):
        if live and data.draw(st.integers(0, 3)) == 0:
            request: dict[str, Any] = {"op": "unsubscribe", "id": live.pop()}
        else:
            live.append(f"q{number}")
            request = subscribe(f"q{number}", name, *dz)
        assert planner.apply(request).ok
        covers = lowest_pairs(exact_at(planner, "s2"), covers, budget)
        assert covers_at(planner, "s2") == covers
        assert len(planner.table("s2")) <= budget
        assert not planner.budget_enforcer.overlays.get("s1")


def test_a_lowered_budget_is_met_at_once_and_a_raised_one_changes_nothing() -> None:
    planner = pair(None)
    planner.apply_all(subscribe(f"q{dz}", "h1", dz) for dz in ("0000", "0011", "0101", "1000", "1111"))
    planner.take_diff()
    tables = planner.tables()
    assert planner.apply(budget(3)).ok
    assert dz_of(planner, "s2") == {"0", "1000", "1111"}
    diff = planner.take_diff()
    assert [one.switch for one in diff] == ["s2"]
    assert diff.apply(tables) == planner.tables()
    for more in (4, 32, None):
        assert planner.apply(budget(more)).ok
        assert dz_of(planner, "s2") == {"0", "1000", "1111"}
    assert len(planner.take_diff()) == 0
    assert planner.counts() == {"s1": 5, "s2": 3}
    assert planner.exact_counts() == {"s1": 5, "s2": 5}
    planner.apply_all({"op": "unsubscribe", "id": name} for name in ("q0000", "q0011"))
    assert dz_of(planner, "s2") == {"0101", "1000", "1111"}  # the merge at 0 has nothing left to save


def budget(number: int | None, switch: str = "s2") -> dict[str, Any]:
    return {"op": "set_budget", "switch": switch, "tcam_budget": number}


def test_a_budget_that_no_merge_holds_is_refused_with_the_reason() -> None:
    planner = pair(None)
    planner.apply_all(subscribe(f"q{dz}", "h1", dz) for dz in ("00", "01", "11"))
    planner.apply(budget(2))
    planner.take_diff()
    before = {**planner.snapshot(), "applied": 0}, planner.tables()
    outcome = planner.apply(budget(0))
    assert (outcome.ok, outcome.failed_switches) == (False, ("s2",))
    assert outcome.reason is not None
    assert (outcome.reason.code, outcome.reason.path) == ("budget", ("tcam_budget",))
    assert 'is too small for "s2": it needs at least 1 entry with merging' in outcome.reason.detail
    assert ({**planner.snapshot(), "applied": 0}, planner.tables()) == before
    assert len(planner.take_diff()) == 0
    assert planner.topology.switches["s2"].tcam_budget == 2


def test_a_budget_of_zero_with_a_subscriber_behind_it_fails_by_name() -> None:
    planner = pair(0)
    outcome = planner.apply(subscribe("q", "h1", "0"))
    assert outcome.failed_switches == ("s2",)
    assert outcome.reason is not None and '"q" needs more entries' in outcome.reason.detail
    assert planner.tables() == {}
    assert planner.apply(subscribe("own", "p", "0")).ok  # s2 has no part in it


@pytest.mark.parametrize(("first", "second"), [(1, 1), (1, 32), (32, 1), (2, 5)])
def test_unequal_budgets_hold_together(first: int, second: int) -> None:
    planner = pair(second, first)
    world = World.of("ipv6", 16, DEPTH, planner.topology.to_json(), TOPICS)
    world.follow(advertise("a", "p", ""), [""])
    for number in range(16):
        request = subscribe(f"q{number}", f"h{number % 3 + 1}", f"{number:04b}")
        assert planner.apply(request).ok
        world.follow(request, request["dz"])
    assert planner.counts() == {"s1": min(first, 16), "s2": min(second, 16)}
    problems = Judge(world, flows(planner)).problems(tight=False)
    assert all("wanted 0" in problem and "got 1 copies" in problem for problem in problems)
    assert planner.exact_counts() == {"s1": 16, "s2": 16}


def triangle(budget: int | None) -> Planner:
    """At s1 the tree of p1, who has half of the space and more, uses both links, that of p3 only one."""
    links = [link("s1", 1, "s2", 1), link("s1", 2, "s3", 1), link("s2", 2, "s3", 2)]
    hosts = [host("p1", "s1", 9, 1), host("p3", "s3", 9, 2), host("h2", "s2", 8, 3)]
    network = topology(3, links, hosts)
    network["switches"][0]["tcam_budget"] = budget
    planner = planner_for(network)
    planner.apply_all([{"op": "set_aggregation", "method": "la"}, advertise("a1", "p1", "0", "10")])
    planner.apply_all([subscribe("q1", "h2", "00"), subscribe("q2", "h2", "10")])
    return planner


def test_a_tree_that_reaches_into_a_merge_cuts_it() -> None:
    """An entry that sends over a link may not say anything in the space of a tree that has no such link."""
    planner = triangle(1)
    assert dz_of(planner, "s1") == {""}
    planner.apply(budget(2, "s1"))
    assert dz_of(planner, "s1") == {""}
    assert planner.apply(advertise("a3", "p3", "11")).ok
    assert dz_of(planner, "s1") == {"00", "10"}
    assert not installed_as_defined(planner)


def test_a_tree_that_would_have_a_merge_cut_is_refused_where_the_parts_have_no_room() -> None:
    planner = triangle(1)
    planner.take_diff()
    before = {**planner.snapshot(), "applied": 0}, planner.tables(), planner.trees()
    outcome = planner.apply(advertise("a3", "p3", "11"))
    assert (outcome.ok, outcome.failed_switches) == (False, ("s1",))
    assert outcome.reason is not None
    assert outcome.reason.detail.endswith(': "s1" (budget 1; it needs at least 2 entries with merging)')
    assert ({**planner.snapshot(), "applied": 0}, planner.tables(), planner.trees()) == before
    assert len(planner.take_diff()) == 0


def test_what_was_forbidden_is_merged_once_what_forbade_it_is_gone() -> None:
    planner = triangle(None)
    planner.apply(advertise("a3", "p3", "11"))
    assert planner.apply(budget(1, "s1")).failed_switches == ("s1",)
    assert planner.apply({"op": "unadvertise", "id": "a3"}).ok
    assert planner.apply(budget(1, "s1")).ok
    assert dz_of(planner, "s1") == {""}


def test_a_link_that_leaves_a_tree_cuts_merges_over_it_where_nothing_else_changes() -> None:
    """Both trees go from s1 to s2, until that of p3 goes another way; what s1 is asked for stays."""
    links = [
        link("s1", 1, "s2", 1, 3),
        link("s1", 2, "s3", 1),
        link("s2", 2, "s3", 2),
        link("s1", 3, "s4", 1),
        link("s3", 3, "s4", 2),
    ]
    hosts = [host("p1", "s1", 9, 1), host("p3", "s3", 9, 2), host("h2", "s2", 8, 3)]
    network = topology(4, links, hosts)
    network["switches"][0]["tcam_budget"] = 1
    planner = planner_for(network)
    planner.apply_all([{"op": "set_aggregation", "method": "la"}, _link("down", "s2", 2)])
    planner.apply_all([advertise("a1", "p1", "0", "10"), advertise("a3", "p3", "11")])
    planner.apply_all([subscribe("q1", "h2", "00"), subscribe("q2", "h2", "10")])
    exact = planner.exact_tables()["s1"]
    assert dz_of(planner, "s1") == {""}
    planner.apply_all([budget(2, "s1"), _link("up", "s2", 2)])
    assert dz_of(planner, "s1") == {""}
    assert planner.apply(_link("down", "s1", 2)).ok
    assert planner.exact_tables()["s1"] == exact
    assert dz_of(planner, "s1") == {"00", "10"}
    assert not installed_as_defined(planner)


def _link(way: str, switch: str, port: int) -> dict[str, Any]:
    return {"op": f"link_{way}", "switch": switch, "port": port}


def test_where_trees_are_nested_the_space_of_the_other_tree_is_kept() -> None:
    planner = triangle(None)
    planner.apply_all({"op": "unadvertise", "id": name} for name in ("a1",))
    planner.apply_all([advertise("a1", "p1", "00", "010", "0111"), advertise("a3", "p3", "0110")])
    planner.apply_all(subscribe(f"q{dz}", "h2", dz) for dz in ("0100", "0111"))
    assert exact_at(planner, "s1") == {"00", "0100", "0111"}
    assert planner.apply(budget(2, "s1")).ok
    (cover,) = planner.budget_enforcer.covers()["s1"]["a"].plain
    assert (text(cover.dz), [text(dz) for dz in cover.kept]) == ("0", ["0110"])
    assert [entry.actions for entry in planner.table("s1") if entry.dst == "ff0e:4:6000::/36"] == [()]
    assert not installed_as_defined(planner)
    assert planner.apply(budget(1, "s1")).failed_switches == ("s1",)


def test_covers_of_a_topic_with_a_new_encoding_are_discarded() -> None:
    planner = pair(2)
    ready = [
        {"op": "subscribe", "id": f"f{low}", "host": "h2", "topic": "b", "filter": f"x in [{low}, {low}]"}
        for low in (1, 4, 11)
    ]
    planner.apply({"op": "advertise", "id": "b", "host": "p", "topic": "b", "filter": "true"})
    planner.apply_all(ready)
    assert planner.budget_enforcer.covers()["s2"]["b"].plain
    assert planner.apply(budget(None)).ok
    assert planner.apply({"op": "set_indexed", "topic": "b", "indexed": ["x"]}).ok
    assert planner.budget_enforcer.covers() == {}
    assert planner.tables() == planner.exact_tables()


def aggregated(covers: dict[str, Any]) -> dict[str, Any]:
    return {"op": "aggregate", "method": "optimal", "covers": covers}


def test_results_of_aggregation_take_the_place_of_what_la_did() -> None:
    planner = pair(3)
    planner.apply_all(subscribe(f"q{dz}", "h1", dz) for dz in ("0000", "0011", "0101", "1000", "1111"))
    assert dz_of(planner, "s2") == {"0", "1000", "1111"}
    wanted = {"s2": {"a": {"plain": [{"dz": "", "kept": ["0101", "1111"]}]}}}
    assert planner.apply(aggregated(wanted)).ok
    assert dz_of(planner, "s2") == {"", "0101", "1111"}
    assert planner.apply(aggregated({"s1": {}})).ok  # names another switch
    assert dz_of(planner, "s2") == {"", "0101", "1111"}
    assert planner.apply(aggregated({"s2": {}})).ok  # exact does not fit: LA, after it
    assert dz_of(planner, "s2") == {"0", "1000", "1111"}
    planner.apply({"op": "set_aggregation", "method": "none"})
    before = {**planner.snapshot(), "applied": 0}
    outcome = planner.apply(aggregated({"s2": {}}))
    assert (outcome.ok, outcome.failed_switches) == (False, ("s2",))
    assert {**planner.snapshot(), "applied": 0} == before
    planner.apply(budget(None))
    assert planner.apply(aggregated({"s2": {}})).ok
    assert planner.tables() == planner.exact_tables()


def test_what_a_method_chose_is_kept_and_new_entries_stay_apart_from_it() -> None:
    """A new subscription in a wide cover does not get all that it holds; then the lowest pair is merged."""
    planner = pair(4)
    planner.apply_all(subscribe(f"q{dz}", "h1", dz) for dz in ("0000", "0011", "0101", "1000", "1111"))
    wanted = {"s2": {"a": {"plain": [{"dz": "", "kept": ["0101", "1111"]}]}}}
    assert planner.apply(aggregated(wanted)).ok
    assert planner.apply(subscribe("r1", "h2", "0110")).ok
    assert dz_of(planner, "s2") == {"", "0101", "0110", "1111"}
    assert planner.apply(subscribe("r2", "h2", "0111")).ok
    assert dz_of(planner, "s2") == {"", "0101", "011", "1111"}
    to_h2 = [entry for entry in planner.table("s2") if any("h2" in str(action) for action in entry.actions)]
    assert len(to_h2) == 1
    assert not installed_as_defined(planner)


@pytest.mark.parametrize(
    ("covers", "where", "code"),
    [
        ({"s9": {}}, "covers.s9", "unknown_switch"),
        ({"s2": {"c": {}}}, "covers.s2.c", "unknown_topic"),
        ({"s2": {"a": {"plain": [{"dz": "00000", "kept": []}]}}}, "covers.s2.a", "dz_too_long"),
        ({"s2": {"a": {"plain": [{"dz": "0", "kept": ["1"]}]}}}, "covers.s2.a.plain[0].kept[0]", "not_below"),
        ({"s2": []}, "covers.s2", "wrong_type"),
    ],
)
def test_results_that_cannot_be_are_refused_by_name(covers: Any, where: str, code: str) -> None:
    planner = pair(3)
    reason = planner.apply(aggregated(covers)).reason
    assert reason is not None
    assert (str(reason).split(": ")[0], reason.code) == (where, code)


@pytest.mark.parametrize("method", ["best", "", None, 3])
def test_methods_are_refused_by_name(method: Any) -> None:
    planner = pair(3)
    for request in ({"op": "set_aggregation", "method": method}, {**aggregated({}), "method": method}):
        reason = planner.apply(request).reason
        assert reason is not None and reason.path == ("method",)


@pytest.mark.parametrize("number", [-1, 1.5, "3", True])
def test_budgets_are_integers_from_0_on(number: Any) -> None:
    planner = pair(3)
    reason = planner.apply(budget(number)).reason
    assert reason is not None and reason.path == ("tcam_budget",)
