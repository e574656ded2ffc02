"""Random runs with cuts, crashes and lossy borders: nothing twice, no loop, nothing lost inside."""

from random import Random

import pytest

from tercast.errors import Refused
from tercast.federation.messages.peer_messages import Envelope, Goodbye
from tercast.federation.world.fault_run import FaultRun, start_at_rest
from tercast.federation.world.faults import CRASH, CUT, Fault, read_faults
from tercast.federation.world.federated_world import FederatedWorld, WorldOptions
from tercast.federation.world.federation_checks import NO_PROBES, ProbeResult, probe
from tests.property_profiles import some
from tests.support.federation_scenes import (
    carry_out,
    divided_scene,
    line,
    rest,
    ring,
    scenario_of,
    violations,
    watched_world,
)

LOSSES = (0.0, 0.0, 0.05, 0.2)


def run_with_faults(seed: int) -> FaultRun:
    """Draw a network, requests and faults from a seed, and run them."""
    scenario, requests = divided_scene(seed, most=6)
    random = Random(seed)
    loss = random.choice(LOSSES)
    delay = (0.005, random.choice([0.02, 0.4]))
    grace = random.choice([2.0, 30.0])
    options = WorldOptions(seed=seed, loss=loss, duplication=loss, delay=delay, grace=grace)
    world = watched_world(scenario, options)
    for request in requests:
        carry_out(world, request)
    rest(world)
    return FaultRun(world, read_faults([f"random:{random.randint(1, 4)}"], world, random), random).run()


@pytest.mark.parametrize("seed", some(range(1_000), 50))
def test_a_random_run_with_faults(seed: int) -> None:
    run = run_with_faults(seed)
    assert run.holds, run.report()
    assert violations(run.world) == []


RING = {f"p{i}": [f"n{i}"] for i in range(1, 5)}


def ring_world(grace: float = 30.0) -> FederatedWorld:
    world = watched_world(scenario_of(ring(4), RING), WorldOptions(grace=grace))
    for i in range(1, 5):
        carry_out(world, {"op": "advertise", "id": f"a{i}", "host": f"h{i}", "topic": "a", "dz": [""]})
        carry_out(world, {"op": "subscribe", "id": f"s{i}", "host": f"h{i}", "topic": "a", "dz": [""]})
    rest(world)
    return world


def deliveries(world: FederatedWorld) -> dict[tuple[str, str], int]:
    """Copies at each host of one event from each publisher."""
    found = {}
    for publisher, place in world.model.place.items():
        result = world.tables.walk(world.model, place, 4, 1 << world.scenario.depth)
        assert not result.has_loop
        found |= {(publisher, host): result.copies[host] for host in world.model.place}
    return found


def test_a_partition_without_its_controller_is_cut_off_after_the_grace_only() -> None:
    world = ring_world(grace=10.0)
    everybody = dict.fromkeys(deliveries(world), 1)
    assert deliveries(world) == everybody
    world.crash("p2")
    for _ in range(48):
        world.run_until(world.time.now + 0.25)
        if world.time.now < 14:
            assert deliveries(world) == everybody, "its switches still forward"
    world.run_until(world.time.now + 15)
    for (publisher, host), copies in deliveries(world).items():
        assert copies == (1 if (publisher == "h2") == (host == "h2") else 0), (publisher, host)
    assert ("partition_cut_off", "border:n1:2") in world.partitions["p1"].alarms
    world.start("p2")
    rest(world)
    assert deliveries(world) == everybody
    assert violations(world) == []


def test_requests_continue_while_a_neighbour_is_silent_and_reach_it_in_one_diff() -> None:
    world = ring_world(grace=100.0)
    world.crash("p2")
    world.run_until(world.time.now + 8)
    border = "border:n1:2"
    peer = world.partitions["p1"].peers[border]
    if peer.session is None:
        border, peer = "border:n3:1", world.partitions["p3"].peers["border:n3:1"]
    name = world.divided.borders[border].partitions[world.divided.borders[border].borders.index(border)]
    host = f"h{name[1]}"
    for i in range(40):
        carry_out(world, {"op": "unsubscribe", "id": f"t{i - 1}"})
        carry_out(
            world, {"op": "subscribe", "id": f"t{i}", "host": host, "topic": "b", "dz": [f"{i % 16:04b}"]}
        )
        carry_out(world, {"op": "unadvertise", "id": f"b{i - 1}"})
        carry_out(
            world, {"op": "advertise", "id": f"b{i}", "host": host, "topic": "b", "dz": [f"{i % 16:04b}"]}
        )
        world.run_until(world.time.now + 0.1)
        assert peer.window.in_flight <= 2 and len(peer.outgoing) <= 4
    assert peer.session is not None
    world.start("p2")
    rest(world)
    assert violations(world) == []


