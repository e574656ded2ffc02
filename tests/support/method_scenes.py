"""Small networks with traffic and budgets, and a check of the result of aggregation."""

from __future__ import annotations

from random import Random
from typing import Any

from tercast.aggregation.definition import ExactTable, apply_covers, exact_table_of
from tercast.optimizer.pipeline import AggregationResult
from tercast.planner.planner import Planner
from tercast.verification.verifier import verify
from tests.support.judge import Judge, World
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


def planner_with_requests(seed: int) -> tuple[Planner, World]:
    """Return a planner of a dense small network after its requests, and the world that checks it."""
    network, requests = dense_scene(seed)
    planner = planner_for(network)
    world = World.of("ipv6", 16, DEPTH, network, TOPICS)
    for request in requests:
        if planner.apply(request).ok:
            world.follow(request, request.get("dz"))
    return planner, world


def some_traffic(planner: Planner, seed: int, count: int = 60) -> list[dict[str, Any]]:
    """Return events of the live advertisements, more of them with small values."""
    random = Random(seed)
    ads = list(planner.registry.advertisements())
    events: list[dict[str, Any]] = []
    while ads and len(events) < count:
        ad = random.choice(ads)
        cell = random.choice(ad.dz)
        free = DEPTH - cell.bit_length() + 1
        low = (cell << free) - (1 << DEPTH)
        events.append({"publisher": ad.id, "values": {"x": low + int((1 << free) * random.random() ** 2)}})
    return events


def some_budgets(planner: Planner, seed: int) -> dict[str, int | None]:
    """Return a budget below the present number of entries for most switches."""
    random = Random(seed)
    return {
        name: random.randint(1, count) if count and random.random() < 0.8 else None
        for name, count in planner.counts().items()
    }


def grounds(planner: Planner, switch: str) -> dict[str, ExactTable]:
    """Return the exact table of every topic at a switch."""
    number = planner.network.component_of(switch)
    return {
        plan.topic.name: exact_table_of(plan, switch, None if number is None else plan.forests.get(number))
        for plan in planner.plans
        if switch in plan.tries
    }


def entries_of(planner: Planner, result: AggregationResult, switch: str) -> int:
    """Count the entries of a switch with the covers of a result, by the definition."""
    covers = result.covers.get(switch, {})
    total = 0
    for topic, ground in grounds(planner, switch).items():
        if topic in covers:
            total += len(apply_covers(ground, covers[topic]))
        else:
            total += len(ground.plain) + sum(len(ground.in_port(port)) for port in ground.ports)
    return total


def problems(planner: Planner, world: World) -> list[str]:
    """Return lost, duplicated and looping events, by walking a packet for every point."""
    judge = Judge(world, flows(planner))
    found: list[str] = []
    for name, topic, cells in world.ads.values():
        place = world.place(name)
        for point in world.points():
            if place is None or not any(point.startswith(cell) for cell in cells):
                continue
            walk = judge.walk(place, world.address(topic, point))
            found += walk.problems
            found += [f"{got} got {n} copies" for got, n in walk.delivered.items() if n > 1]
            for other, wanted_topic, wanted in world.subs.values():
                at = world.place(other)
                in_reach = at is not None and at[0] in world.island(place[0])
                wants = wanted_topic == topic and any(point.startswith(cell) for cell in wanted)
                if in_reach and wants and not walk.delivered[other]:
                    found.append(f"{other} lost {topic} {point} from {name}")
    return found


def proof(planner: Planner) -> list[str]:
    """Return what the verifier finds in the installed tables; covers may cause redundant copies."""
    registry = planner.registry
    found = verify(
        planner.topology,
        planner.topics.values(),
        registry.advertisements(),
        registry.subscriptions(),
        planner.tables(),
        address=planner.address,
        covers=planner.budget_enforcer.covers(),
    )
    return [str(violation) for violation in found]


def ring_scene(seed: int) -> tuple[Planner, World]:
    """Return a ring whose publishers advertise a part of the space each, in separate trees."""
    random = Random(seed)
    count = random.randint(3, 5)
    links = [link(f"s{i}", 1, f"s{i % count + 1}", 2) for i in range(1, count + 1)]
    hosts = [host(f"h{i}", f"s{i}", 3, i) for i in range(1, count + 1)]
    network = topology(count, links, hosts)
    requests = [
        advertise(f"a{i}", f"h{random.randint(1, count)}", cell)
        for i, cell in enumerate(("00", "01", "10", "11"))
    ]
    for i in range(5 * count):
        cell = "".join(random.choices("01", k=random.randint(3, DEPTH)))
        requests.append(subscribe(f"q{i}", f"h{i % count + 1}", cell))
    planner, world = planner_for(network), World.of("ipv6", 16, DEPTH, network, TOPICS)
    for request in requests:
        assert planner.apply(request).ok
        world.follow(request, request["dz"])
    return planner, world
