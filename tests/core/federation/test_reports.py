"""Confirmations and refusals: each subscription gets one in the end, also behind the next neighbour."""

from tercast.federation.exchange.confirmations import FederationReach
from tercast.federation.messages.set_name import SetName
from tercast.federation.world.federated_world import FederatedWorld, WorldOptions
from tercast.federation.world.federation_checks import is_settled
from tercast.requests.registry import SUBSCRIPTION
from tests.support.federation_scenes import carry_out, line, rest, scenario_of, violations

PARTITIONS = {"N1": ["n1"], "N2": ["n2"], "N3": ["n3"]}
NAME = SetName("a", SUBSCRIPTION)


def three_in_a_line(options: WorldOptions | None = None, method: str = "none") -> FederatedWorld:
    """h1 in N1 advertises everything of topic a."""
    world = FederatedWorld(scenario_of(line(3, [1, 2, 3]), PARTITIONS), options, method)
    rest(world)
    assert carry_out(world, {"op": "advertise", "id": "p1", "host": "h1", "topic": "a", "dz": [""]})
    rest(world)
    return world


def subscribe(world: FederatedWorld, name: str, host: str, *dz: str) -> None:
    request = {"op": "subscribe", "id": name, "host": host, "topic": "a", "dz": list(dz)}
    assert carry_out(world, request)


def reach(world: FederatedWorld, name: str, partition: str, border: str) -> FederationReach:
    it = world.partitions[partition]
    return it.confirmations.reach(name, "a", it.peers)[f"border:{border}"]


def test_a_subscription_that_changes_no_table_is_confirmed() -> None:
    world = three_in_a_line()
    for name in ("s1", "s2", "s3"):
        subscribe(world, name, "h3", "00")
        rest(world)
        world.run_until(world.time.now + 2)
        assert reach(world, name, "N3", "n3:1") is FederationReach.CONFIRMED


def test_a_change_that_is_taken_back_before_it_is_sent_holds_up_no_confirmation() -> None:
    world = three_in_a_line(WorldOptions(delay=(0.4, 0.4), confirm=(0.01, 0.01)))
    subscribe(world, "x", "h2", "00")
    subscribe(world, "s", "h3", "000")
    world.run_until(world.time.now + 0.35)
    subscribe(world, "y", "h2", "1")
    world.run_until(world.time.now + 0.1)
    outgoing = world.partitions["N2"].peers["border:n2:1"].outgoing[NAME]
    assert outgoing.is_busy and outgoing.wanted != outgoing.cells, "y waits"
    assert carry_out(world, {"op": "unsubscribe", "id": "y"})
    world.run_until(world.time.now + 5)
    assert reach(world, "s", "N3", "n3:1") is FederationReach.CONFIRMED


def without_room() -> FederatedWorld:
    """n1 has space for one entry, and no partition aggregates."""
    world = three_in_a_line(method="la")
    for partition in world.partitions.values():
        partition.planner.apply({"op": "set_aggregation", "method": "none"})
    assert carry_out(world, {"op": "set_budget", "switch": "n1", "tcam_budget": 1})
    subscribe(world, "s1", "h3", "00", "011")
    world.run_until(world.time.now + 10)
    return world


def test_a_refusal_reaches_the_partition_of_the_subscriber_with_its_reason() -> None:
    world = without_room()
    assert reach(world, "s1", "N3", "n3:1") is FederationReach.REFUSED
    _, reason = world.partitions["N3"].peers["border:n3:1"].refused[NAME]
    assert '"n1" (budget 1)' in reason


def test_a_newer_set_that_is_accepted_ends_a_refusal() -> None:
    world = without_room()
    assert carry_out(world, {"op": "unsubscribe", "id": "s1"})
    subscribe(world, "s2", "h3", "00")
    rest(world)
    world.run_until(world.time.now + 2)
    assert reach(world, "s2", "N3", "n3:1") is FederationReach.CONFIRMED
    assert not any(peer.refused for one in world.partitions.values() for peer in one.peers.values())


def test_a_refused_set_is_planned_when_there_is_room() -> None:
    world = without_room()
    assert not is_settled(world)
    assert carry_out(world, {"op": "set_budget", "switch": "n1", "tcam_budget": None})
    rest(world)
    world.run_until(world.time.now + 2)
    assert violations(world) == []
    assert reach(world, "s1", "N3", "n3:1") is FederationReach.CONFIRMED


def test_memory_is_bounded_while_a_partition_behind_the_neighbour_is_silent() -> None:
    world = three_in_a_line(WorldOptions(grace=1_000.0))
    world.crash("N1")
    for i in range(20):
        subscribe(world, f"s{i}", "h3", f"{i % 16:04b}")
        carry_out(world, {"op": "unsubscribe", "id": f"s{i - 1}"})
        world.run_until(world.time.now + 1)
    assert len(world.partitions["N2"].confirmations._expected) <= 2
    assert ("peer_slow", "border:n2:1") in world.partitions["N2"].alarms
    world.start("N1")
    rest(world)
    world.run_until(world.time.now + 2)
    assert reach(world, "s19", "N3", "n3:1") is FederationReach.CONFIRMED
    assert not world.partitions["N2"].confirmations._expected
