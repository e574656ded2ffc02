"""Requests of all kinds, with budgets and covers, for property tests of aggregation."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

from hypothesis import strategies as st

from tercast.encoding.limits import Limits
from tercast.eventspace.address_plan import AddressPlan
from tercast.eventspace.dz import covers as holds
from tercast.eventspace.dz import text
from tercast.eventspace.topic import Topic
from tercast.planner.planner import Outcome, Planner
from tercast.tables.covers import Cover, TableCovers, network_covers_json
from tercast.topology.reader import read_topology
from tests.support.aggregation_oracle import installed_as_defined
from tests.support.judge import Judge, World
from tests.support.networks import flows, host, link, scenes, topology

DEPTH = 6
SIDE = {"type": "int", "min": 0, "max": 7}
TOPICS: list[dict[str, Any]] = [
    {"name": name, "code": code, "attributes": [{"name": "x", **SIDE}, {"name": "y", **SIDE}]}
    for name, code in (("a", 4), ("b", 5))
]

Scene = tuple[dict[str, Any], list[dict[str, Any]]]
BUDGETS = [None, 0, 1, 2, 3, 4, 6, 8, 12, 16]


def random_covers(random: Random, exact: list[int], fewest: int = 0) -> tuple[Cover, ...]:
    """Return covers that do not overlap; their cells are mostly from `exact`, or one level above."""
    found: list[Cover] = []
    for _ in range(random.randint(fewest, 3)):
        dz = random.choice(exact) if exact else 1
        dz >>= random.randint(0, dz.bit_length() - 1)
        if any(holds(dz, other.dz) or holds(other.dz, dz) for other in found):
            continue
        below = [other for other in exact if other != dz and holds(dz, other)]
        kept = set(random.sample(below, random.randint(0, len(below) // 2)))
        for cell in list(kept):
            if random.random() < 0.3:
                kept.add(cell ^ 1)
            if random.random() < 0.2 and cell >> 1 != dz:
                kept.add(cell >> 1)
        if dz.bit_length() <= DEPTH and random.random() < 0.2:
            kept |= {2 * dz, 2 * dz + 1}
        found.append(Cover.of(dz, kept - {dz}))
    return tuple(sorted(found, key=lambda cover: bin(cover.dz)))


def random_aggregation(random: Random, planner: Planner) -> dict[str, Any]:
    """Return a result of aggregation for the present tables, or for slightly different ones."""
    some: dict[str, dict[str, TableCovers]] = {}
    names = list(planner.topology.switches)
    for switch in random.sample(names, random.randint(1, len(names))):
        some[switch] = {}
        for plan in planner.plans:
            trie = plan.tries.get(switch)
            if trie is None or random.random() < 0.1:
                continue
            plain = [plan.order.dz(key) for key in trie.entries]
            inner: dict[int, list[int]] = {}
            for port, key in trie.in_port_table.entries:
                inner.setdefault(port, []).append(plan.order.dz(key))
            ports = {port: random_covers(random, cells, 1) for port, cells in inner.items()}
            some[switch][plan.topic.name] = TableCovers(random_covers(random, plain), ports)
    return {"op": "aggregate", "method": "optimal", "covers": network_covers_json(some)}


def spice(network: dict[str, Any], requests: list[dict[str, Any]], random: Random) -> Scene:
    """Mix requests with budgets, aggregation, `indexed` attributes and changes of the network.

    Filters replace dz, so that topics can be encoded again. Covers depend on the tables at their time.
    """
    names = [switch["id"] for switch in network["switches"]]
    for switch in network["switches"]:
        switch["tcam_budget"] = random.choice(BUDGETS)
    out: list[dict[str, Any]] = []
    for request in requests:
        if "dz" in request:
            request = {key: value for key, value in request.items() if key != "dz"}
            request["filter"] = random_filter(random)
        if request["op"] == "advertise" and random.random() < 0.5:
            quarter = 2 * random.randint(0, 3)
            request["filter"] = random.choice(
                [f"x in [{quarter}, {quarter + 1}]", "x < 4", "x >= 4", "y < 4"]
            )
        out.append(request)
        chance = random.random()
        if chance < 0.08:
            budget = random.choice(BUDGETS)
            out.append({"op": "set_budget", "switch": random.choice(names), "tcam_budget": budget})
        elif chance < 0.18:
            out.append({"op": "aggregate"})
        elif chance < 0.2:
            out.append({"op": "set_aggregation", "method": random.choice(["none", "la", "la", "fa-pb"])})
        elif chance < 0.22:
            indexed = random.choice([["x"], ["y"], ["x", "y"], ["y", "x"]])
            out.append({"op": "set_indexed", "topic": random.choice("ab"), "indexed": indexed})
    return network, with_covers(network, out, random)


def with_covers(
    network: dict[str, Any], requests: list[dict[str, Any]], random: Random
) -> list[dict[str, Any]]:
    """Return the requests, where aggregation requests have covers for the tables at their time."""
    planner = planner_of_scene(network)
    planner.apply({"op": "set_aggregation", "method": "la"})
    out: list[dict[str, Any]] = []
    for request in requests:
        if request["op"] == "aggregate":
            request = random_aggregation(random, planner)
        planner.apply(request)
        out.append(request)
    return out


def random_filter(random: Random) -> str:
    def part(name: str) -> str:
        low = random.randint(0, 7)
        return f"{name} in [{low}, {random.randint(low, min(7, low + 4))}]"

    return random.choice([part("x"), part("y"), f"{part('x')} and {part('y')}", "x >= 0"])


@st.composite
def spiced_scenes(draw: st.DrawFn, most: int = 18) -> Scene:
    network, requests = draw(scenes(most))
    return spice(network, requests, Random(draw(st.integers(0, 1 << 30))))


def lively_scene(seed: int) -> Scene:
    """Return a ring with a chord, two hosts per switch, some at one port, and many live requests."""
    random = Random(seed)
    count = random.randint(4, 6)
    ring = [(i, i % count + 1) for i in range(1, count + 1)] + [(1, count // 2 + 1)]
    ports = Counter[str]()

    def port(switch: str) -> int:
        ports[switch] += 1
        return ports[switch]

    links = [link(f"s{a}", port(f"s{a}"), f"s{b}", port(f"s{b}"), random.randint(1, 2)) for a, b in ring]
    hosts: list[dict[str, Any]] = []
    for number in range(1, 2 * count + 1):
        switch = f"s{(number - 1) % count + 1}"
        mate = number > count and random.random() < 0.4
        where = hosts[number - count - 1]["port"] if mate else port(switch)
        hosts.append(host(f"h{number}", switch, where, number))
    network = topology(count, links, hosts)
    return spice(network, _lively_requests(random, network), random)


def _lively_requests(random: Random, network: dict[str, Any]) -> list[dict[str, Any]]:
    hosts = [item["id"] for item in network["hosts"]]
    live: dict[str, str] = {}
    out: list[dict[str, Any]] = []
    for number in range(random.randint(30, 60)):
        chance = random.random()
        if chance < 0.72 or not live:
            op = "advertise" if chance < 0.2 else "subscribe"
            live[f"r{number}"] = op
            topic = random.choice("aaab")
            out.append({"op": op, "id": f"r{number}", "host": random.choice(hosts), "topic": topic, "dz": []})
        elif chance < 0.92:
            name = random.choice(sorted(live))
            out.append({"op": f"un{live.pop(name)}", "id": name})
        else:
            some = random.choice(network["links"])
            op = random.choice(["link_down", "link_up", "link_up"])
            out.append({"op": op, "switch": some["a"], "port": some["a_port"]})
    return out


def planner_of_scene(network: dict[str, Any], max_trees: int = 64) -> Planner:
    return Planner(
        AddressPlan.default("ipv6"),
        Limits(max_dz_length=DEPTH, max_trees=max_trees),
        read_topology(network, "ipv6"),
        [Topic.from_json(topic) for topic in TOPICS],
    )


def state(planner: Planner) -> tuple[Any, ...]:
    """Return all that is visible of a planner, except the number of requests."""
    snapshot = {**planner.snapshot(), "applied": 0}
    return snapshot, planner.tables(), planner.exact_tables(), planner.trees(), planner.counts()


class Follower:
    """Applies requests to a planner, and checks every step."""

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
    """Whether an event is lost, duplicated or looped; redundant copies are permitted with a budget."""
    redundant = "wanted 0" in problem and "got 1 copies" in problem
    return not (redundant or "says what a shorter entry says" in problem or "drops for nothing" in problem)
