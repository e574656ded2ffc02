"""Test scenarios: a network, topics, and stages of requests and events; one has all rare cases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Object = dict[str, Any]


@dataclass(frozen=True)
class Scene:
    """A scenario whose requests come in stages; `links` is the kind of links of the fabric."""

    name: str
    scenario: Object
    stages: tuple[tuple[Object, ...], ...]
    links: str = "patch"

    def __str__(self) -> str:
        return self.name


LOW = {"name": "low", "type": "int", "min": 0, "max": 1023}
QUOTES = {
    "name": "quotes",
    "code": 4,
    "attributes": [LOW, {"name": "volume", "type": "float", "min": 0, "max": 100}],
}
ALARMS = {
    "name": "alarms",
    "code": 6,
    "attributes": [
        {"name": "level", "type": "enum", "values": ["low", "mid", "high"]},
        {"name": "on", "type": "bool"},
        {"name": "room", "type": "string"},
    ],
}
LINE = {"name": "line", "code": 10, "attributes": [LOW]}
IPV6 = {"family": "ipv6", "prefix": "ff0e::/16"}
IPV4 = {"family": "ipv4", "prefix": "225.128.0.0/9"}


class Ports:
    """Assigns port numbers for each switch, from 1."""

    def __init__(self) -> None:
        self._last: dict[str, int] = {}

    def take(self, switch: str) -> int:
        self._last[switch] = self._last.get(switch, 0) + 1
        return self._last[switch]


def network(links: str, hosts: dict[str, str], family: str = "ipv6") -> Object:
    """Return a topology: links as `s1-s2` or, with a cost, `s1-s2/3`; a host at `s1`, with standby at `s1
    s2`.

    `=h1` is the port of host h1. Port numbers start at 1: those of links first, in order.
    """
    ports, names = Ports(), dict[str, None]()
    topology: Object = {"switches": [], "links": [], "hosts": []}
    for text in links.split():
        ends, _, cost = text.partition("/")
        a, b = ends.split("-")
        names |= {a: None, b: None}
        end = {"a": a, "a_port": ports.take(a), "b": b, "b_port": ports.take(b), "cost": int(cost or 1)}
        topology["links"].append(end)
    places: dict[str, list[Object]] = {}
    for number, (host, text) in enumerate(hosts.items(), 1):
        if text.startswith("="):
            places[host] = places[text[1:]]
        else:
            places[host] = [{"switch": switch, "port": ports.take(switch)} for switch in text.split()]
        names |= {place["switch"]: None for place in places[host]}
        ip = f"fd00::{number:x}" if family == "ipv6" else f"10.0.0.{number}"
        entry = {"id": host, **places[host][0], "ip": ip, "mac": f"02:00:00:00:00:{number:02x}"}
        topology["hosts"].append(entry | ({"standby": places[host][1:]} if places[host][1:] else {}))
    topology["switches"] = [{"id": name, "dpid": f"{n:016x}"} for n, name in enumerate(names, 1)]
    return topology


def scenario(topology: Object, *topics: Object, address: Object = IPV6, **limits: int) -> Object:
    """Return a scenario without requests."""
    shape = {"format": "scenario/1", "address": address, "topology": topology, "topics": list(topics)}
    return {**shape, "limits": limits}


def adv(name: str, host: str, text: str, topic: str = "quotes") -> Object:
    return {"op": "advertise", "id": name, "host": host, "topic": topic, "filter": text}


def sub(name: str, host: str, text: str, topic: str = "quotes") -> Object:
    return {"op": "subscribe", "id": name, "host": host, "topic": topic, "filter": text}


def off(*names: str) -> tuple[Object, ...]:
    """Return withdrawals of advertisements (`a...`) and subscriptions."""
    return tuple({"op": "unadvertise" if name[0] == "a" else "unsubscribe", "id": name} for name in names)


def link(switch: str, port: int, up: bool) -> Object:
    return {"op": "link_up" if up else "link_down", "switch": switch, "port": port}


def switch(name: str, up: bool) -> Object:
    return {"op": "switch_up" if up else "switch_down", "switch": name}


RING = "s1-s2 s2-s3 s3-s4 s4-s5 s5-s6 s6-s1 s2-s5"

SEVERAL_TOPICS = Scene(
    "several topics on a ring with a chord",
    scenario(
        network(RING, {f"h{n}": f"s{n}" for n in range(1, 7)}),
        QUOTES,
        ALARMS,
        max_dz_length=14,
        max_dz_per_filter=4,
    ),
    (
        (
            adv("a1", "h1", "low < 512"),
            adv("a2", "h4", "low in [300, 800] and volume > 20"),
            adv("a3", "h2", 'level = "high" or on = true', "alarms"),
            sub("q1", "h2", "low in [80, 100]"),
            sub("q2", "h5", "low > 250 and volume <= 33.5"),
            sub("q3", "h6", "low in (1, 7, 305, 770)"),
            sub("q4", "h3", 'level != "low" and room prefix "b"', "alarms"),
            sub("q5", "h5", "on = true", "alarms"),
        ),
        (
            *off("q1", "a2"),
            adv("a4", "h6", "volume < 50"),
            adv("a5", "h5", 'room prefix "lab"', "alarms"),
            sub("q6", "h3", "low >= 511 or volume in [0, 10)"),
            sub("q7", "h1", 'room = "lab 7" or level = "mid"', "alarms"),
        ),
    ),
)

TREES = Scene(
    "trees that join, split, merge and dissolve",
    scenario(
        network("s1-s2 s2-s3 s3-s4 s4-s1 s1-s5 s3-s5", {f"h{n}": f"s{n}" for n in range(1, 6)}),
        LINE,
        max_dz_length=10,
        max_trees=2,
    ),
    (
        (
            sub("q1", "h3", "low in [100, 700]", "line"),
            sub("q2", "h5", "low >= 500", "line"),
            adv("a1", "h1", "low < 512", "line"),
        ),
        (adv("a2", "h2", "low in [256, 800]", "line"),),
        (adv("a3", "h4", "low >= 900", "line"), sub("q3", "h2", "low in [640, 1000]", "line")),
        off("a1"),
        (*off("a2", "a3"), adv("a4", "h5", "low = 3 or low > 1000", "line")),
        off("a4"),
    ),
)

PARALLEL = Scene(
    "parallel links that fail one at a time",
    scenario(
        network("s1-s2/2 s1-s2 s1-s2 s2-s3 s1-s3/5", {"h1": "s1", "h2": "s2", "h3": "s3"}),
        LINE,
        max_dz_length=10,
    ),
    (
        (
            adv("a1", "h1", "low < 300", "line"),
            adv("a2", "h1", "low > 700", "line"),
            adv("a3", "h3", "low in [400, 500]", "line"),
            sub("q1", "h2", "true", "line"),
            sub("q2", "h3", "low in [250, 900]", "line"),
            sub("q3", "h1", "low > 450", "line"),
        ),
        (link("s1", 2, False),),
        (link("s2", 3, False),),
        (link("s2", 1, False),),
        (link("s1", 3, True), sub("q4", "h2", "low = 0", "line")),
    ),
    "joined",
)

ONE_PORT = Scene(
    "publisher and subscriber on one port, several hosts on one port",
    scenario(
        network(
            "s1-s2 s2-s3 s3-s1",
            {"h1": "s1", "h2": "=h1", "h3": "=h1", "h4": "s2", "h5": "=h4", "h6": "s3", "h7": "s1"},
        ),
        LINE,
        max_dz_length=10,
        max_dz_per_filter=3,
    ),
    (
        (
            adv("a1", "h1", "low < 600", "line"),
            sub("q1", "h1", "low in [10, 300]", "line"),
            sub("q2", "h2", "low in [200, 400]", "line"),
            sub("q3", "h3", "low > 550", "line"),
            sub("q4", "h4", "low in [20, 260]", "line"),
            sub("q5", "h5", "low in [250, 1000]", "line"),
        ),
        (
            adv("a2", "h5", "low in [150, 900]", "line"),
            adv("a3", "h6", "true", "line"),
            sub("q6", "h6", "low = 230", "line"),
            sub("q7", "h7", "low in [100, 800]", "line"),
            sub("q8", "h5", "low in [800, 820]", "line"),
        ),
        off("a1", "q5", "q2"),
    ),
)

COMES_AND_GOES = Scene(
    "links, switches and hosts come and go",
    scenario(
        network(
            "s1-s2 s2-s3 s3-s4 s4-s1 s2-s4/3",
            {"h1": "s1", "h2": "s3 s4", "h3": "=h2", "h4": "s2", "h5": "s4 s2 s1"},
        ),
        LINE,
        max_dz_length=10,
        max_dz_per_filter=4,
    ),
    (
        (
            adv("a1", "h1", "low < 700", "line"),
            adv("a2", "h2", "low > 300", "line"),
            sub("q1", "h3", "low in [100, 500]", "line"),
            sub("q2", "h4", "low in [300, 1000]", "line"),
            sub("q3", "h5", "low in [50, 450]", "line"),
            sub("q4", "h1", "low > 600", "line"),
        ),
        (link("s2", 2, False),),
        (switch("s3", False),),
        (link("s4", 2, False), link("s4", 3, False), sub("q5", "h4", "low = 77", "line")),
        (switch("s3", True), link("s2", 2, True)),
        ({"op": "host_move", "host": "h4", "switch": "s1", "port": 60}, *off("q1")),
        (link("s4", 5, False), link("s4", 2, True), link("s4", 3, True)),
    ),
    "joined",
)

IPV4_ROOM = Scene(
    "IPv4 with all of its 23 bits",
    scenario(
        network("s1-s2 s2-s3 s3-s4 s2-s4", {f"h{n}": f"s{n}" for n in range(1, 5)}, "ipv4"),
        {**QUOTES, "code": 0},
        address=IPV4,
        max_dz_per_filter=40,
    ),
    (
        (
            adv("a1", "h1", "true"),
            adv("a2", "h3", "volume > 50"),
            sub("q1", "h2", "low = 92 and volume in [10, 10.5]"),
            sub("q2", "h3", "low in [511, 512]"),
            sub("q3", "h4", "volume < 0.1 or volume >= 99.9"),
            sub("q4", "h1", "low > 1000 and volume > 60"),
        ),
        (*off("q2"), sub("q5", "h4", "low = 0"), sub("q6", "h2", "true")),
    ),
)

IPV4_TOPICS = Scene(
    "IPv4 with topic bits",
    scenario(
        network("s1-s2 s1-s3 s2-s3", {"h1": "s1", "h2": "s2", "h3": "s3", "h4": "=h3"}, "ipv4"),
        {**QUOTES, "code": 5},
        {**ALARMS, "code": 4},
        address={**IPV4, "topic_bits": 3},
        max_dz_per_filter=6,
    ),
    (
        (
            adv("a1", "h1", "low >= 5"),
            adv("a2", "h4", "true", "alarms"),
            sub("q1", "h2", "low in [5, 250]"),
            sub("q2", "h3", "volume in [25, 50)"),
            sub("q3", "h4", "low > 900"),
            sub("q4", "h1", 'level = "mid"', "alarms"),
            sub("q5", "h3", 'on = false and level > "low"', "alarms"),
        ),
    ),
)

WHOLE_SPACE = Scene(
    "the whole space, and cells within it",
    scenario(
        network("s1-s2 s2-s3 s3-s4 s4-s5 s5-s1", {f"h{n}": f"s{n}" for n in range(1, 6)}),
        QUOTES,
        ALARMS,
        max_dz_length=12,
        max_dz_per_filter=4,
    ),
    (
        (
            adv("a1", "h1", ""),
            adv("a2", "h3", "low < 128"),
            sub("q1", "h2", "true"),
            sub("q2", "h3", "low in [100, 600]"),
            sub("q3", "h4", "low < 64 and volume < 12.5"),
            adv("a3", "h5", "true", "alarms"),
            sub("q4", "h4", "", "alarms"),
        ),
        (sub("q5", "h4", "true"), sub("q6", "h5", "low > 512"), *off("q1")),
    ),
)

RE_INDEXED = Scene(
    "other attributes are indexed while requests are live",
    scenario(
        network("s1-s2 s2-s3 s1-s4 s4-s3", {f"h{n}": f"s{n}" for n in range(1, 5)}),
        QUOTES,
        max_dz_length=9,
        max_dz_per_filter=5,
    ),
    (
        (
            adv("a1", "h1", "low < 700 and volume > 10"),
            sub("q1", "h3", "volume in [20, 40]"),
            sub("q2", "h4", "low in [100, 200]"),
            sub("q3", "h1", "low in [300, 400] and volume in [30, 80]"),
        ),
        ({"op": "set_indexed", "topic": "quotes", "indexed": ["volume"]},),
        ({"op": "set_indexed", "topic": "quotes", "indexed": ["volume", "low"]}, *off("q2")),
    ),
)

APART = Scene(
    "switches in parts that no link connects",
    scenario(
        network("s1-s2 s3-s4 s4-s5", {f"h{n}": f"s{n}" for n in range(1, 6)}),
        LINE,
        max_dz_length=10,
    ),
    (
        (
            adv("a1", "h1", "low < 512", "line"),
            adv("a2", "h3", "low > 256", "line"),
            *(sub(f"q{n}", f"h{n}", "low in [200, 600]", "line") for n in range(1, 6)),
        ),
    ),
)

FIXED = (
    SEVERAL_TOPICS,
    TREES,
    PARALLEL,
    ONE_PORT,
    COMES_AND_GOES,
    IPV4_ROOM,
    IPV4_TOPICS,
    WHOLE_SPACE,
    RE_INDEXED,
    APART,
)
