"""The fewest entries of a table under covers: against trying all tables, and what requests make of it."""

from __future__ import annotations

from itertools import combinations
from random import Random
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from tercast.aggregation.definition import ExactTable, apply_covers, satisfies_tree_rule
from tercast.aggregation.incremental.installed_table import InstalledTable
from tercast.aggregation.incremental.minimum_entries import MinimumEntries
from tercast.aggregation.incremental.overlay import Overlay
from tercast.encoding.limits import Limits
from tercast.eventspace.address_plan import AddressPlan
from tercast.eventspace.dz import Dz, text
from tercast.eventspace.dz import covers as holds
from tercast.eventspace.topic import Topic
from tercast.planner.planner import Planner
from tercast.requests.registry import ADVERTISEMENT
from tercast.runtime.wording import quantity
from tercast.tables.covers import Cover, TableCovers
from tercast.topology.reader import read_topology
from tests.property_profiles import examples
from tests.support.aggregation_oracle import installed_as_defined
from tests.support.judge import Judge, World
from tests.support.method_scenes import grounds, proof
from tests.support.networks import (
    DEPTH,
    TOPICS,
    advertise,
    dense_scene,
    flows,
    host,
    link,
    planner_for,
    subscribe,
    topology,
)

CELLS = range(1, 2 << DEPTH)
MOST = 4
"""Tables of fewer entries than this are tried, all of them."""


def trees_scene(seed: int) -> Planner:
    """A ring with a chord; publishers advertise small parts of the space, each in a tree of its own."""
    random = Random(seed)
    count = random.randint(3, 5)
    ring = [(i, i % count + 1) for i in range(1, count + 1)] + [(1, 3)] * (count > 3)
    ports = dict.fromkeys(range(1, count + 1), 0)

    def port(switch: int) -> int:
        ports[switch] += 1
        return ports[switch]

    links = [link(f"s{a}", port(a), f"s{b}", port(b), random.randint(1, 2)) for a, b in ring]
    hosts = [
        host(f"h{i}", f"s{(i - 1) % count + 1}", 9 - i % 2 * (i > count), i) for i in range(1, 2 * count)
    ]
    planner = planner_for(topology(count, links, hosts))
    names = [one["id"] for one in hosts]
    for i in range(random.randint(2, 6)):
        brought = ["".join(random.choices("01", k=random.randint(1, DEPTH))) for _ in range(2)]
        planner.apply(advertise(f"a{i}", random.choice(names), *brought))
    for i in range(random.randint(2, 7)):
        wanted = "".join(random.choices("01", k=random.randint(0, DEPTH)))
        planner.apply(subscribe(f"q{i}", random.choice(names), wanted))
    return planner


def scene(seed: int) -> Planner:
    """One of several kinds."""
    if seed % 3:
        return trees_scene(seed)
    network, requests = dense_scene(seed)
    planner = planner_for(network)
    planner.apply_all(requests)
    return planner


def tables_of(planner: Planner, switch: str) -> list[tuple[InstalledTable, ExactTable]]:
    """Return the installed tables of a switch, each with its exact table."""
    overlay = Overlay(planner.network.sites[switch])
    overlay.add_topics(planner.plans, planner.network)
    known = grounds(planner, switch)
    return [
        (table, known[topic.plan.topic.name])
        for topic in overlay.topics.values()
        if topic.plan.topic.name in known
        for table in topic.tables.values()
    ]


class Points:
    """A table point by point: what each is sent to, and which links the trees there have."""

    def __init__(self, ground: ExactTable, port: int) -> None:
        self.order = ground.order
        self.exact = [self.order.dz(key) for key in (ground.in_port(port) if port else ground.plain)]
        self.links = ground.links
        apart = ~ground.mates.get(port, 0) if port else -1
        plain = {self.order.dz(key): mask & apart for key, mask in ground.plain.items()}
        inner = {self.order.dz(key): a | b for key, (a, b) in ground.in_port(port).items()} if port else {}
        trees = {self.order.dz(key): mask for key, mask in ground.trees.items()}
        points = range(1 << DEPTH, 2 << DEPTH)
        outputs = [found if (found := _meets(inner, p)) is not None else _meets(plain, p) for p in points]
        self.outputs = [(mask or 0) & self.links for mask in outputs]
        self.edges = [mask if (mask := _meets(trees, p)) is not None else -1 for p in points]

    def allow(self, standing: tuple[Dz, ...]) -> bool:
        """Whether these may be all the entries that there are."""
        if any(not any(holds(top, dz) for top in standing) for dz in self.exact):
            return False
        sent, edges = dict.fromkeys(standing, 0), dict.fromkeys(standing, -1)
        for n in range(1 << DEPTH):
            over = [top for top in standing if holds(top, 1 << DEPTH | n)]
            if over:
                sent[max(over)] |= self.outputs[n]
                edges[max(over)] &= self.edges[n]
        return not any(sent[top] & ~edges[top] for top in standing)


