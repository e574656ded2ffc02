"""Figure 5 of PLEROMA, and what a covered subscription costs: nothing (test 6)."""

from collections import Counter

from tercast.federation.exchange.confirmations import FederationReach
from tercast.federation.messages.set_name import SetName
from tercast.federation.world.federated_world import FederatedWorld, WorldOptions
from tercast.requests.registry import ADVERTISEMENT, SUBSCRIPTION
from tests.support.federation_scenes import carry_out, line, rest, scenario_of, violations

PARTITIONS = {"N1": ["n1"], "N2": ["n2"], "N3": ["n3"]}


def figure_5() -> FederatedWorld:
    """p1 in N1 advertises {0}, s1 in N3 subscribes to {00}; hosts are h1 (p1), h2 in N2 and h3 (s1)."""
    world = FederatedWorld(scenario_of(line(3, [1, 2, 3]), PARTITIONS))
    rest(world)
    assert carry_out(world, {"op": "advertise", "id": "p1", "host": "h1", "topic": "a", "dz": ["0"]})
    assert carry_out(world, {"op": "subscribe", "id": "s1", "host": "h3", "topic": "a", "dz": ["00"]})
    rest(world)
    return world


def exported(world: FederatedWorld, partition: str, border: str, kind: str) -> list[str]:
    cells = world.partitions[partition].exports.cells.cells(f"border:{border}", "a", kind)
    return [f"{dz:b}"[1:] for dz in cells]


def set_messages(world: FederatedWorld) -> Counter[str]:
    return Counter({kind: world.sent[kind] for kind in ("SetDiff", "SetSnapshot", "SetDone")})


def test_figure_5_of_pleroma() -> None:
    world = figure_5()
    assert exported(world, "N1", "n1:2", ADVERTISEMENT) == ["0"]
    assert exported(world, "N2", "n2:2", ADVERTISEMENT) == ["0"]
    assert exported(world, "N3", "n3:1", SUBSCRIPTION) == ["00"]
    assert exported(world, "N2", "n2:1", SUBSCRIPTION) == ["00"]
    before = set_messages(world)
    assert carry_out(world, {"op": "subscribe", "id": "s2", "host": "h2", "topic": "a", "dz": ["000"]})
    rest(world)
    assert set_messages(world) == before, "s2 is covered by s1, so N2 sends nothing to N1"
    assert violations(world) == []
    reach = world.partitions["N2"].confirmations.reach("s2", "a", world.partitions["N2"].peers)
    assert reach == {"border:n2:1": FederationReach.CONFIRMED, "border:n2:2": FederationReach.NONE}


def test_the_withdrawal_of_the_covering_subscription_sends_one_diff_a_border() -> None:
    world = figure_5()
    carry_out(world, {"op": "subscribe", "id": "s2", "host": "h2", "topic": "a", "dz": ["000"]})
    rest(world)
    before = set_messages(world)
    assert carry_out(world, {"op": "unsubscribe", "id": "s1"})
    rest(world)
    assert (set_messages(world) - before)["SetDiff"] == 2  # N3 to N2, N2 to N1
    assert exported(world, "N2", "n2:1", SUBSCRIPTION) == ["000"]
    assert violations(world) == []


def test_a_subscription_is_confirmed_only_when_all_behind_have_confirmed() -> None:
    world = figure_5()
    partition = world.partitions["N3"]
    assert carry_out(world, {"op": "subscribe", "id": "s3", "host": "h3", "topic": "a", "dz": ["01"]})
    seen = []
    for _ in range(80):
        world.run_until(world.time.now + 0.01)
        state = partition.confirmations.reach("s3", "a", partition.peers)["border:n3:1"]
        if state is FederationReach.CONFIRMED:
            assert violations(world) == [], "confirmed, but events are lost"
        seen.append(state)
    assert seen[0] is FederationReach.PENDING and seen[-1] is FederationReach.CONFIRMED


def test_a_subscription_waits_for_partitions_behind_the_neighbour() -> None:
    world = figure_5()
    world.crash("N1")
    assert carry_out(world, {"op": "subscribe", "id": "s3", "host": "h3", "topic": "a", "dz": ["01"]})
    world.run_until(world.time.now + 5)
    partition = world.partitions["N3"]
    reach = partition.confirmations.reach("s3", "a", partition.peers)
    assert reach == {"border:n3:1": FederationReach.PENDING}


def test_cells_leave_a_set_only_after_switches_have_confirmed_their_removal() -> None:
    scenario = scenario_of(line(3, [1, 2, 3]), PARTITIONS)
    world = FederatedWorld(scenario, WorldOptions(confirm=(1.0, 1.0)))
    carry_out(world, {"op": "advertise", "id": "p1", "host": "h1", "topic": "a", "dz": ["0"]})
    carry_out(world, {"op": "subscribe", "id": "s1", "host": "h3", "topic": "a", "dz": ["00"]})
    rest(world)
    carry_out(world, {"op": "unsubscribe", "id": "s1"})
    place = "border:n2:2", SetName("a", SUBSCRIPTION)
    world.run_until(world.time.now + 0.9)
    assert world.partitions["N2"].received.held[place], "N3 has not confirmed"
    world.run_until(world.time.now + 0.3)
    assert not world.partitions["N2"].received.held[place]


def test_a_set_that_a_partition_has_no_room_for_is_refused_as_a_whole() -> None:
    network = line(3, [1, 2, 3])
    network["switches"][0]["tcam_budget"] = 1
    world = FederatedWorld(scenario_of(network, PARTITIONS), method="la")
    for partition in world.partitions.values():
        carry_out(world, {"op": "set_budget", "switch": "n1", "tcam_budget": 0})
        partition.planner.apply({"op": "set_aggregation", "method": "none"})
    carry_out(world, {"op": "advertise", "id": "p1", "host": "h1", "topic": "a", "dz": ["0"]})
    carry_out(world, {"op": "subscribe", "id": "s1", "host": "h3", "topic": "a", "dz": ["00", "011"]})
    world.run_until(20)
    peer = world.partitions["N2"].peers["border:n2:1"]
    ((_, reason),) = peer.refused.values()
    assert "needs more entries than these switches may have" in reason
    assert not world.partitions["N1"].planner.tables()
    assert ("peer_refused", "border:n1:2") in world.partitions["N1"].alarms
    reach = world.partitions["N2"].confirmations.reach("s1", "a", world.partitions["N2"].peers)
    assert reach["border:n2:1"] is FederationReach.REFUSED
