"""Random small networks and requests, for property tests of planner, verifier and tools."""

from __future__ import annotations

from random import Random
from typing import Any

from hypothesis import strategies as st

from tercast.encoding.limits import Limits
from tercast.eventspace.address_plan import AddressPlan
from tercast.eventspace.topic import Topic
from tercast.planner.planner import Planner
from tercast.topology.reader import read_topology

DEPTH = 4
TOPICS = [
    {"name": "a", "code": 4, "attributes": [{"name": "x", "type": "int", "min": 0, "max": 2**DEPTH - 1}]},
    {"name": "b", "code": 5, "attributes": [{"name": "x", "type": "int", "min": 0, "max": 2**DEPTH - 1}]},
]

cells = st.text("01", max_size=DEPTH)
dz_sets = st.lists(cells, min_size=1, max_size=3)


@st.composite
def topologies(draw: st.DrawFn, most_switches: int = 5) -> dict[str, Any]:
    """Return graphs with cycles, parallel links, separate parts, shared ports and standby attachments."""
    count = draw(st.integers(1, most_switches))
    names = [f"s{i}" for i in range(1, count + 1)]
    free = dict.fromkeys(names, 0)

    def port(switch: str) -> int:
        free[switch] += 1
        return free[switch]

    links = []
    if count > 1:
        ends = st.lists(st.sampled_from(names), min_size=2, max_size=2, unique=True)
        for a, b in draw(st.lists(ends, max_size=count + 3)):
            link = {"a": a, "a_port": port(a), "b": b, "b_port": port(b), "cost": draw(st.integers(1, 3))}
            links.append(link)
    hosts: list[dict[str, Any]] = []
    taken: list[tuple[str, int]] = []
    for i in range(1, draw(st.integers(2, 5)) + 1):
        places: list[tuple[str, int]] = []
        for _ in range(draw(st.integers(1, 2))):
            shared = bool(taken) and draw(st.integers(0, 3)) == 0
            switch = draw(st.sampled_from(names))
            place = draw(st.sampled_from(taken)) if shared else (switch, port(switch))
            if place not in places:
                places.append(place)
        taken += places
        host: dict[str, Any] = {
            "id": f"h{i}",
            "switch": places[0][0],
            "port": places[0][1],
            "ip": f"fd00::{i:x}",
            "mac": f"02:00:00:00:00:{i:02x}",
        }
        if len(places) > 1:
            host["standby"] = [{"switch": name, "port": number} for name, number in places[1:]]
        hosts.append(host)
    switches = [{"id": name, "dpid": f"{i:016x}"} for i, name in enumerate(names, 1)]
    return {"switches": switches, "links": links, "hosts": hosts}


@st.composite
def request_lists(
    draw: st.DrawFn, topology: dict[str, Any], most: int = 14, events: bool = True
) -> list[dict[str, Any]]:
    """Return valid requests of all kinds in any order; with `events`, also failures and recoveries."""
    requests: list[dict[str, Any]] = []
    live: dict[str, str] = {}
    hosts = [host["id"] for host in topology["hosts"]]
    switches = [switch["id"] for switch in topology["switches"]]
    ports = [(link["a"], link["a_port"]) for link in topology["links"]]
    ports += [(host["switch"], host["port"]) for host in topology["hosts"]]
    kinds = ["subscribe"] * 4 + ["advertise"] * 3 + ["withdraw"] * 3
    if events:
        kinds += ["link_down", "link_up", "switch_down", "switch_up", "host_move"]
    for number in range(draw(st.integers(0, most))):
        kind = draw(st.sampled_from(kinds))
        if kind in ("subscribe", "advertise"):
            name = f"{kind[0]}{number}"
            live[name] = kind
            requests.append(
                {
                    "op": kind,
                    "id": name,
                    "host": draw(st.sampled_from(hosts)),
                    "topic": draw(st.sampled_from(["a", "a", "b"])),
                    "dz": draw(dz_sets),
                }
            )
        elif kind == "withdraw" and live:
            name = draw(st.sampled_from(sorted(live)))
            requests.append({"op": f"un{live.pop(name)}", "id": name})
        elif kind in ("switch_down", "switch_up"):
            requests.append({"op": kind, "switch": draw(st.sampled_from(switches))})
        elif kind in ("link_down", "link_up"):
            switch, port = draw(st.sampled_from(ports))
            requests.append({"op": kind, "switch": switch, "port": port})
        elif kind == "host_move":
            host, switch = draw(st.sampled_from(topology["hosts"])), draw(st.sampled_from(switches))
            place = draw(st.sampled_from([{"switch": switch, "port": 50 + number}, *host.get("standby", ())]))
            requests.append({"op": kind, "host": host["id"], **place})
    return requests


