"""Compiled propagation has the results of plain Python, wherever it starts and ends."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

from tercast.encoding.limits import Limits
from tercast.eventspace.address_plan import AddressPlan
from tercast.eventspace.topic import Topic
from tercast.planner.planner import Planner
from tercast.runtime import jit
from tercast.tables.entries import Table
from tercast.topology.reader import read_topology
from tests.support.networks import (
    TOPICS,
    advertise,
    dense_scene,
    host,
    link,
    planner_for,
    subscribe,
    topology,
)

pytest.importorskip("numba")

from tercast.routing.kernels import compiled_topic, port_semantics, table_changes
from tercast.routing.kernels.patricia import new_nodes
from tercast.runtime import growable_array
from tests.property_profiles import some
from tests.support.kernel_modes import restored_kernels  # noqa: F401 - fixture

Requests = list[dict[str, Any]]


def planned(
    network: dict[str, Any], requests: Requests, switch_at: dict[int, bool], planner: Planner | None = None
) -> Planner:
    """A planner after single requests; `switch_at` maps a request's number to the kernels used from then."""
    jit.use(switch_at.get(0, False))
    planner = planner or planner_for(network)
    tables: dict[str, Table] = {}
    for i, request in enumerate(requests):
        if i in switch_at:
            jit.use(switch_at[i])
        planner.apply(request)
        tables = planner.take_diff().apply(tables)
        assert tables == planner.tables()
    return planner


def webs(planner: Planner) -> list[bool]:
    return [plan.compiled is not None for plan in planner.plans]


def assert_same(one: Planner, other: Planner) -> None:
    assert one.tables() == other.tables()
    assert one.trees() == other.trees()
    assert one.counts() == other.counts()
    assert one.snapshot() == other.snapshot()


@pytest.mark.parametrize("seed", some(range(25), 8))
def test_it_plans_what_plain_python_plans(seed: int) -> None:
    network, requests = dense_scene(seed)
    plain = planned(network, requests, {0: False})
    fast = planned(network, requests, {0: True})
    assert not any(webs(plain))
    assert any(webs(fast))
    assert_same(plain, fast)


@pytest.mark.parametrize("seed", some(range(25), 8))
def test_tables_within_budgets_are_the_same_over_it(seed: int) -> None:
    network, requests = dense_scene(seed)
    random = Random(seed)
    bounded: Requests = [{"op": "set_aggregation", "method": "la"}]
    bounded += [
        {"op": "set_budget", "switch": one["id"], "tcam_budget": random.choice((1, 2, 4, 7))}
        for one in network["switches"]
    ]
    plain = planned(network, bounded + requests, {0: False})
    fast = planned(network, bounded + requests, {0: True})
    assert any(webs(fast)), "an overlay leaves spreading to it"
    assert_same(plain, fast)


@pytest.mark.parametrize("bits", [20, 60, 100])
def test_cells_are_found_between_two_keys(bits: int) -> None:
    network = topology(2, [link("s1", 1, "s2", 1)], [host("p", "s1", 2, 1), host("h", "s2", 2, 2)])
    topics, limits = [Topic.from_json(TOPICS[0])], Limits(max_dz_length=bits)
    planner = Planner(AddressPlan.default("ipv6"), limits, read_topology(network, "ipv6"), topics)
    jit.use(True)
    random = Random(bits)
    cells = ["".join(random.choice("01") for _ in range(random.randint(1, 9))) for _ in range(60)]
    planner.apply(advertise("a", "p", ""))
    planner.apply_all([subscribe(f"q{n}", "h", cell) for n, cell in enumerate(cells)])
    (plan,) = (plan for plan in planner.plans if plan.compiled is not None)
    trie, order = plan.tries["s1"], plan.order
    known = {order.key(int("1" + cell, 2)) for cell in ("", *cells)} & {*trie.entries} | {order.key(1)}
    found = trie.storage.owned_keys(0, order.end(order.key(1)))
    assert found == sorted(found) and known <= {*found}
    for _ in range(300):
        length = random.randint(0, min(bits, 70))
        low = order.key(1 << length | random.getrandbits(length) if length else 1)
        for start in (low, low + 1):
            high = random.choice((order.end(low), random.choice(found)))
            assert trie.storage.owned_keys(start, high) == [key for key in found if start <= key < high]


