"""Random networks that are cut into partitions, and the undivided planner as their oracle."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

from tercast.errors import Refused, RefusedMany
from tercast.federation.world.federated_world import FederatedWorld, WorldOptions
from tercast.federation.world.federation_checks import has_cycle, is_settled, open_edges
from tercast.offline.scenario import Scenario, read_scenario
from tercast.requests.reader import read_request
from tercast.verification.verifier import verify
from tests.support.networks import DEPTH, TOPICS, dense_scene

ADDRESS = {"family": "ipv6", "prefix": "ff0e::/16", "topic_bits": 16}


def scenario_of(
    network: dict[str, Any], partitions: dict[str, list[str]], max_trees: int = 64, depth: int = DEPTH
) -> Scenario:
    """Return a scenario with partitions and without requests, which tests make with cells."""
    return read_scenario(
        {
            "format": "scenario/1",
            "address": ADDRESS,
            "topology": network,
            "topics": TOPICS,
            "limits": {"max_dz_length": depth, "max_trees": max_trees},
            "requests": [],
            "partitions": partitions,
        }
    )


def divided_scene(seed: int, most: int = 4) -> tuple[Scenario, list[dict[str, Any]]]:
    """Return a random network in 1 to `most` partitions, which may have several parts, and requests."""
    network, requests = dense_scene(seed)
    random = Random(seed)
    for host in network["hosts"]:
        host.pop("standby", None)
    names = [switch["id"] for switch in network["switches"]]
    count = random.randint(1, min(most, len(names)))
    partitions: dict[str, list[str]] = {f"p{i}": [] for i in range(count)}
    for i, name in enumerate(names):
        partitions[f"p{i if i < count else random.randrange(count)}"].append(name)
    return scenario_of(network, partitions, random.choice([1, 2, 64])), requests


def watched_world(scenario: Scenario, options: WorldOptions) -> FederatedWorld:
    """Return a world in which invariant T is checked after every step."""
    world = FederatedWorld(scenario, options)

    def watch() -> None:
        assert not has_cycle(open_edges(world, conservative=True)), f"a cycle at {world.time.now} s"

    world.time.after_step.append(watch)
    return world


def carry_out(world: FederatedWorld, request: dict[str, Any]) -> bool:
    """Carry out a request of a test; return whether it was valid."""
    try:
        return world.request(read_request(request)).ok
    except (Refused, RefusedMany):
        return False


def rest(world: FederatedWorld, longest: float = 90.0) -> float:
    """Let time pass until the federation is at rest; return the seconds."""
    start = world.time.now
    while not is_settled(world):
        assert world.time.now < start + longest, f"not at rest after {longest} s"
        world.run_until(world.time.now + 0.25)
    return world.time.now - start


def violations(world: FederatedWorld) -> list[str]:
    """Check the installed tables of all switches as if one controller had written them."""
    tables = {switch: tuple(world.tables.entries(switch)) for switch in world.truth.topology.switches}
    found = verify(
        world.truth.topology,
        world.truth.topics.values(),
        world.truth.advertisements(),
        world.truth.subscriptions(),
        tables,
        address=world.scenario.address,
    )
    return [str(one) for one in found]


def all_copies(world: FederatedWorld) -> Counter[tuple[str, str, int, str]]:
    """Count the copies of every event of every advertisement, by topic, publisher, event and host."""
    copies: Counter[tuple[str, str, int, str]] = Counter()
    depth = world.scenario.depth
    for ad in world.truth.advertisements():
        place = world.model.place.get(ad.host)
        if place is None:
            continue
        code = world.truth.topics[ad.topic].code
        for dz in ad.dz:
            free = depth - (dz.bit_length() - 1)
            for tail in range(1 << free):
                event = dz << free | tail
                found = world.tables.walk(world.model, place, code, event)
                assert not found.has_loop
                for host, number in found.copies.items():
                    copies[ad.topic, ad.host, event, host] = number
    return copies


def line(count: int, hosts_at: list[int]) -> dict[str, Any]:
    """Return switches n1, n2, ... in a line, with hosts h1, h2, ... at these switches."""
    return {
        "switches": [{"id": f"n{i}", "dpid": f"{i:016x}"} for i in range(1, count + 1)],
        "links": [
            {"a": f"n{i}", "a_port": 2, "b": f"n{i + 1}", "b_port": 1, "cost": 1} for i in range(1, count)
        ],
        "hosts": [
            {
                "id": f"h{i}",
                "switch": f"n{at}",
                "port": 10 + i,
                "ip": f"fd00::{i:x}",
                "mac": f"02:00:00:00:00:{i:02x}",
            }
            for i, at in enumerate(hosts_at, 1)
        ],
    }


def ring(count: int) -> dict[str, Any]:
    """Return a ring of switches with a host at each."""
    network = line(count, list(range(1, count + 1)))
    network["links"].append({"a": f"n{count}", "a_port": 2, "b": "n1", "b_port": 1, "cost": 1})
    return network
