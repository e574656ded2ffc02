"""The verifier on merged tables: only entries under covers may send too much."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercast.eventspace.dz import covers
from tercast.optimizer.pipeline import aggregate
from tercast.planner.planner import Planner
from tercast.tables.covers import NetworkCovers, read_network_covers
from tercast.tables.entries import Entry, Output, SetDst
from tercast.verification.verifier import Verifier, verify
from tests.property_profiles import examples
from tests.support.method_scenes import planner_with_requests, proof, some_budgets, some_traffic
from tests.support.networks import DEPTH, advertise, host, link, planner_for, subscribe, topology

Tables = dict[str, list[Entry]]


def triangle() -> Planner:
    """A ring of three switches with two trees, each with its root at its publisher."""
    links = [link("s1", 1, "s2", 2), link("s2", 1, "s3", 2), link("s3", 1, "s1", 2)]
    hosts = [host("p", "s1", 9, 1), host("h", "s2", 9, 2), host("g", "s3", 9, 3)]
    planner = planner_for(topology(3, links, hosts))
    for request in (
        advertise("a", "p", "0"),
        advertise("b", "g", "1"),
        subscribe("q1", "h", "000", "010", "100", "110"),
        subscribe("q2", "g", "001", "011"),
        subscribe("q3", "p", "101"),
    ):
        assert planner.apply(request).ok
    return planner


def kinds(planner: Planner, tables: Any, covers: NetworkCovers | None) -> set[str]:
    registry = planner.registry
    found = verify(
        planner.topology,
        planner.topics.values(),
        registry.advertisements(),
        registry.subscriptions(),
        tables,
        address=planner.address,
        covers=covers,
    )
    return {violation.kind for violation in found}


def merged(planner: Planner, **cells: str) -> Tables:
    """The tables after a merge at one cell of each of some switches."""
    covers = {switch: {"a": {"plain": [{"dz": dz, "kept": []}]}} for switch, dz in cells.items()}
    assert planner.apply({"op": "aggregate", "method": "optimal", "covers": covers}).ok
    assert planner.budget_enforcer.covers() == read_network_covers(covers)
    return {name: list(table) for name, table in planner.tables().items()}


def changed(tables: Tables, switch: str, place: int, actions: tuple[Output | SetDst, ...]) -> Tables:
    entry = tables[switch][place]
    rows = list(tables[switch])
    rows[place] = Entry(entry.dst, entry.in_port, entry.priority, actions)
    return {**tables, switch: rows}


def find(planner: Planner, tables: Tables, switch: str, dz: str) -> int:
    dst = planner.address.match(4, int("1" + dz, 2))
    return next(i for i, entry in enumerate(tables[switch]) if entry.dst == dst)


def test_merged_entries_may_send_too_much_and_exact_ones_may_not() -> None:
    planner = triangle()
    tables = merged(planner, s1="0", s2="0")
    covers = planner.budget_enforcer.covers()
    assert kinds(planner, tables, covers) == set()
    assert kinds(planner, tables, {}) == {"unwanted", "needless"}
    assert kinds(planner, tables, {"s1": covers["s1"]}) == {"unwanted"}
    assert kinds(planner, tables, {"s2": covers["s2"]}) == {"needless"}
    assert kinds(planner, tables, None) >= {"unwanted"}


def test_too_much_beside_a_cover_is_found() -> None:
    planner = triangle()
    tables = merged(planner, s1="0")
    covers = planner.budget_enforcer.covers()
    place = find(planner, tables, "s3", "001")
    redundant = changed(tables, "s3", place, (Output(2), *tables["s3"][place].actions))
    assert kinds(planner, redundant, covers) == {"needless"}
    twice = changed(tables, "s2", find(planner, tables, "s2", "100"), (SetDst("h"), Output(9), Output(9)))
    assert kinds(planner, twice, covers) == {"doubled"}


def test_an_output_across_trees_is_found() -> None:
    planner = triangle()
    tables = merged(planner, s1="0", s2="")
    covers = planner.budget_enforcer.covers()
    assert kinds(planner, tables, covers) == set()
    across = changed(tables, "s2", 0, (Output(1), Output(2), *tables["s2"][0].actions))
    assert "doubled" in kinds(planner, across, covers)
    everywhere = {**across, "s3": [], "s1": []}
    everywhere["s3"] = changed(tables, "s3", 0, (Output(1), Output(2), SetDst("g"), Output(9)))["s3"]
    everywhere["s1"] = changed(tables, "s1", 0, (Output(1), Output(2)))["s1"]
    assert "loop" in kinds(planner, everywhere, covers)


def test_what_a_merged_entry_no_longer_sends_is_lost() -> None:
    planner = triangle()
    tables = merged(planner, s1="0")
    place = find(planner, tables, "s1", "0")
    less = changed(tables, "s1", place, tables["s1"][place].actions[1:])
    assert "lost" in kinds(planner, less, planner.budget_enforcer.covers())


def test_budgets_are_held_against_merged_tables() -> None:
    planner = triangle()
    tables = merged(planner, s1="0")
    planner.enforce_budgets = False
    planner.apply({"op": "set_budget", "switch": "s1", "tcam_budget": len(tables["s1"])})
    assert kinds(planner, tables, planner.budget_enforcer.covers()) == set()
    planner.apply({"op": "set_budget", "switch": "s1", "tcam_budget": len(tables["s1"]) - 1})
    assert kinds(planner, tables, planner.budget_enforcer.covers()) == {"budget"}


@given(st.integers(0, 100_000), st.integers(0, 1000))
@examples(40)
def test_an_entry_that_goes_is_missed_or_was_merged(seed: int, which: int) -> None:
    planner, _ = planner_with_requests(seed)
    traffic = some_traffic(planner, seed)
    result = aggregate(planner, "optimal", traffic, budgets=some_budgets(planner, seed))
    assert planner.apply(result.request).ok
    assert proof(planner) == []
    tables = {name: list(table) for name, table in planner.tables().items()}
    rows = [(name, i) for name, table in tables.items() for i in range(len(table))]
    if not rows:
        return
    name, place = rows[which % len(rows)]
    known = planner.budget_enforcer.covers()
    gone = {**tables, name: [entry for i, entry in enumerate(tables[name]) if i != place]}
    entry = tables[name][place]
    if kinds(planner, gone, known) == set() and _is_met(planner, tables[name], entry):
        code, dz = planner.address.parse_match(entry.dst)
        topic = next(topic.name for topic in planner.topics.values() if topic.code == code)
        found = known[name][topic]
        table = found.plain if entry.in_port is None else found.in_port[entry.in_port]
        assert any(dz == cell for cover in table for cell in (cover.dz, *cover.kept))


def _is_met(planner: Planner, table: list[Entry], entry: Entry) -> bool:
    """Whether a plain entry is the longest match of some point, in a table without in-port entries."""
    if any(other.in_port is not None for other in table):
        return False
    mine = planner.address.parse_match(entry.dst)
    others = [planner.address.parse_match(other.dst) for other in table]
    cells = [dz for code, dz in others if code == mine[0]]
    points = (1 << DEPTH | x for x in range(1 << DEPTH))
    return any(max((dz for dz in cells if covers(dz, point)), default=0) == mine[1] for point in points)


def test_step_by_step_it_follows_covers() -> None:
    planner = triangle()
    verifier = Verifier.of(planner.registry, planner.tables(), covers=planner.budget_enforcer.covers)
    planner.take_diff()
    assert verifier.check() == []
    for dz in ("0", "00", None):
        covers = {} if dz is None else {"a": {"plain": [{"dz": dz, "kept": []}]}}
        request = {"op": "aggregate", "method": "optimal", "covers": {"s1": covers}}
        assert planner.apply(request).ok
        assert verifier.step(planner.registry, planner.take_diff()) == []


@pytest.mark.parametrize("exact", [True, False])
def test_without_covers_all_or_nothing_may_be_too_much(exact: bool) -> None:
    planner = triangle()
    tables = merged(planner, s1="0")
    registry = planner.registry
    found = verify(
        planner.topology,
        planner.topics.values(),
        registry.advertisements(),
        registry.subscriptions(),
        tables,
        address=planner.address,
        exact=exact,
    )
    assert bool(found) == exact