@st.composite
def scenes(
    draw: st.DrawFn, most: int = 14, events: bool = True, most_switches: int = 5
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return a topology and requests."""
    topology = draw(topologies(most_switches))
    return topology, draw(request_lists(topology, most, events))


def dense_scene(seed: int) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return a larger network with many requests on few cells, from a seed, so that more of them overlap."""
    random = Random(seed)
    names = [f"s{i}" for i in range(1, random.randint(2, 8) + 1)]
    free = dict.fromkeys(names, 0)

    def port(switch: str) -> int:
        free[switch] += 1
        return free[switch]

    links = [
        link(a, port(a), b, port(b), random.randint(1, 3))
        for i, a in enumerate(names[1:], 1)
        for b in [names[random.randrange(i)]]
        if random.random() < 0.95
    ]
    for _ in range(random.randint(0, len(names))):
        a, b = random.sample(names, 2)
        links.append(link(a, port(a), b, port(b), random.randint(1, 3)))
    hosts: list[dict[str, Any]] = []
    taken: list[tuple[str, int]] = []
    for i in range(1, random.randint(4, 9)):
        shared = bool(taken) and random.random() < 0.3
        places = [random.choice(taken)] if shared else [(name := random.choice(names), port(name))]
        if random.random() < 0.3:
            places.append((name := random.choice(names), port(name)))
        taken += places
        hosts.append(host(f"h{i}", *places[0], i, places[1:]))
    network = topology(len(names), links, hosts)
    return network, _dense_requests(random, network)


def _dense_requests(random: Random, network: dict[str, Any]) -> list[dict[str, Any]]:
    live: dict[str, str] = {}
    requests: list[dict[str, Any]] = []
    hosts = [item["id"] for item in network["hosts"]]
    switches = [item["id"] for item in network["switches"]]
    ports = [(item["a"], item["a_port"]) for item in network["links"]]
    ports += [(item["switch"], item["port"]) for item in network["hosts"]]
    shortest = random.choice([0, 0, 1])
    for number in range(random.randint(20, 60)):
        chance = random.random()
        cells_of = [
            "".join(random.choices("01", k=random.randint(shortest, DEPTH)))
            for _ in range(random.randint(1, 2))
        ]
        if chance < 0.55:
            op = "subscribe" if chance < 0.38 else "advertise"
            live[f"r{number}"] = op
            request = {"op": op, "id": f"r{number}", "host": random.choice(hosts), "dz": cells_of}
            requests.append({**request, "topic": random.choice("aaab")})
        elif chance < 0.88 and live:
            name = random.choice(sorted(live))
            requests.append({"op": f"un{live.pop(name)}", "id": name})
        elif chance > 0.97:
            place = {"switch": random.choice(switches), "port": 50 + number}
            requests.append({"op": "host_move", "host": random.choice(hosts), **place})
        elif chance > 0.92:
            switch, number_of_port = random.choice(ports)
            op = random.choice(["link_down", "link_up", "link_up"])
            requests.append({"op": op, "switch": switch, "port": number_of_port})
        else:
            op = random.choice(["switch_down", "switch_up", "switch_up"])
            requests.append({"op": op, "switch": random.choice(switches)})
    return requests


def planner_for(topology: dict[str, Any], max_trees: int = 64, **options: Any) -> Planner:
    """Return a planner of the small space."""
    return Planner(
        AddressPlan.default("ipv6"),
        Limits(max_dz_length=DEPTH, max_trees=max_trees),
        read_topology(topology, "ipv6"),
        [Topic.from_json(topic) for topic in TOPICS],
        **options,
    )


def flows(planner: Planner) -> dict[str, list[dict[str, Any]]]:
    """Return the tables of a planner in the form of a plan."""
    return {switch: [entry.to_json() for entry in table] for switch, table in planner.tables().items()}


def example() -> dict[str, Any]:
    """Return the scenario in the description of the format."""
    hosts = [
        {"id": "h1", "switch": "s1", "port": 3, "ip": "fd00::1", "mac": "02:00:00:00:00:01"},
        {
            "id": "h2",
            "switch": "s2",
            "port": 3,
            "ip": "fd00::2",
            "mac": "02:00:00:00:00:02",
            "standby": [{"switch": "s1", "port": 4}],
        },
    ]
    low = {"name": "low", "type": "int", "min": 0, "max": 1023}
    wanted = "low in [80, 100]"
    return {
        "format": "scenario/1",
        "address": {"family": "ipv6", "prefix": "ff0e::/16", "topic_bits": 16},
        "topology": {
            "switches": [
                {"id": "s1", "dpid": "0000000000000001", "tcam_budget": 600},
                {"id": "s2", "dpid": "0000000000000002", "tcam_budget": None},
            ],
            "links": [{"a": "s1", "a_port": 1, "b": "s2", "b_port": 1, "cost": 1}],
            "hosts": hosts,
        },
        "topics": [{"name": "quotes", "code": 4, "indexed": ["low"], "attributes": [low]}],
        "limits": {"max_dz_length": 20, "max_dz_per_filter": 50, "max_trees": 64},
        "requests": [
            {"op": "advertise", "id": "a1", "host": "h1", "topic": "quotes", "filter": "low < 512"},
            {"op": "subscribe", "id": "q1", "host": "h2", "topic": "quotes", "filter": wanted},
        ],
    }


def planner_of(scenario: dict[str, Any], **options: Any) -> Planner:
    """Return a planner at the start of a scenario."""
    address = AddressPlan.from_json(scenario["address"])
    return Planner(
        address,
        Limits.from_json(scenario.get("limits", {})),
        read_topology(scenario["topology"], address.family),
        [Topic.from_json(topic) for topic in scenario["topics"]],
        **options,
    )


def host(name: str, switch: str, port: int, number: int, standby: Any = ()) -> dict[str, Any]:
    """Return a host whose addresses follow from a number."""
    out: dict[str, Any] = {"id": name, "switch": switch, "port": port}
    out |= {"ip": f"fd00::{number:x}", "mac": f"02:00:00:00:00:{number:02x}"}
    if standby:
        out["standby"] = [{"switch": where, "port": at} for where, at in standby]
    return out


def link(a: str, a_port: int, b: str, b_port: int, cost: float = 1) -> dict[str, Any]:
    """Return a link."""
    return {"a": a, "a_port": a_port, "b": b, "b_port": b_port, "cost": cost}


def topology(count: int, links: list[dict[str, Any]], hosts: list[dict[str, Any]]) -> dict[str, Any]:
    """Return switches s1, s2, ... with links and hosts."""
    switches = [{"id": f"s{i}", "dpid": f"{i:016x}"} for i in range(1, count + 1)]
    return {"switches": switches, "links": links, "hosts": hosts}


def advertise(name: str, host_name: str, *dz: str, topic: str = "a") -> dict[str, Any]:
    """Return an advertisement request with its dz."""
    return {"op": "advertise", "id": name, "host": host_name, "topic": topic, "dz": list(dz)}


def subscribe(name: str, host_name: str, *dz: str, topic: str = "a") -> dict[str, Any]:
    """Return a subscription request with its dz."""
    return {"op": "subscribe", "id": name, "host": host_name, "topic": topic, "dz": list(dz)}