@pytest.mark.parametrize("seed", some(range(15), 8))
def test_it_can_begin_and_end_in_the_middle(seed: int) -> None:
    network, requests = dense_scene(seed)
    plain = planned(network, requests, {0: False})
    late = planned(network, requests[: len(requests) // 2], {0: False, len(requests) // 4: True})
    assert any(webs(late))
    for plan in late.plans:
        if plan.compiled is not None:
            plan.compiled.leave()
    assert not any(webs(late))
    for request in requests[len(requests) // 2 :]:
        late.apply(request)
    assert_same(plain, late)


@pytest.mark.parametrize("seed", range(10))
def test_what_was_not_taken_for_long_comes_to_the_same(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_changes, "_MOST", 4)
    network, requests = dense_scene(seed)
    jit.use(True)
    planner = planner_for(network)
    for request in requests:
        planner.apply(request)
        if request["op"] == "advertise":
            planner.dry_run([subscribe("tried", network["hosts"][0]["id"], "0", "01")])
    jit.use(False)
    plain = planner_for(network)
    plain.apply_all(requests)
    diff, same = planner.take_diff(), plain.take_diff()
    assert diff.apply({}) == planner.tables() == plain.tables()
    assert len(diff) == len(same) == sum(planner.counts().values())


def test_rows_keep_what_they_hold_when_they_get_more_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(growable_array, "_WORTH", 4)
    place = growable_array.GrowableRows()
    rows = np.arange(48, dtype=np.int64).reshape(6, 8)
    assert place.wanted(rows, 6) and not place.wanted(rows, 3)
    for used in (6, 12, 5000):
        holder = [rows]
        del rows
        rows = place.larger(holder, used)
        assert rows.shape == (2 * used, 8) and not holder
        assert rows[:6].ravel().tolist() == list(range(48)) and not rows[6:].any()
    other, holder = rows, [rows]
    rows = place.larger(holder, 10_000)
    assert rows[:6].tolist() == other[:6].tolist()
    rows[0] = 7
    assert other[0, 0] == 0, "who refers to them keeps what was there"


@pytest.mark.parametrize("seed", range(5))
def test_nodes_that_get_more_room_plan_the_same(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    network, requests = dense_scene(seed)
    plain = planned(network, requests, {0: False})
    monkeypatch.setattr(growable_array, "_WORTH", 1)
    monkeypatch.setattr(compiled_topic, "new_nodes", lambda _: new_nodes(3))
    assert_same(plain, planned(network, requests, {0: True}))


def test_entries_are_given_to_who_keeps_them_and_followed() -> None:
    network, requests = dense_scene(5)
    jit.use(True)
    planner, plain = planner_for(network), planner_for(network)
    planner.apply_all(requests[:20])
    known = planner.tables()
    for plan in planner.plans:
        for trie in plan.tries.values():
            before = trie.entries
            trie.storage.materialise()
            assert trie.entries == before and trie.entries is trie.entries
    assert planner.tables() == known
    planner.apply_all(requests[20:])
    jit.use(False)
    plain.apply_all(requests)
    assert planner.take_diff().apply({}) == planner.tables() == plain.tables()


def test_a_switch_with_too_many_bits_is_planned_in_plain_python(monkeypatch: pytest.MonkeyPatch) -> None:
    hosts = [host(f"h{n}", "s1", 2 + n, n) for n in range(5)] + [host("p", "s2", 2, 9)]
    network = topology(2, [link("s1", 1, "s2", 1)], hosts)
    requests = [advertise("a", "p", ""), *(subscribe(f"q{n}", f"h{n}", f"{n:03b}") for n in range(5))]
    monkeypatch.setattr(port_semantics, "MAX_BITS", 3)
    fast = planned(network, requests, {0: True})
    assert webs(fast) == [False] * len(fast.plans)
    assert_same(fast, planned(network, requests, {0: False}))


def test_everything_that_is_withdrawn_leaves_no_cell() -> None:
    network, requests = dense_scene(3)
    planner = planned(network, requests, {0: True})
    for name, registration in list(planner.registry.live.items()):
        op = "unsubscribe" if registration.kind == "subscription" else "unadvertise"
        assert planner.apply({"op": op, "id": name}).ok
    for plan in planner.plans:
        if plan.compiled is not None:
            plan.compiled.leave()
        for trie in plan.tries.values():
            assert not trie.propagator.subscriptions.own
            assert not trie.propagator.advertisements.own
            assert not trie.entries
            assert not trie.in_port_table.entries


def deep(network: dict[str, Any]) -> Planner:
    """A planner with the full length of an address: cells of up to 96 bits."""
    topics = [Topic.from_json(topic) for topic in TOPICS]
    return Planner(AddressPlan.default("ipv6"), Limits(), read_topology(network, "ipv6"), topics)


def test_long_cells_end_it() -> None:
    network = topology(2, [link("s1", 1, "s2", 1)], [host("p", "s1", 2, 1), host("h", "s2", 2, 2)])
    short = [
        advertise("a", "p", "", topic="a"),
        subscribe("q1", "h", "0101"),
        subscribe("q2", "h", "00" * 27),
    ]
    long = subscribe("q3", "h", "10" * 30)
    fast = planned(network, short, {0: True}, deep(network))
    assert any(webs(fast))
    assert_same(fast, planned(network, short, {0: False}, deep(network)))
    jit.use(True)
    assert fast.apply(long).ok
    assert fast.apply(subscribe("q4", "p", "11")).ok
    assert webs(fast) == [False] * len(fast.plans)
    plain = planned(network, [*short, long, subscribe("q4", "p", "11")], {0: False}, deep(network))
    assert_same(fast, plain)
