"""A scenario in the simulator and on real Open vSwitch: equal deliveries, and equal counts per link."""

import random
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from mininet_labs.install import install
from tercast.offline.plan_file import PlanFile
from tercast.tables.entries import Entry
from tests.property_profiles import some
from tests.support.labs import plan_on_fabric_scenes as scenes
from tests.support.labs.plan_on_fabric import Lab
from tests.support.labs.plan_on_fabric_bounded import bounded
from tests.support.labs.plan_on_fabric_drawn import drawn
from tests.support.labs.plan_on_fabric_faults import FAULTS, FaultKind, find_fault
from tests.support.labs.plan_on_fabric_scenes import Scene

pytestmark = pytest.mark.fabric

SEEDS, FAILING_SEEDS, MORE_SEEDS = (1, 2, 5, 9, 17), (103, 104, 105), range(1000, 1060)
BOUNDED = ((1, False), (9, True), (3, False), (6, False), (25, False), (16, True))
DRAWN = (*SEEDS, *FAILING_SEEDS)


@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="tp-") as path:
        yield Path(path) / "f"


def run(scene: Scene, folder: Path) -> None:
    """Plan and install stage by stage, and compare after each stage."""
    deliveries = 0
    with Lab(scene, folder) as lab:
        for number, requests in enumerate(scene.stages):
            lab.apply(requests)
            lab.check_tables()
            events = lab.events(random.Random(f"{scene} {number}"))
            observed = lab.observed(events)
            assert observed == lab.expected(events), f"stage {number}"
            assert lab.reported(observed, events) == lab.simulated(events), f"stage {number}"
            deliveries += observed.deliveries.total()
    assert deliveries


@pytest.mark.parametrize("scene", scenes.FIXED, ids=str)
def test_hosts_get_and_links_carry_what_the_simulator_says(scene: Scene, folder: Path) -> None:
    run(scene, folder)


@pytest.mark.parametrize("seed", some(SEEDS, 1))
def test_so_they_do_in_networks_that_nobody_chose(seed: int, folder: Path) -> None:
    run(drawn(seed), folder)


@pytest.mark.parametrize("seed", some(FAILING_SEEDS, 1))
def test_so_they_do_when_links_and_switches_fail_and_come_back(seed: int, folder: Path) -> None:
    run(drawn(seed, failing=True), folder)


@pytest.mark.parametrize(
    ("seed", "failing"),
    [*BOUNDED[:2], *(pytest.param(*case, marks=pytest.mark.full) for case in BOUNDED[2:])],
)
def test_so_they_do_where_tables_have_less_room(seed: int, failing: bool, folder: Path) -> None:
    run(bounded(drawn(seed, failing), seed), folder)


@pytest.mark.full
@pytest.mark.parametrize("failing", [False, True])
@pytest.mark.parametrize("seed", MORE_SEEDS)
def test_so_they_do_in_many_more_networks(seed: int, failing: bool, folder: Path) -> None:
    run(drawn(seed, failing), folder)


def stages(scene: Scene, folder: Path) -> Iterator[tuple[Lab, list[Entry]]]:
    """Yield a lab whose fabric does not run, and all entries of its plan, after each stage."""
    lab = Lab(scene, folder)
    for requests in scene.stages:
        lab.plan_only(requests)
        yield lab, [entry for table in lab.planner.tables().values() for entry in table]


def test_the_scenes_are_what_they_are_for(folder: Path) -> None:
    """Trees appear and disappear, links are used in turn, hosts share ports: the comparisons need this."""
    trees = [len(lab.planner.trees()) for lab, _ in stages(scenes.TREES, folder)]
    assert trees == [1, 2, 2, 2, 1, 0]
    assert [len(lab.planner.pending()) for lab, _ in stages(scenes.TREES, folder)] == [0, 0, 0, 0, 2, 3]
    rng = random.Random(1)
    used = [set(lab.expected(lab.events(rng)).out) for lab, _ in stages(scenes.PARALLEL, folder)]
    parallel = [ports & {("s1", 1), ("s1", 2), ("s1", 3)} for ports in used]
    assert len(parallel[0]) == 2 and len({frozenset(ports) for ports in parallel}) > 2
    assert not parallel[3]
    for _, entries in stages(scenes.ONE_PORT, folder):
        assert any(entry.in_port is not None for entry in entries)
        assert any(action.to_json() == {"output": "in_port"} for entry in entries for action in entry.actions)
    for scene, length in ((scenes.IPV4_ROOM, 32), (scenes.WHOLE_SPACE, 32)):
        _, entries = next(stages(scene, folder))
        assert any(entry.dst.endswith(f"/{length}") for entry in entries)
    for lab, _ in stages(scenes.APART, folder):
        assert len(lab.planner.unreachable()) == 5


def test_bounded_scenes_come_to_merged_entries_within_their_budgets(folder: Path) -> None:
    for seed, failing in BOUNDED:
        merged = 0
        for lab, _ in stages(bounded(drawn(seed, failing), seed), folder):
            planner = lab.planner
            assert not planner.over_budget()
            merged += sum(planner.exact_counts().values()) - sum(planner.counts().values())
        assert merged > 20, seed


def test_the_drawn_scenes_differ(folder: Path) -> None:
    labs = [Lab(drawn(seed, failing=seed in FAILING_SEEDS), folder) for seed in DRAWN]
    sizes = {len(lab.planner.topology.switches) for lab in labs}
    assert min(sizes) == 4 and max(sizes) == 12 and len(sizes) > 5
    assert {lab.planner.address.family for lab in labs} == {"ipv4", "ipv6"}


@pytest.fixture(scope="module")
def one_port() -> Iterator[Lab]:
    """A network with requests, whose tables are correct again after every test."""
    with (
        tempfile.TemporaryDirectory(dir="/tmp", prefix="tp-") as path,
        Lab(scenes.ONE_PORT, Path(path) / "f") as lab,
    ):
        for requests in scenes.ONE_PORT.stages[:2]:
            lab.apply(requests)
        yield lab


@pytest.mark.parametrize("number", some(range(2), 1))
@pytest.mark.parametrize("kind", FAULTS, ids=lambda kind: kind.__name__)
def test_a_fault_in_a_table_shows_and_is_what_the_simulator_says_too(
    one_port: Lab, kind: FaultKind, number: int
) -> None:
    rng, plan = random.Random(f"{kind.__name__} {number}"), one_port.plan()
    events = one_port.events(rng)
    right = one_port.simulated(events)

    def shows(spoilt: PlanFile) -> bool:
        simulated = one_port.simulated(events, spoilt)
        return (
            simulated != right and not simulated["loops"]
        )  # a switch ends more looping copies than the simulator

    topology = one_port.planner.topology
    fault = find_fault(kind, plan, topology, rng, shows)
    install(one_port.fabric, [fault.change()], topology.hosts)
    try:
        observed = one_port.observed(events)
    finally:
        install(one_port.fabric, [fault.repair()], topology.hosts)
    assert observed != one_port.expected(events)
    assert one_port.reported(observed, events) == one_port.simulated(events, fault.spoil(plan))