def test_a_controller_that_says_goodbye_names_the_length_of_its_absence() -> None:
    world = ring_world(grace=5.0)
    for border in world.partitions["p2"].peers:
        name, far = world.divided.borders[border].far_end(border)
        world.partitions[name].receive(far, Envelope(Goodbye(1, 60.0)), world.time.now)
    world.crash("p2")
    # a hello that was in transit would end the named grace
    world.run_until(world.time.now + 30)
    assert all(deliveries(world).values())
    world.run_until(world.time.now + 45)
    assert not all(deliveries(world).values())


def test_faults_are_read_or_refused_with_the_rule() -> None:
    world = ring_world()
    faults = read_faults(["crash:p1@7-8", "cut:p2,p1@1-2.5"], world, Random(1))
    assert faults == [Fault(CUT, ("p2", "p1"), 1.0, 2.5), Fault(CRASH, ("p1",), 7.0, 8.0)]
    assert [str(fault) for fault in faults] == ["cut:p2,p1@1-2.5", "crash:p1@7-8"]
    assert len(read_faults(["random:5"], world, Random(1))) == 5
    wrong = {
        "cut:p1": "is not a fault; write",
        "cut:p1,p3@1-2": "names no border",
        "cut:p1,p2,p2@1-2": "names no border",
        "cut:p1,p1@1-2": "names no border",
        "crash:west@1-2": 'unknown partition "west"; use one of p1, p2, p3, p4',
        "crash:p1@2-1": "ends before it begins",
        "crash:p1,p2@1-2": "names several partitions",
    }
    for text, rule in wrong.items():
        with pytest.raises(Refused, match=rule):
            read_faults([text], world, Random(1))


def test_names_of_partitions_may_contain_commas() -> None:
    scenario = scenario_of(line(3, [1, 2, 3]), {"a,b": ["n1"], "b": ["n2"], "a": ["n3"]})
    faults = read_faults(
        ["cut:a,b,b@1-2", "cut:b,a@2-3", "crash:a,b@3-4"], FederatedWorld(scenario), Random(1)
    )
    assert [fault.subject for fault in faults] == [("a,b", "b"), ("b", "a"), ("a,b",)]


def down(world: FederatedWorld) -> tuple[set[tuple[str, str]], set[str]]:
    """Return the partitions of borders that are cut, and those without a controller."""
    cut = {one.partitions for one in world.divided.border_links if one.borders in world.cut}
    return cut, world.partitions.keys() - world.alive


def test_faults_that_overlap_last_until_the_last_one_ends() -> None:
    world = ring_world()
    texts = ["cut:p1,p2@2-20", "cut:p2,p1@5-8", "crash:p3@2-20", "crash:p3@5-8"]
    run = FaultRun(world, read_faults(texts, world, Random(1)), Random(1))
    begin, seen = world.time.now, []
    world.time.at(begin + 12, lambda: seen.append(down(world)))
    assert run.run().holds
    assert seen == [({("p1", "p2")}, {"p3"})] and down(world) == (set(), set())


def test_the_end_of_a_cut_leaves_a_link_down_that_was_down_before() -> None:
    world = ring_world()
    carry_out(world, {"op": "link_down", "switch": "n1", "port": 2})
    rest(world)
    assert FaultRun(world, read_faults(["cut:p1,p2@1-3"], world, Random(1)), Random(1)).run().holds
    assert down(world) == ({("p1", "p2")}, set())


def test_a_run_reports_what_was_lost_and_how_long_it_took() -> None:
    world = ring_world()
    report = FaultRun(world, read_faults(["cut:p1,p2@2-10"], world, Random(1)), Random(1)).run().report()
    first, second = report["gaps"]
    assert first["faults"] == second["faults"] == ["cut:p1,p2@2-10"]
    assert first["lost"] > 0 and 0 < first["recovery_seconds"] < 10
    assert report["events"]["lost"] == first["lost"] + second["lost"]
    assert report["events"]["lost_at_rest"] == report["events"]["duplicated"] == report["cycles"] == 0
    assert report["messages"]["tree"] > 0 and report["at_rest"]


def test_a_federation_that_breaks_its_promise_is_reported() -> None:
    """The check of runs finds faults: an end that never drops makes a cycle and duplicates."""
    world = ring_world()
    world.time.after_step.clear()
    world.tables.closed.clear()
    for one in world.divided.border_links:
        for name, border in zip(one.partitions, one.borders, strict=True):
            end = world.partitions[name].nodes.at(border).ends[border]
            end.session = end.session or (1, 1)
    run = FaultRun(world, [Fault(CRASH, ("p1",), 1.0, 1.5)], Random(1))
    run.run()
    assert run.cycles > 0 and not run.holds


def test_the_requests_of_a_scenario_come_to_rest() -> None:
    world = FederatedWorld(scenario_of(line(2, [1, 2]), {"west": ["n1"], "east": ["n2"]}))
    assert start_at_rest(world) is not None
    assert probe(world, Random(1)) == NO_PROBES
    assert NO_PROBES + ProbeResult(1, 1, 0, 0, 0, 0, 0) == ProbeResult(1, 1, 0, 0, 0, 0, 0)
