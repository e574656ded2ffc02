"""The tables of all partitions together are correct, as if one controller had planned them."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercast.federation.world.federated_world import FederatedWorld, WorldOptions
from tercast.federation.world.federation_checks import open_edges, unequal_sets
from tercast.requests.model import AddBorder, RemoveBorder, Unadvertise, Unsubscribe
from tercast.requests.registry import ADVERTISEMENT
from tests.property_profiles import examples
from tests.support.federation_scenes import (
    all_copies,
    carry_out,
    divided_scene,
    line,
    rest,
    ring,
    scenario_of,
    violations,
    watched_world,
)

SLOW = WorldOptions(delay=(0.005, 0.4), loss=0.1, duplication=0.1)


def run(seed: int, options: WorldOptions, pauses: st.DataObject | None = None) -> FederatedWorld:
    scenario, requests = divided_scene(seed)
    world = watched_world(scenario, replace(options, seed=seed))
    for request in requests:
        carry_out(world, request)
        if pauses is not None:
            world.run_until(world.time.now + pauses.draw(st.sampled_from([0, 0, 0.05, 0.5])))
    rest(world)
    return world


@examples(150)
@given(seed=st.integers(0, 1 << 32), lossy=st.booleans(), data=st.data())
def test_joint_tables_are_exact_and_sets_are_equal(seed: int, lossy: bool, data: st.DataObject) -> None:
    world = run(seed, SLOW if lossy else WorldOptions(), data)
    assert violations(world) == []
    assert unequal_sets(world) == []


@examples(60)
@given(seed=st.integers(0, 1 << 32))
def test_deliveries_are_those_of_the_undivided_planner(seed: int) -> None:
    scenario, requests = divided_scene(seed)
    divided, whole = FederatedWorld(scenario), FederatedWorld(replace(scenario, partitions={}))
    for request in requests:
        carry_out(divided, request)
        carry_out(whole, request)
    rest(divided)
    rest(whole)
    assert all_copies(divided) == all_copies(whole)


@examples(60)
@given(seed=st.integers(0, 1 << 32))
def test_nothing_is_left_after_all_withdrawals(seed: int) -> None:
    world = run(seed, WorldOptions())
    for registration in list(world.truth.live.values()):
        kind = Unadvertise if registration.kind == ADVERTISEMENT else Unsubscribe
        assert world.request(kind(registration.id)).ok
    rest(world)
    assert world.tables.count() == 0
    for partition in world.partitions.values():
        assert not partition.planner.registry.live
        assert not any(partition.planner.verified_tables().values())
        assert not any(partition.received.held.values())


def test_equal_seeds_result_in_identical_runs() -> None:
    first, second = run(7, SLOW), run(7, SLOW)
    assert first.sent == second.sent and first.sent_bytes == second.sent_bytes
    assert first.time.steps == second.time.steps and first.time.now == second.time.now
    assert all_copies(first) == all_copies(second)
    other = run(8, SLOW)
    assert other.sent_bytes != first.sent_bytes


@pytest.mark.parametrize("seed", range(10))
def test_parts_of_a_partition_join_without_a_cycle(seed: int) -> None:
    """A switch returns between two parts that are both joined to the neighbour."""
    world = watched_world(scenario_of(ring(4), {"p1": ["n1", "n2", "n3"], "p2": ["n4"]}), WorldOptions(seed))
    carry_out(world, {"op": "switch_down", "switch": "n2"})
    rest(world)
    assert len(list(open_edges(world))) == 2
    carry_out(world, {"op": "switch_up", "switch": "n2"})
    rest(world)
    assert len(list(open_edges(world))) == 1


@pytest.mark.parametrize("seed", range(4))
def test_the_judges_find_errors(seed: int) -> None:
    """Without the subscription sets, events between partitions are lost, and the checks find it."""
    scenario, requests = divided_scene(11 + seed)
    world = FederatedWorld(scenario)
    for partition in world.partitions.values():
        cells = partition.exports.cells
        original = cells.cells
        cells_of = lambda border, topic, kind, original=original: (  # noqa: E731
            original(border, topic, kind) if kind == ADVERTISEMENT else ()
        )
        object.__setattr__(cells, "cells", cells_of)
    for request in requests:
        carry_out(world, request)
    world.run_until(30)
    assert any("lost" in one for one in violations(world)) or len(world.partitions) == 1


def test_borders_come_and_go_while_the_controller_runs() -> None:
    world = watched_world(
        scenario_of(line(3, [1, 2, 3]), {f"p{i}": [f"n{i}"] for i in (1, 2, 3)}), WorldOptions()
    )
    carry_out(world, {"op": "advertise", "id": "a1", "host": "h1", "topic": "a", "dz": [""]})
    carry_out(world, {"op": "subscribe", "id": "s3", "host": "h3", "topic": "a", "dz": [""]})
    rest(world)
    middle, border = world.partitions["p2"], "border:n2:2"
    assert middle.request(RemoveBorder("n2", 2), world.time.now).ok
    pushes = middle.take_pushes()
    assert all(change.switch == "n2" for push in pushes for change in push.diff.switches)
    assert border in pushes[-1].closed, "the switch drops what comes from there"
    assert border not in middle.peers and not any(at == border for at, _ in middle.received.held)
    assert not middle.planner.tables(), "the other neighbour subscribes to nothing"
    middle.tick(world.time.now + 1)
    assert middle.request(AddBorder("n2", 2, 1), world.time.now).ok
    assert border in middle.peers and border in middle.closed
