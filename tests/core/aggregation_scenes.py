"""Requests of all kinds, budgets and covers among them, for property tests of aggregation."""

from __future__ import annotations

from random import Random
from typing import Any

from hypothesis import strategies as st

from tercast.addressing import AddressPlan
from tercast.aggregation.covers import Cover, TableCovers, network_covers_json
from tercast.dz import covers as holds
from tercast.dz import text
from tercast.eventspace import Topic
from tercast.limits import Limits
from tercast.planner import Outcome, Planner
from tercast.topology_json import read_topology
from tests.core.aggregation_oracle import installed_as_defined
from tests.core.judge import Judge, World
from tests.core.networks import DEPTH, dense_scene, flows, scenes

SIDE = {"type": "int", "min": 0, "max": 3}
TOPICS: list[dict[str, Any]] = [
    {"name": name, "code": code, "attributes": [{"name": "x", **SIDE}, {"name": "y", **SIDE}]}
    for name, code in (("a", 4), ("b", 5))
]

Scene = tuple[dict[str, Any], list[dict[str, Any]]]
BUDGETS = [None, 0, 1, 1, 2, 2, 3, 4, 6]


def random_covers(random: Random) -> tuple[Cover, ...]:
    found: list[Cover] = []
    for _ in range(random.randint(0, 3)):
        dz = random.randint(1, (2 << random.randint(0, DEPTH - 1)) - 1)
        if any(holds(dz, other.dz) or holds(other.dz, dz) for other in found):
            continue
        below = [other for other in range(2, 2 << DEPTH) if other != dz and holds(dz, other)]
        found.append(Cover.of(dz, random.sample(below, min(len(below), random.choice([0, 0, 1, 2, 4])))))
    return tuple(sorted(found, key=lambda cover: bin(cover.dz)))


def random_table(random: Random, ports: list[int]) -> TableCovers:
    inner = {port: random_covers(random) for port in sorted(random.sample(ports, min(len(ports), 2)))}
    return TableCovers(random_covers(random), {port: some for port, some in inner.items() if some})


def spice(network: dict[str, Any], requests: list[dict[str, Any]], random: Random) -> Scene:
    """Put budgets and requests about budgets, aggregation, `indexed` and the network among others.

    Filters take the place of dz, so that topics can be encoded anew.
    """
    names = [switch["id"] for switch in network["switches"]]
    ports = sorted({host["port"] for host in network["hosts"]})
    for switch in network["switches"]:
        switch["tcam_budget"] = random.choice(BUDGETS)
    out: list[dict[str, Any]] = []
    for request in requests:
        if "dz" in request:
            request = {key: value for key, value in request.items() if key != "dz"}
            request["filter"] = random_filter(random)
        out.append(request)
        chance = random.random()
        if chance < 0.12:
            budget = random.choice(BUDGETS)
            out.append({"op": "set_budget", "switch": random.choice(names), "tcam_budget": budget})
        elif chance < 0.2:
            some = {
                name: {
                    topic["name"]: random_table(random, ports)
                    for topic in random.sample(TOPICS, random.randint(0, 2))
                }
                for name in random.sample(names, random.randint(1, len(names)))
            }
            out.append({"op": "aggregate", "method": "optimal", "covers": network_covers_json(some)})
        elif chance < 0.23:
            out.append({"op": "set_aggregation", "method": random.choice(["none", "la", "la", "fa-pb"])})
        elif chance < 0.25:
            indexed = random.choice([["x"], ["y"], ["x", "y"], ["y", "x"]])
            out.append({"op": "set_indexed", "topic": random.choice("ab"), "indexed": indexed})
    return network, out


def random_filter(random: Random) -> str:
    def part(name: str) -> str:
        low = random.randint(0, 3)
        return f"{name} in [{low}, {random.randint(low, 3)}]"

    return random.choice([part("x"), part("y"), f"{part('x')} and {part('y')}", "x >= 0"])


@st.composite
def spiced_scenes(draw: st.DrawFn, most: int = 18) -> Scene:
    network, requests = draw(scenes(most))
    return spice(network, requests, Random(draw(st.integers(0, 1 << 30))))


def dense_spiced_scene(seed: int) -> Scene:
    return spice(*dense_scene(seed), Random(seed))


def planner_of_scene(network: dict[str, Any], max_trees: int = 64) -> Planner:
    return Planner(
        AddressPlan.default("ipv6"),
        Limits(max_dz_length=DEPTH, max_trees=max_trees),
        read_topology(network, "ipv6"),
        [Topic.from_json(topic) for topic in TOPICS],
    )


def state(planner: Planner) -> tuple[Any, ...]:
    """All that can be seen of a planner, but the number of requests."""
    snapshot = {**planner.snapshot(), "applied": 0}
    return snapshot, planner.tables(), planner.exact_tables(), planner.trees(), planner.counts()


class Follower:
    """Takes requests through a planner, and judges every step."""

    def __init__(self, network: dict[str, Any], max_trees: int = 64, method: str = "la") -> None:
        self.planner = planner_of_scene(network, max_trees)
        self.world = World.of("ipv6", 16, DEPTH, network, TOPICS)
        self.planner.apply({"op": "set_aggregation", "method": method})
        self.gone: set[str] = set()
        self.tables = self.planner.tables()

    def step(self, request: dict[str, Any]) -> Outcome | None:
        planner = self.planner
        if request["op"].startswith("un") and request["id"] in self.gone:
            return None
        before = state(planner)
        outcome = planner.apply(request)
        diff = planner.take_diff()
        self.tables = diff.apply(self.tables)
        assert self.tables == planner.tables()
        if outcome.ok:
            self.follow(request)
        else:
            assert outcome.reason is not None
            assert len(diff) == 0
            assert state(planner) == before
            if request["op"] in ("subscribe", "advertise"):
                self.gone.add(request["id"])
        self.check(outcome, before[-1])
        return outcome

    def follow(self, request: dict[str, Any]) -> None:
        live = self.planner.registry.live
        registration = live.get(request.get("id", ""))
        self.world.follow(request, [text(dz) for dz in registration.dz] if registration else None)
        if request["op"] == "set_indexed":
            for known in (self.world.ads, self.world.subs):
                for name, (host, topic, _) in known.items():
                    known[name] = (host, topic, {text(dz) for dz in live[name].dz})

    def check(self, outcome: Outcome, before: dict[str, int]) -> None:
        planner = self.planner
        assert not installed_as_defined(planner)
        for switch, count in planner.counts().items():
            budget = planner.topology.switches[switch].tcam_budget
            assert count == len(planner.table(switch))
            assert budget is None or count <= max(budget, before.get(switch, 0)) or outcome.failed_switches
        problems = Judge(self.world, flows(planner)).problems(tight=False)
        assert not [problem for problem in problems if wrong(problem)]


def wrong(problem: str) -> bool:
    """Whether something is lost, doubled or looped; needless copies are the price of a budget."""
    needless = "wanted 0" in problem and "got 1 copies" in problem
    return not (needless or "says what a shorter entry says" in problem or "drops for nothing" in problem)
