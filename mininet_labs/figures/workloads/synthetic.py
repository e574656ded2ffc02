"""Networks, filters and requests from seeded generators."""

from __future__ import annotations

import random
from typing import Any

from tercast.requests.kinds import ADD_TOPIC, ADVERTISE, SUBSCRIBE

DOMAIN = 1024
HOT_SPOTS = 7


class TopologyBuilder:
    """Builds a topology port by port."""

    def __init__(self) -> None:
        self.switches: list[dict[str, Any]] = []
        self.links: list[dict[str, Any]] = []
        self.hosts: list[dict[str, Any]] = []
        self._ports: dict[str, int] = {}

    def switch(self, name: str) -> str:
        """Add a switch, and return its name."""
        self.switches.append({"id": name, "dpid": f"{len(self.switches) + 1:016x}"})
        self._ports[name] = 0
        return name

    def port(self, switch: str) -> int:
        """Return the next free port of a switch."""
        self._ports[switch] += 1
        return self._ports[switch]

    def link(self, a: str, b: str) -> None:
        """Connect two switches."""
        self.links.append({"a": a, "a_port": self.port(a), "b": b, "b_port": self.port(b)})

    def host(self, switch: str) -> None:
        """Attach the next host to a switch."""
        number = len(self.hosts) + 1
        mac = f"02:00:00:00:{number >> 8:02x}:{number & 255:02x}"
        self.hosts.append(
            {
                "id": f"h{number}",
                "switch": switch,
                "port": self.port(switch),
                "ip": f"fd00::{number:x}",
                "mac": mac,
            }
        )

    def topology(self) -> dict[str, Any]:
        """Return the topology, as in a scenario."""
        return {"switches": self.switches, "links": self.links, "hosts": self.hosts}


def fat_tree() -> dict[str, Any]:
    """Return 10 switches and 8 hosts: two cores, four aggregation and four edge switches."""
    net = TopologyBuilder()
    cores = [net.switch(f"c{n}") for n in (1, 2)]
    for pod in (1, 2):
        aggregation = [net.switch(f"a{pod}{n}") for n in (1, 2)]
        edges = [net.switch(f"e{pod}{n}") for n in (1, 2)]
        for number, switch in enumerate(aggregation):
            net.link(cores[number], switch)
            for edge in edges:
                net.link(switch, edge)
        for edge in edges:
            net.host(edge)
            net.host(edge)
    return net.topology()


def random_graph(size: int, seed: int = 1, degree: float = 3.0, hosts_per_switch: int = 1) -> dict[str, Any]:
    """Return a connected random graph: a random tree, and more links up to the mean degree."""
    rng = random.Random(seed)
    net = TopologyBuilder()
    names = [net.switch(f"s{n}") for n in range(size)]
    joined = set()
    for number in range(1, size):
        other = rng.randrange(number)
        joined.add((other, number))
        net.link(names[other], names[number])
    while len(joined) < size * degree / 2:
        a, b = sorted(rng.sample(range(size), 2))
        if (a, b) not in joined:
            joined.add((a, b))
            net.link(names[a], names[b])
    for name in names:
        for _ in range(hosts_per_switch):
            net.host(name)
    return net.topology()


def topic(attributes: int) -> dict[str, Any]:
    """Return a topic of integer attributes x0, x1, ..."""
    rows = [{"name": f"x{n}", "type": "int", "min": 0, "max": DOMAIN - 1} for n in range(attributes)]
    return {"name": "t", "code": 2, "attributes": rows}


class Filters:
    """Filters over all attributes: `zipf` around 7 hot spots, `uniform` narrow and anywhere."""

    def __init__(self, kind: str, attributes: int, seed: int) -> None:
        self.kind, self.attributes = kind, attributes
        self.rng = random.Random(seed)
        spots = random.Random(99)
        self.spots = [[spots.randrange(DOMAIN) for _ in range(attributes)] for _ in range(HOT_SPOTS)]
        self.weights = [1 / rank for rank in range(1, HOT_SPOTS + 1)]

    def draw(self) -> str:
        """Draw the text of a filter."""
        if self.kind == "zipf":
            (spot,) = self.rng.choices(self.spots, self.weights)
            ranges = [
                self._range(int(self.rng.gauss(centre, 40)), self.rng.randint(32, 256)) for centre in spot
            ]
        else:
            ranges = [
                self._range(self.rng.randrange(DOMAIN), self.rng.randint(4, 32))
                for _ in range(self.attributes)
            ]
        return " and ".join(f"x{n} in [{low}, {high}]" for n, (low, high) in enumerate(ranges))

    @staticmethod
    def _range(centre: int, width: int) -> tuple[int, int]:
        low = min(max(0, centre - width // 2), DOMAIN - 1)
        return low, min(DOMAIN - 1, low + width)


def subscriptions(filters: Filters, hosts: list[str], number: int, first: int = 0) -> list[dict[str, Any]]:
    """Return subscriptions at random hosts."""
    rng = random.Random(first + 7)
    return [
        {
            "op": SUBSCRIBE,
            "id": f"q{first + n}",
            "host": rng.choice(hosts),
            "topic": "t",
            "filter": filters.draw(),
        }
        for n in range(number)
    ]


def advertisements(filters: Filters, hosts: list[str], number: int, first: int = 0) -> list[dict[str, Any]]:
    """Return advertisements with random filters at random hosts."""
    rng = random.Random(first + 11)
    return [
        {
            "op": ADVERTISE,
            "id": f"n{first + n}",
            "host": rng.choice(hosts),
            "topic": "t",
            "filter": filters.draw(),
        }
        for n in range(number)
    ]


def everything(host: str, number: int) -> dict[str, Any]:
    """Return the advertisement of the whole space at a host."""
    return {"op": ADVERTISE, "id": f"a{number}", "host": host, "topic": "t", "filter": ""}


def eighths(hosts: list[str], parts: int = 8) -> list[dict[str, Any]]:
    """Return advertisements of an eighth (or other part) of the space each, at the first hosts."""
    width = DOMAIN // parts
    return [
        {
            **everything(host, number),
            "filter": f"x0 in [{number * width}, {(number + 1) * width - 1}]",
        }
        for number, host in enumerate(hosts[:parts])
    ]


def construction(network: dict[str, Any], attributes: int) -> list[dict[str, Any]]:
    """Return the requests that create a network and a topic in a planner."""
    parts = (("switch", "switches"), ("link", "links"), ("host", "hosts"))
    requests = [{"op": f"add_{kind}", kind: row} for kind, rows in parts for row in network[rows]]
    indexed = [row["name"] for row in topic(attributes)["attributes"]]
    return [*requests, {"op": ADD_TOPIC, "topic": {**topic(attributes), "indexed": indexed}}]