def _meets(table: dict[Dz, int], point: Dz) -> int | None:
    found = [dz for dz in table if holds(dz, point)]
    return table[max(found)] if found else None


@given(st.integers(0, 100_000))
@examples(150)
def test_no_table_has_fewer_entries(seed: int) -> None:
    planner = scene(seed)
    for switch in planner.topology.switches:
        for table, ground in tables_of(planner, switch):
            programme = MinimumEntries(table)
            assert programme.proven
            points = Points(ground, table.port)
            for size in range(min(programme.entries, MOST)):
                assert not any(map(points.allow, combinations(CELLS, size)))
            found = _carried_out(table, programme, ground)
            assert found == programme.entries
            exact = tuple(points.exact)
            assert points.allow(exact)  # or nothing would ever be allowed


def _carried_out(table: InstalledTable, programme: MinimumEntries, ground: ExactTable) -> int:
    """The number of entries under the covers of a programme, by the definition; all of them obey and save."""
    order = table.order
    spreads = programme.covers(0) if programme.keys else []
    some = [Cover.of(order.dz(top), map(order.dz, kept)) for top, kept in spreads]
    port = table.port or None
    for cover in some:
        assert satisfies_tree_rule(ground, cover, port)
        assert len(ground.under(cover, port)) > len(cover)
    covers = TableCovers(tuple(some)) if port is None else TableCovers((), {port: tuple(some)})
    found = apply_covers(ground, covers)
    return len(found.plain) if port is None else sum(at == port for at, _ in found.in_port)


@given(st.integers(0, 100_000), st.integers(0, 3))
@example(20159, 2)
@examples(80)
def test_budgets_hold_from_the_fewest_entries_on(seed: int, more: int) -> None:
    planner = trees_scene(seed)
    planner.apply({"op": "set_aggregation", "method": "la"})
    for switch, exact in planner.exact_counts().items():
        least = sum(MinimumEntries(table).entries for table, _ in tables_of(planner, switch))
        if more or not least:
            budget = least + max(more - 1, 0)
            assert planner.apply(_budget(switch, budget)).ok
            assert planner.counts()[switch] <= budget
        else:
            outcome = planner.apply(_budget(switch, least - 1))
            assert not outcome.ok and outcome.reason is not None
            assert (
                f"it needs at least {quantity(least, 'entry', 'entries')} with merging"
                in outcome.reason.detail
            )
            assert planner.counts()[switch] == exact
    assert not installed_as_defined(planner)
    world = World.of("ipv6", 16, DEPTH, planner.topology.to_json(), TOPICS)
    for one in planner.registry.live.values():
        request = {
            "op": "advertise" if one.kind == ADVERTISEMENT else "subscribe",
            "host": one.host,
            "topic": one.topic,
        }
        world.follow({**request, "id": one.id}, [text(dz) for dz in one.dz])
    problems = Judge(world, flows(planner)).problems(tight=False)
    assert all(
        ("wanted 0" in problem and "got 1 copies" in problem) or "says what a shorter entry says" in problem
        for problem in problems
    )
    assert proof(planner) == []  # it knows the covers and permits redundant copies under them


def _budget(switch: str, number: int) -> dict[str, Any]:
    return {"op": "set_budget", "switch": switch, "tcam_budget": number}


def test_a_subscription_for_which_no_pair_can_be_merged_finds_room() -> None:
    """Two trees with other links at s1 are nested; a cover of their common space drops one part."""
    links = [link("s3", 1, "s1", 2, 2), link("s2", 2, "s1", 4, 3), link("s3", 2, "s1", 5, 2)]
    hosts = [host("h5", "s2", 4, 5), host("h6", "s2", 4, 6), host("h9", "s3", 3, 9)]
    sides = [{"name": name, "type": "int", "min": 0, "max": 7} for name in "xy"]
    planner = Planner(
        AddressPlan.default("ipv6"),
        Limits(max_dz_length=6, max_dz_per_filter=16, max_trees=4),
        read_topology(topology(3, links, hosts), "ipv6"),
        [Topic.from_json({"name": "a", "code": 4, "attributes": sides})],
    )
    planner.apply({"op": "set_aggregation", "method": "la"})
    wanted = [
        ("advertise", "r2", "h6", "x in [7, 7]"),
        ("advertise", "r6", "h5", "y in [4, 7]"),
        ("subscribe", "r8", "h9", "x in [3, 7] and y in [1, 7]"),
    ]
    assert planner.apply(_budget("s1", 4)).ok
    for op, name, of, text_of in wanted:
        assert planner.apply({"op": op, "id": name, "host": of, "topic": "a", "filter": text_of}).ok
    assert (planner.exact_counts()["s1"], planner.counts()["s1"]) == (9, 4)
    assert not installed_as_defined(planner)
