"""What-if, curves and attribution, compared with installed tables and walked packets."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tercast.errors import Refused
from tercast.eventspace.dz import covers, text
from tercast.optimizer.evaluation.attribution import Attribution, attribute
from tercast.optimizer.evaluation.cover_evaluation import judge_covers, savings
from tercast.optimizer.pipeline import METHODS, aggregate
from tercast.optimizer.traffic.traffic_reader import read_traffic
from tercast.optimizer.what_if import curve, spread_budgets, what_if
from tercast.planner.planner import Planner
from tests.property_profiles import examples
from tests.support.judge import Judge, Walk, World
from tests.support.method_scenes import planner_with_requests, some_budgets, some_traffic
from tests.support.networks import flows

seeds = st.integers(0, 100_000)


def walks(planner: Planner, world: World, events: list[dict[str, Any]]) -> list[Walk]:
    judge, found = Judge(world, flows(planner)), []
    for event in events:
        host, topic, _ = world.ads[event["publisher"]]
        place = world.place(host)
        if place is not None:
            point = format(event["values"]["x"], f"0{world.depth}b")
            found.append(judge.walk(place, world.address(topic, point)))
    return found


def sums(found: list[Walk]) -> tuple[Counter[str], int]:
    """Copies that each switch sends, and all deliveries."""
    copies: Counter[str] = Counter()
    for walk in found:
        for (switch, _), count in walk.crossed.items():
            copies[switch] += count
    return copies, sum(walk.delivered.total() for walk in found)


@given(seeds, st.sampled_from(METHODS))
@example(42, "fa-pb")  # an entry for a port matches what would match the plain table
@examples(25)
def test_costs_and_attribution_are_what_packets_do(seed: int, method: str) -> None:
    planner, world = planner_with_requests(seed)
    events = some_traffic(planner, seed)
    traffic = read_traffic(planner, events)
    before, delivered = sums(walks(planner, world, events))
    result = aggregate(planner, method, traffic, budgets=some_budgets(planner, seed))
    assert planner.apply(result.request).ok
    after, delivered_after = sums(walks(planner, world, events))
    expected = judge_covers(planner, planner.budget_enforcer.covers(), traffic)
    saved = savings(planner, {}, planner.budget_enforcer.covers(), traffic)
    assert len(saved) == len(traffic)
    assert -saved.sum() == pytest.approx(expected.cost * len(events))
    total = max(1, len(events))
    assert expected.copies * total == pytest.approx((after - before).total() - (before - after).total())
    assert expected.unwanted * total == pytest.approx(delivered_after - delivered)
    found = attribute(planner, traffic)
    by_switch: Counter[str] = Counter()
    unwanted: Counter[str] = Counter()
    for one in found:
        by_switch[one.switch] += one.copies
        unwanted[one.switch] += one.unwanted
    for switch in planner.topology.switches:
        assert expected.by_switch.get(switch, 0.0) * total == pytest.approx(by_switch[switch])
        assert expected.unwanted_by_switch.get(switch, 0.0) * total == pytest.approx(unwanted[switch])
    assert sum(one.unwanted for one in found) == pytest.approx(delivered_after - delivered)


@given(seeds)
@examples(25)
def test_entries_are_attributed_to_the_subscriptions_behind_them(seed: int) -> None:
    planner, world = planner_with_requests(seed)
    traffic = read_traffic(planner, some_traffic(planner, seed))
    result = aggregate(planner, "optimal", traffic, budgets=some_budgets(planner, seed))
    assert planner.apply(result.request).ok
    judge = Judge(world, flows(planner))
    for one in attribute(planner, traffic):
        assert len(set(one.subscriptions)) == len(one.subscriptions)
        for name in one.subscriptions:
            _, topic, cells = world.subs[name]
            assert topic == one.topic
            assert any(cell.startswith(text(one.dz)) or text(one.dz).startswith(cell) for cell in cells)
    # an entry under a cover that carries a packet to a subscriber names a subscription of that host
    named = {
        (one.switch, one.topic, one.in_port, one.dz): set(one.subscriptions)
        for one in attribute(planner, traffic)
    }
    for host, topic, brought in world.ads.values():
        place = world.place(host)
        for point in world.points() if place is not None else ():
            if not any(point.startswith(cell) for cell in brought):
                continue
            assert place is not None
            walk = judge.walk(place, world.address(topic, point))
            mine = [
                names
                for (switch, other, port, dz), names in named.items()
                if switch == place[0]
                and other == topic
                and port in (None, place[1])
                and covers(dz, int("1" + point, 2))
            ]
            if len(mine) != 1 or not _only_here(planner, place, named, topic, point):
                continue
            for subscriber in walk.delivered:
                wanting = {
                    name
                    for name, (who, other, cells) in world.subs.items()
                    if who == subscriber and other == topic and any(point.startswith(cell) for cell in cells)
                }
                assert not wanting or wanting & mine[0]


@given(seeds, st.sampled_from(["la", "optimal"]))
@examples(25)
def test_entries_stand_for_those_that_get_nothing_without_them(seed: int, method: str) -> None:
    planner, world = planner_with_requests(seed)
    budgets = some_budgets(planner, seed)
    if method == "la":
        planner.apply({"op": "set_aggregation", "method": "la"})
        for switch, budget in budgets.items():
            planner.apply({"op": "set_budget", "switch": switch, "tcam_budget": budget})
    else:
        traffic = read_traffic(planner, some_traffic(planner, seed))
        assert planner.apply(aggregate(planner, method, traffic, budgets=budgets).request).ok
    for one in attribute(planner, read_traffic(planner, [])):
        table = flows(planner)
        code = planner.topics[one.topic].code
        match = {"dst": planner.address.match(code, one.dz), "in_port": one.in_port}
        (mine,) = (flow for flow in table[one.switch] if {"in_port": None, **flow["match"]} == match)
        mine["actions"] = []
        assert set(one.subscriptions) == _left_out(planner, world, one, Judge(world, table))


def _left_out(planner: Planner, world: World, one: Attribution, judge: Judge) -> set[str]:
    """The subscriptions to cells of an entry that lose an event with the tables of `judge`."""
    whole, found = Judge(world, flows(planner)), set[str]()
    points = [point for point in world.points() if point.startswith(text(one.dz))]
    for host, topic, brought in world.ads.values():
        place = world.place(host)
        for point in points if topic == one.topic and place is not None else ():
            if not any(point.startswith(cell) for cell in brought):
                continue
            assert place is not None
            address = world.address(topic, point)
            lost = whole.walk(place, address).delivered - judge.walk(place, address).delivered
            found |= {
                name
                for name, (who, other, cells) in world.subs.items()
                if who in lost and other == topic and any(point.startswith(cell) for cell in cells)
            }
    return found


def _only_here(
    planner: Planner, place: tuple[str, int], named: dict[Any, set[str]], topic: str, point: str
) -> bool:
    """Whether the packet matches the one entry under a cover, and not an exact one."""
    best = None
    for entry in planner.table(place[0]):
        code, dz = planner.address.parse_match(entry.dst)
        matches = code == planner.topics[topic].code and covers(dz, int("1" + point, 2))
        if matches and entry.in_port in (None, place[1]) and (best is None or entry.priority > best[0]):
            best = (entry.priority, entry.in_port, dz)
    return best is not None and (place[0], topic, best[1], best[2]) in named


@pytest.mark.parametrize("method", METHODS)
def test_what_if_shows_what_would_be_installed_and_a_curve_falls(method: str) -> None:
    planner, _ = planner_with_requests(12)
    events = some_traffic(planner, 12, 400)
    budgets = some_budgets(planner, 12)
    before = planner.snapshot()
    answer: Any = what_if(planner, method, events, budgets=budgets)
    busiest = max(planner.counts(), key=lambda name: planner.counts()[name])
    points = curve(planner, busiest, method, events)
    assert planner.snapshot() == before
    assert [point.budget for point in points] == spread_budgets(planner.counts()[busiest])
    assert (points[-1].copies, points[-1].unwanted) == (0, 0)
    costs = [point.copies + point.unwanted for point in points if point.entries is not None]
    assert costs[0] == max(costs)
    assert costs[0] > 0
    result = aggregate(planner, method, events, budgets=budgets)
    assert planner.apply(result.request).ok
    assert {name: row["entries"] for name, row in answer["switches"].items()} == {
        name: count for name, count in planner.counts().items() if count
    }


@pytest.mark.parametrize("method", METHODS)
def test_only_optimal_makes_a_table_smaller_than_its_budget_needs(method: str) -> None:
    """The paper's methods leave exact tables that fit unchanged; only `optimal` makes lossless tables."""
    planner, _ = planner_with_requests(12)
    events = some_traffic(planner, 12, 400)
    smaller = 0
    for switch, count in planner.counts().items():
        (point,) = curve(planner, switch, method, events, budgets=[count])
        assert point.entries is not None and point.entries <= count
        assert (point.copies, point.unwanted) == (0, 0)
        smaller += point.entries < count
    assert smaller == 0 or method == "optimal"


def test_bad_input_is_refused_by_name() -> None:
    planner, _ = planner_with_requests(12)
    for arguments, path in (
        ((planner, "nowhere", "fa-pb"), ("switch",)),
        ((planner, "s1", "x"), ("method",)),
    ):
        with pytest.raises(Refused) as refused:
            curve(*arguments, [])
        assert refused.value.path == path
