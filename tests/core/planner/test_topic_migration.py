"""Topics that migrate to their other code: old tables serve until the migration is finished."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from tercast.encoding.limits import Limits
from tercast.eventspace.address_plan import AddressPlan
from tercast.eventspace.topic import Topic
from tercast.planner.planner import Planner
from tercast.requests.registry import ADVERTISEMENT, Registry
from tercast.tables.entries import Table
from tercast.topology.reader import read_topology
from tercast.verification.verifier import Verifier
from tests.support.networks import DEPTH, dense_scene, host, link, topology

ATTRIBUTES = [{"name": name, "type": "int", "min": 0, "max": 3} for name in "xy"]
CODES = {"a": 4, "b": 6}
CUTS: list[Any] = [
    [],
    [["x", 3], 5, 1],
    [["y", 1], 0, ["x", 2], 3, ["y", 3], 2, 9],
    [["x", 1], ["y", 2], ["y", 1], 1, 4, 0, ["x", 2], ["y", 3], 0, 8, ["y", 1], 2, 2],
]
"""Cut trees of the attributes."""


def planner_for(network: dict[str, Any], **options: Any) -> Planner:
    topics = [
        Topic.from_json({"name": name, "code": code, "attributes": ATTRIBUTES, "indexed": ["x"]})
        for name, code in CODES.items()
    ]
    plan = AddressPlan.default("ipv6")
    options = {"hitless": True, **options}
    return Planner(plan, Limits(max_dz_length=DEPTH), read_topology(network, "ipv6"), topics, **options)


def advertise(name: str, at: str, filter_: str = "true", topic: str = "a") -> dict[str, Any]:
    return {"op": "advertise", "id": name, "host": at, "topic": topic, "filter": filter_}


def subscribe(name: str, at: str, filter_: str = "true", topic: str = "a") -> dict[str, Any]:
    return {"op": "subscribe", "id": name, "host": at, "topic": topic, "filter": filter_}


def indexed(*names: str, topic: str = "a", **cuts: Any) -> dict[str, Any]:
    return {"op": "set_indexed", "topic": topic, "indexed": list(names), **cuts}


def finish(planner: Planner, topic: str = "a") -> None:
    version = planner.version(topic)
    assert planner.apply({"op": "finish_move", "topic": topic, "version": version}).ok


def by_code(planner: Planner, code: int) -> dict[str, Table]:
    """The part of all tables that concerns one code."""
    parse = planner.address.parse_match
    found = {
        switch: tuple(entry for entry in table if parse(entry.dst)[0] == code)
        for switch, table in planner.tables().items()
    }
    return {switch: table for switch, table in found.items() if table}


def proved(planner: Planner) -> None:
    """Current tables serve all live registrations; old tables serve unmoved hosts in the old network."""
    mine: dict[str, Table] = {}
    for topic in planner.topics.values():
        for switch, table in by_code(planner, topic.code).items():
            mine[switch] = (*mine.get(switch, ()), *table)
    exact = not planner.budget_enforcer.covers()
    found = Verifier.of(planner.registry, mine, exact=exact).check()
    assert [one for one in found if one.kind != "budget"] == []
    for leaving in planner.leaving.values():
        registry = Registry(planner.address, leaving.topology, [leaving.plan.topic])
        for registration in leaving.live.values():
            registry.live[registration.id] = registration
        tables = by_code(planner, leaving.code)
        found = Verifier.of(registry, tables, exact=exact).check()
        assert [one for one in found if one.kind != "budget"] == []
    codes = {topic.code for topic in planner.topics.values()} | {one.code for one in planner.leaving.values()}
    total = sum(len(table) for table in planner.tables().values())
    assert total == sum(len(table) for code in codes for table in by_code(planner, code).values())


def pair() -> Planner:
    """A publisher at s1, subscribers at s2, beyond one link or the other."""
    links = [link("s1", 1, "s2", 1), link("s1", 2, "s2", 2)]
    return planner_for(topology(2, links, [host("p", "s1", 9, 1), host("h", "s2", 9, 2)]))


def test_other_indexed_attributes_come_under_the_other_code_beside_the_old_entries() -> None:
    planner = pair()
    planner.apply_all([advertise("a", "p"), subscribe("q", "h", "x < 2 and y < 2")])
    old = by_code(planner, 4)
    planner.take_diff()
    outcome = planner.apply(indexed("y"))
    assert outcome.ok and outcome.moved == ("a",) and outcome.in_place == ()
    diff = planner.take_diff()
    assert all(one.added and not one.modified and not one.removed for one in diff)
    assert by_code(planner, 4) == old and set(by_code(planner, 5)) == {"s1", "s2"}
    assert (planner.topics["a"].code, planner.version("a")) == (5, 2)
    proved(planner)
    finish(planner)
    assert all(one.removed and not one.added and not one.modified for one in planner.take_diff())
    assert by_code(planner, 4) == {} and not planner.leaving
    assert planner.apply(indexed("x")).moved == ("a",)
    assert planner.topics["a"].code == 4 and planner.version("a") == 3


@pytest.mark.parametrize("cuts", CUTS[1:])
def test_cuts_come_under_the_other_code_and_go_back_the_same_way(cuts: list[Any]) -> None:
    planner = pair()
    planner.apply_all([advertise("a", "p"), subscribe("q", "h", "x < 2 and y < 2")])
    old = by_code(planner, 4)
    planner.take_diff()
    outcome = planner.apply(indexed("x", cuts=cuts))
    assert outcome.ok and outcome.moved == ("a",) and outcome.in_place == ()
    assert all(not one.modified and not one.removed for one in planner.take_diff())
    assert by_code(planner, 4) == old and planner.topics["a"].cuts.count == len(cuts) // 2
    proved(planner)
    planner = Planner.restore(planner.snapshot())
    finish(planner)
    proved(planner)
    assert planner.apply(indexed("x", cuts=[])).moved == ("a",)
    proved(planner)
    finish(planner)
    assert by_code(planner, 4) == old == planner.tables()


def test_a_dry_run_shows_the_final_state() -> None:
    planner = pair()
    planner.apply_all([advertise("a", "p"), subscribe("q", "h", "x < 2 and y < 2")])
    trial = planner.dry_run([indexed("y")])
    planner.apply(indexed("y"))
    assert planner.counts() == {"s1": 2, "s2": 2}
    finish(planner)
    assert trial.after == planner.counts() == {"s1": 1, "s2": 1}


def test_trees_of_both_codes_name_the_topic() -> None:
    planner = pair()
    planner.apply_all([advertise("a", "p"), subscribe("q", "h"), indexed("y")])
    assert [tree.topic for tree in planner.trees()] == ["a", "a"]


def test_old_entries_go_from_the_publishers_switch_on() -> None:
    planner = pair()
    planner.apply_all([subscribe("q", "h"), advertise("a", "p")])
    planner.apply(indexed("y"))
    planner.take_diff()
    finish(planner)
    assert [one.switch for one in planner.take_diff()][::-1] == ["s1", "s2"]  # removed in the reverse order


def test_who_comes_meanwhile_is_served_under_both_codes_and_new_publishers_use_the_new_one() -> None:
    planner = pair()
    planner.apply(advertise("a", "p", "x < 2"))
    planner.apply(indexed("y"))
    planner.apply(subscribe("q", "h", "y = 1"))
    proved(planner)
    assert by_code(planner, 4) and by_code(planner, 5)
    planner.apply(advertise("b", "p", "x >= 2"))
    assert "b" not in planner.leaving["a"].live
    proved(planner)
    planner.apply({"op": "unsubscribe", "id": "q"})
    assert planner.tables() == {}
    proved(planner)


def test_only_the_version_that_is_moving_can_be_finished() -> None:
    planner = pair()
    planner.apply_all([advertise("a", "p"), subscribe("q", "h"), indexed("y")])
    for topic, version in (("a", 1), ("a", 3), ("b", 1), ("z", 2)):
        outcome = planner.apply({"op": "finish_move", "topic": topic, "version": version})
        assert not outcome.ok and outcome.reason is not None and outcome.reason.code == "not_moving"
    finish(planner)
    assert not planner.apply({"op": "finish_move", "topic": "a", "version": 2}).ok


def test_a_topic_whose_neighbour_code_is_another_topics_changes_in_place() -> None:
    planner = pair()
    planner.apply({"op": "add_topic", "topic": {"name": "c", "code": 5, "attributes": ATTRIBUTES}})
    planner.apply_all([advertise("a", "p"), subscribe("q", "h")])
    outcome = planner.apply(indexed("y"))
    assert (outcome.moved, outcome.in_place) == ((), ("a",))
    assert (planner.topics["a"].code, planner.version("a")) == (4, 2)


def test_without_room_for_both_it_changes_in_place_and_says_so() -> None:
    planner = pair()
    planner.apply_all([advertise("a", "p"), subscribe("q", "h", "x = 1")])
    planner.apply({"op": "set_budget", "switch": "s1", "tcam_budget": 1})
    outcome = planner.apply(indexed("y"))
    assert (outcome.ok, outcome.moved, outcome.in_place) == (True, (), ("a",))
    proved(planner)


def full_line(budget: int) -> Planner:
    """Four entries at s1 for the subscriptions of three hosts, which fill its budget."""
    hosts = [host("p", "s1", 9, 1), *(host(f"h{n}", "s2", 9 + n, 2 + n) for n in range(4))]
    planner = planner_for(topology(2, [link("s1", 1, "s2", 1)], hosts))
    planner.apply(advertise("a", "p"))
    planner.apply_all([subscribe(f"q{n}", f"h{n}", f"x = {n} and y = {n}") for n in range(4)])
    assert planner.counts() == {"s1": 4, "s2": 4}
    for switch in ("s1", "s2"):
        assert planner.apply({"op": "set_budget", "switch": switch, "tcam_budget": budget}).ok
    planner.take_diff()
    return planner


def test_full_tables_are_merged_while_a_topic_moves_also_where_nothing_is_merged_otherwise() -> None:
    planner = full_line(4)
    exact = {entry.actions for entry in planner.table("s2")}
    outcome = planner.apply(indexed("x", "y"))
    assert (outcome.moved, outcome.in_place, outcome.failed_switches) == (("a",), (), ())
    assert max(planner.counts().values()) <= 4 and planner.budget_enforcer.covers()
    proved(planner)
    planner = Planner.restore(planner.snapshot())
    finish(planner)
    planner.take_diff()
    assert not planner.budget_enforcer.covers() and planner.budget_enforcer.idle
    assert {entry.actions for entry in planner.table("s2")} == exact and planner.counts()["s2"] == 4
    proved(planner)


def test_a_full_table_that_could_not_be_exact_in_the_end_moves_in_place() -> None:
    """Under the new code the exact table has one entry more than the budget."""
    planner = full_line(4)
    planner.apply(subscribe("q4", "h0", "x = 1 and y = 2"))
    before = planner.counts()
    outcome = planner.apply(indexed("x", "y"))
    assert not outcome.ok and outcome.failed_switches == ("s1", "s2")
    assert planner.counts() == before and not planner.budget_enforcer.covers()
    proved(planner)


def test_a_link_out_of_service_that_still_works_and_one_that_has_failed() -> None:
    for planned in (True, False):
        planner = pair()
        planner.apply_all([advertise("a", "p"), subscribe("q", "h")])
        (used,) = {key for tree in planner.plan("a").trees() for one in tree.links for key in [one.a_port]}
        down = {"op": "link_down", "switch": "s1", "port": used}
        outcome = planner.apply({**down, "planned": True} if planned else down)
        assert (outcome.moved, outcome.in_place) == ((("a",), ()) if planned else ((), ("a",)))
        proved(planner)


def test_a_switch_with_hosts_goes_out_of_service_and_comes_back() -> None:
    """Its hosts are not served during this time, and the others are served under both codes."""
    hosts = [host("p", "s1", 9, 1), host("h", "s2", 9, 2), host("r", "s3", 9, 3), host("k", "s2", 8, 4)]
    links = [link("s1", 1, "s2", 1), link("s2", 2, "s3", 1), link("s3", 2, "s1", 2)]
    planner = planner_for(topology(3, links, hosts))
    planner.apply_all([advertise("a", "p"), advertise("c", "k"), subscribe("q", "h"), subscribe("s", "r")])
    for op in ("switch_down", "switch_up"):
        planned = {"planned": True} if op == "switch_down" else {}
        assert planner.apply({"op": op, "switch": "s2", **planned}).ok
        proved(planner)
        assert planner.apply({"op": "unsubscribe", "id": "q"}).ok
        proved(planner)
        if planner.leaving:
            finish(planner)
        assert planner.apply(subscribe("q", "h")).ok
        proved(planner)


def test_parts_that_meet_move_only_topics_that_have_trees_in_both() -> None:
    hosts = [host("p", "s1", 9, 1), host("h", "s2", 9, 2), host("r", "s2", 8, 3)]
    planner = planner_for(topology(2, [], hosts))
    planner.apply_all([advertise("a", "p"), advertise("b", "r"), subscribe("q", "h")])
    planner.apply_all([advertise("c", "p", topic="b"), subscribe("s", "h", topic="b")])
    outcome = planner.apply({"op": "add_link", "link": link("s1", 1, "s2", 1)})
    assert (outcome.moved, outcome.in_place) == (("a",), ())
    proved(planner)
    finish(planner)
    proved(planner)


def test_a_switch_of_the_former_tables_is_removed_before_the_move_is_finished() -> None:
    links = [link("s1", 1, "s2", 1), link("s2", 2, "s3", 1)]
    hosts = [host("p", "s1", 9, 1), host("h", "s2", 9, 2), host("g", "s3", 9, 3)]
    planner = planner_for(topology(3, links, hosts))
    planner.apply({"op": "set_budget", "switch": "s1", "tcam_budget": 50})
    planner.apply_all(
        [advertise("a", "p"), subscribe("q", "h"), subscribe("r", "g"), advertise("b", "p", topic="b")]
    )
    planner.apply(indexed("y"))
    planner.apply({"op": "unsubscribe", "id": "r"})
    for part in ({"host": "g"}, {"switch": "s3", "port": 1}, {"switch": "s3"}):
        kind = "link" if "port" in part else next(iter(part))
        assert planner.apply({"op": f"remove_{kind}", **part}).ok
    restored = Planner.restore(planner.snapshot())
    assert restored.snapshot() == planner.snapshot() and restored.tables() == planner.tables()
    assert planner.apply(indexed("y", topic="b")).ok  # tried on a copy first
    proved(planner)
    finish(planner)
    proved(planner)


def random_change(random: Random, planner: Planner, number: int) -> dict[str, Any]:
    """A request that may migrate a topic, or the end of a migration."""
    if planner.leaving and random.random() < 0.4:
        name = random.choice(sorted(planner.leaving))
        return {"op": "finish_move", "topic": name, "version": planner.version(name)}
    if random.random() < 0.3:
        names = random.choice([["x"], ["y"], ["x", "y"]])
        cuts = {"cuts": random.choice(CUTS)} if random.random() < 0.6 else {}
        return indexed(*names, topic=random.choice("ab"), **cuts)
    if random.random() < 0.3 and len(planner.topology.switches) > 1:
        a, b = random.sample(sorted(planner.topology.switches), 2)
        return {"op": "add_link", "link": link(a, 100 + number, b, 100 + number)}
    if random.random() < 0.2:
        name = random.choice(sorted(planner.topology.switches))
        if name in planner.topology.down_switches:
            return {"op": "switch_up", "switch": name}
        return {"op": "switch_down", "switch": name, **({"planned": True} if random.random() < 0.7 else {})}
    if random.random() < 0.3:
        return random_part(random, planner, number)
    links = sorted(planner.topology.links)
    if not links:
        return {"op": "add_host", "host": host(f"n{number}", "s1", 200 + number, 200 + number)}
    switch, port = random.choice(links)
    op = random.choice(["link_down", "link_up", "link_up", "remove_link"])
    change: dict[str, Any] = {"op": op, "switch": switch, "port": port}
    return {**change, "planned": True} if op == "link_down" and random.random() < 0.7 else change


def random_part(random: Random, planner: Planner, number: int) -> dict[str, Any]:
    """A switch or a host that is added or removed: leaves of the network, as others cannot be removed."""
    topology = planner.topology
    name = random.choice(sorted(topology.switches))
    joined = [port for switch, port in topology.links if switch == name]
    hosts = [one.id for one in topology.hosts.values() if name in {place.switch for place in one.attachments}]
    live = {one.host for one in planner.registry.live.values()}
    if hosts and not live.isdisjoint(hosts) and random.random() < 0.3:
        at_host = [one for one in planner.registry.live.values() if one.host in hosts]
        one = random.choice(sorted(at_host, key=lambda one: one.id))
        return {"op": "unadvertise" if one.kind == ADVERTISEMENT else "unsubscribe", "id": one.id}
    if hosts and random.random() < 0.5:
        return {"op": "remove_host", "host": random.choice(hosts)}
    if joined and random.random() < 0.7:
        return {"op": "remove_link", "switch": name, "port": random.choice(joined)}
    if random.random() < 0.3:
        return {"op": "add_switch", "switch": {"id": f"n{number}", "dpid": f"{0x100 + number:016x}"}}
    return {"op": "remove_switch", "switch": name}


def with_filters(request: dict[str, Any], random: Random) -> dict[str, Any]:
    """The same registration with a filter, from which it can be encoded again."""
    if "dz" not in request:
        return request
    (low, high), (first, last) = (sorted(random.choices(range(4), k=2)) for _ in "xy")
    found = {key: value for key, value in request.items() if key != "dz"}
    return {**found, "filter": f"x in [{low}, {high}] and y in [{first}, {last}]"}


@pytest.mark.parametrize(
    "seed", [*range(8), *(pytest.param(seed, marks=pytest.mark.full) for seed in range(8, 60))]
)
def test_whatever_happens_both_tables_hold_and_a_snapshot_goes_on_from_there(seed: int) -> None:
    random = Random(seed)
    network, requests = dense_scene(seed)
    planner = planner_for(network)
    if seed % 3 == 0:
        for one in network["switches"]:
            budget = random.choice([None, 4, 12])
            planner.apply({"op": "set_budget", "switch": one["id"], "tcam_budget": budget})
        planner.apply({"op": "set_aggregation", "method": random.choice(["none", "la"])})
    twin = Planner.restore(planner.snapshot())
    tables: dict[str, Table] = {}
    moves = 0
    for number, request in enumerate(requests):
        for asked in (with_filters(request, random), random_change(random, planner, number)):
            before, counts = planner.snapshot(), planner.counts()
            trial = planner.dry_run([asked])
            assert planner.snapshot() == before
            outcome = planner.apply(asked)
            assert trial.outcomes[0].ok == outcome.ok
            moves += len(outcome.moved)
            if outcome.moved:
                over = planner.over_budget()
                assert all(planner.counts()[name] <= counts.get(name, 0) for name in over)
            diff = planner.take_diff()
            tables = diff.apply(tables)
            assert tables == planner.tables()
            assert replace(twin.apply(asked), reason=None) == replace(outcome, reason=None)
            assert {one.switch: one for one in twin.take_diff()} == {one.switch: one for one in diff}
            if random.random() < 0.3:
                twin = Planner.restore(planner.snapshot())
            assert twin.snapshot() == planner.snapshot()
            assert twin.tables() == planner.tables()
            proved(planner)
    assert moves or not requests
