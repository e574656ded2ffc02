"""Many subscriptions reach a neighbour in one exchange, and a silent neighbour costs bounded memory."""

from random import Random

import pytest

from tercast.federation.messages.set_name import SetName
from tercast.federation.messages.sliding_window import WINDOW
from tercast.federation.world.federated_world import FederatedWorld, WorldOptions
from tercast.requests.model import Subscribe
from tests.support.federation_scenes import carry_out, line, rest, scenario_of, violations

DEPTH = 20
NAME = SetName("a", "subscription")


def two_partitions(grace: float = 30.0) -> FederatedWorld:
    scenario = scenario_of(line(2, [1, 2, 2, 2]), {"A": ["n1"], "B": ["n2"]}, depth=DEPTH)
    world = FederatedWorld(scenario, WorldOptions(grace=grace))
    carry_out(world, {"op": "advertise", "id": "a1", "host": "h1", "topic": "a", "dz": [""]})
    rest(world)
    return world


def subscriptions(count: int, first: int = 0) -> list[Subscribe]:
    random = Random(first)
    return [
        Subscribe(f"q{first + i}", f"h{2 + i % 3}", "a", None, (1 << DEPTH | random.getrandbits(DEPTH),))
        for i in range(count)
    ]


@pytest.mark.parametrize("count", [1_500, pytest.param(25_000, marks=pytest.mark.full)])
def test_subscriptions_that_come_together_are_one_exchange(count: int) -> None:
    world = two_partitions()
    peer = world.partitions["B"].peers["border:n2:1"]
    before = peer.exchanges
    world.subscribe_all(subscriptions(count))
    rest(world)
    assert peer.exchanges == before + 1
    held = world.partitions["A"].received.held["border:n1:2", NAME]
    assert held == peer.outgoing[NAME].cells and len(held) > 0.9 * count
    assert violations(world) == []
    assert world.sent["SetDiff"] < 10 + count / 70, "at least 70 cells a message"
    assert world.sent_bytes < 15 * count + 20_000


def test_memory_is_bounded_while_a_neighbour_is_silent() -> None:
    world = two_partitions(grace=1_000.0)
    world.crash("A")
    peer = world.partitions["B"].peers["border:n2:1"]
    sizes = []
    for i in range(12):
        world.subscribe_all(subscriptions(200, 1_000 * i))
        for one in subscriptions(200, 1_000 * (i - 1)) if i else ():
            carry_out(world, {"op": "unsubscribe", "id": one.id})
        world.run_until(world.time.now + 20)
        sizes.append((peer.window.in_flight, len(peer.window._sources), len(peer.outgoing)))
    assert all(flying <= WINDOW and sources <= 2 and sets <= 2 for flying, sources, sets in sizes), sizes
    assert peer.session is not None and peer.exchanges <= 3
    world.start("A")
    rest(world)
    assert violations(world) == []
