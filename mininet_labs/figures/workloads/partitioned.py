"""Networks of 20 switches in partitions, with requests for ranges of two attributes."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

from tercast.requests.kinds import ADVERTISE, SUBSCRIBE

SWITCHES = 20
HIGHEST = 1023
ATTRIBUTES = ("x", "y")
MAX_DZ_LENGTH = 20
"""All bits of two attributes with values 0 to 1023."""

CELLS = 8
"""Maximum number of dz per filter."""

PUBLISHERS = 4
WIDEST = 256
"""Largest width of a range; the paper does not say."""

TOPIC = {
    "name": "t",
    "code": 4,
    "attributes": [{"name": name, "type": "int", "min": 0, "max": HIGHEST} for name in ATTRIBUTES],
}

SwitchPair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class PartitionedNetwork:
    """A network whose switches can be divided, in their order, into parts of nearly equal size.

    `homes` are the switches with a host.
    """

    name: str
    links: tuple[SwitchPair, ...]
    homes: tuple[int, ...]

    def partitions(self, count: int) -> dict[str, range]:
        """Return the switches of each partition."""
        return {f"p{i}": range(SWITCHES * i // count, SWITCHES * (i + 1) // count) for i in range(count)}

    def owners(self, count: int) -> dict[int, str]:
        """Return the partition of each switch."""
        return {switch: name for name, part in self.partitions(count).items() for switch in part}

    def tree(self, count: int) -> list[tuple[str, str]]:
        """Return a breadth-first tree of the partitions, from the first one."""
        owners = self.owners(count)
        neighbours: dict[str, set[int]] = {name: set() for name in self.partitions(count)}
        for a, b in self.links:
            if owners[a] != owners[b]:
                neighbours[owners[a]].add(int(owners[b][1:]))
                neighbours[owners[b]].add(int(owners[a][1:]))
        order, edges = ["p0"], []
        for name in order:
            for far in (f"p{number}" for number in sorted(neighbours[name])):
                if far not in order:
                    order.append(far)
                    edges.append((name, far))
        return edges


def _fat_tree() -> tuple[SwitchPair, ...]:
    """Return a fat tree of four pods: 16 switches, listed pod by pod, then 4 core switches."""
    links = []
    for first in range(0, 16, 4):
        links += [(first + up, first + 2 + down) for up in (0, 1) for down in (0, 1)]
        links += [(first + up, 16 + 2 * up + core) for up in (0, 1) for core in (0, 1)]
    return tuple(links)


RING = PartitionedNetwork("ring", tuple((i, (i + 1) % SWITCHES) for i in range(SWITCHES)), tuple(range(20)))
FAT_TREE = PartitionedNetwork("fat tree", _fat_tree(), tuple(i for i in range(16) if i % 4 > 1))


def range_filters(random: Random, count: int, widest: int = WIDEST) -> list[str]:
    """Draw ranges of both attributes, uniformly; the widths are 1 to `widest`."""
    texts = []
    for _ in range(count):
        terms = []
        for name in ATTRIBUTES:
            width = random.randint(1, widest)
            low = random.randint(0, HIGHEST + 1 - width)
            terms.append(f"{name} in [{low}, {low + width - 1}]")
        texts.append(" and ".join(terms))
    return texts


def ring_scenario(partitions: int, subscriptions: int, seed: int, widest: int = WIDEST) -> dict[str, Any]:
    """Return a ring with a host at each switch, in partitions, with the requests of a run."""
    return {
        "format": "scenario/1",
        "address": {"family": "ipv6", "prefix": "ff0e::/16"},
        "topology": _ring_topology(),
        "topics": [TOPIC],
        "limits": {"max_dz_length": MAX_DZ_LENGTH, "max_dz_per_filter": CELLS},
        "requests": _requests(Random(seed), subscriptions, widest),
        "partitions": {
            name: [f"s{switch}" for switch in part] for name, part in RING.partitions(partitions).items()
        },
    }


def _ring_topology() -> dict[str, Any]:
    hosts = [
        {
            "id": f"h{i}",
            "switch": f"s{i}",
            "port": 3,
            "ip": f"fd00::{i + 1:x}",
            "mac": f"02:00:00:00:01:{i:02x}",
        }
        for i in RING.homes
    ]
    return {
        "switches": [{"id": f"s{i}", "dpid": f"{i + 1:016x}"} for i in range(SWITCHES)],
        "links": [{"a": f"s{a}", "a_port": 2, "b": f"s{b}", "b_port": 1} for a, b in RING.links],
        "hosts": hosts,
    }


def _requests(random: Random, subscriptions: int, widest: int) -> list[dict[str, Any]]:
    """Return advertisements of everything, then subscriptions, all at random hosts."""

    def request(op: str, name: str, text: str) -> dict[str, Any]:
        host = f"h{random.randrange(SWITCHES)}"
        return {"op": op, "id": name, "host": host, "topic": "t", "filter": text}

    advertisements = [request(ADVERTISE, f"a{i}", "") for i in range(PUBLISHERS)]
    filters = range_filters(random, subscriptions, widest)
    return [*advertisements, *(request(SUBSCRIBE, f"q{i}", text) for i, text in enumerate(filters))]
