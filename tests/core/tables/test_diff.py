"""A diff, applied step by step in its order, serves all remaining subscribers at every moment."""

from collections.abc import Iterator
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tercast.tables.entries import Diff, Entry
from tests.property_profiles import examples
from tests.support.judge import Judge, World
from tests.support.networks import (
    DEPTH,
    TOPICS,
    advertise,
    host,
    link,
    planner_for,
    scenes,
    subscribe,
    topology,
)
from tests.support.networks import topology as network

Scene = tuple[dict[str, Any], list[dict[str, Any]]]
Tables = dict[str, dict[Any, Entry]]


def steps(tables: Tables, diff: Diff) -> Iterator[Tables]:
    """The tables after each entry: additions switch by switch, then removals in the reverse order."""
    for change in diff.switches:
        for entry in change.installs:
            tables.setdefault(change.switch, {})[entry.key] = entry
            yield tables
    for change in reversed(diff.switches):
        for entry in change.removed:
            del tables[change.switch][entry.key]
            yield tables


def stable_problems(world: World, after: World, judge: Judge) -> list[str]:
    """Missing and surplus deliveries of hosts that publish and subscribe before and after."""
    out = []
    ads = {name: ad for name, ad in world.ads.items() if after.ads.get(name) == ad}
    subs = {name: sub for name, sub in world.subs.items() if after.subs.get(name) == sub}
    for publisher, topic, cells in ads.values():
        place = world.place(publisher)
        inside = (point for point in world.points() if any(map(point.startswith, cells)))
        for point in inside if place else ():
            walk = judge.walk(place, world.address(topic, point))
            out += walk.problems
            reach = world.island(place[0])
            wanting = {
                name
                for name, other, wanted in subs.values()
                if topic == other
                and any(map(point.startswith, wanted))
                and (world.place(name) or "?")[0] in reach
            }
            missed = {name for name in wanting if walk.delivered[name] != 1}
            doubled = {name for name, count in walk.delivered.items() if count > 1}
            out += (
                [f"{publisher} {topic} {point}: {missed} missed, {doubled} duplicates"]
                if missed | doubled
                else []
            )
    return out


@examples(120)
@given(scenes(most=14) | scenes(most=18, events=False), st.data())
def test_those_who_stay_are_served_at_every_step(scene: Scene, data: st.DataObject) -> None:
    topology, requests = scene
    planner = planner_for(topology)
    before = World.of("ipv6", 16, DEPTH, topology, TOPICS)
    after = World.of("ipv6", 16, DEPTH, topology, TOPICS)
    kinds = ("subscribe", "unsubscribe", "advertise", "unadvertise")
    cut = len(requests)
    while cut and requests[cut - 1]["op"] in kinds:
        cut -= 1
    cut = data.draw(st.integers(cut, len(requests)))
    for i, request in enumerate(requests):
        if i == cut:
            planner.take_diff()
            old = planner.tables()
        outcome = planner.apply(request)
        if outcome.ok:
            after.follow(request, request.get("dz"))
            if i < cut:
                before.follow(request, request.get("dz"))
    if cut == len(requests):
        return
    tables = {switch: {entry.key: entry for entry in table} for switch, table in old.items()}
    for state in steps(tables, planner.take_diff()):
        now = {switch: [entry.to_json() for entry in table.values()] for switch, table in state.items()}
        assert stable_problems(before, after, Judge(before, now)) == []
    assert {s: set(table.values()) for s, table in tables.items() if table} == {
        s: set(table) for s, table in planner.tables().items()
    }


@examples(60)
@given(scenes(most=20))
def test_a_diff_is_no_larger_than_needed_and_in_order(scene: Scene) -> None:
    topology, requests = scene
    planner = planner_for(topology)
    tables: dict[str, Any] = {}
    for i, request in enumerate(requests):
        planner.apply(request)
        if i % 3:
            continue
        diff = planner.take_diff()
        assert len({change.switch for change in diff}) == len(diff.switches)
        for change in diff:
            assert len(change)
            here = {entry.key: entry for entry in tables.get(change.switch, ())}
            assert all(entry.key not in here for entry in change.added)
            assert all(here[entry.key] != entry for entry in change.modified)
            assert all(here[entry.key] == entry for entry in change.removed)
            priorities = [entry.priority for entry in change.installs]
            assert priorities == sorted(priorities, reverse=True)
            assert [e.priority for e in change.removed] == sorted(e.priority for e in change.removed)
        tables = diff.apply(tables)
    assert not len(planner.take_diff()) or len(requests) % 3 != 1


def test_switches_stand_from_subscriber_to_publisher() -> None:
    links = [link(f"s{i}", 1, f"s{i + 1}", 2) for i in range(1, 5)]
    planner = planner_for(network(5, links, [host("p", "s5", 9, 1), host("h", "s1", 9, 2)]))
    planner.apply({"op": "advertise", "id": "a1", "host": "p", "topic": "a", "dz": ["0"]})
    planner.apply({"op": "subscribe", "id": "q1", "host": "h", "topic": "a", "dz": ["00", "011"]})
    assert [change.switch for change in planner.take_diff()] == ["s1", "s2", "s3", "s4", "s5"]
    planner.apply({"op": "unsubscribe", "id": "q1"})
    assert [change.switch for change in planner.take_diff()] == ["s1", "s2", "s3", "s4", "s5"]


def test_hosts_that_leave_and_come_back_change_nothing() -> None:
    network = topology(1, [], [host("x", "s1", 1, 1), host("y", "s1", 1, 2), host("z", "s1", 2, 3)])
    planner = planner_for(network)
    planner.apply_all([subscribe("q1", "x", ""), advertise("a", "y", "0"), subscribe("q2", "z", "0")])
    planner.take_diff()
    for op in ("link_down", "link_up"):
        assert planner.apply({"op": op, "switch": "s1", "port": 1}).ok
    assert len(planner.take_diff()) == 0
