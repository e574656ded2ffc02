"""An independent check of tables: it walks a packet for each point of a small event space.

It reads the JSON of a scenario and the flows of a plan, and shares no code with planner or verifier.
"""

from __future__ import annotations

import ipaddress
from collections import Counter
from dataclasses import dataclass, field
from itertools import product
from typing import Any

BASE = {"ipv6": "ff0e::/16", "ipv4": "225.128.0.0/9"}


@dataclass
class World:
    """The network and its registrations, updated with each request."""

    family: str
    topic_bits: int
    depth: int
    switches: dict[str, int | None] = field(default_factory=dict)
    links: list[tuple[str, int, str, int]] = field(default_factory=list)
    hosts: dict[str, list[tuple[str, int]]] = field(default_factory=dict)
    codes: dict[str, int] = field(default_factory=dict)
    ads: dict[str, tuple[str, str, set[str]]] = field(default_factory=dict)
    subs: dict[str, tuple[str, str, set[str]]] = field(default_factory=dict)
    dead_switches: set[str] = field(default_factory=set)
    dead_ports: set[tuple[str, int]] = field(default_factory=set)

    @classmethod
    def of(
        cls, family: str, topic_bits: int, depth: int, topology: dict[str, Any], topics: list[Any]
    ) -> World:
        world = cls(family, topic_bits, depth)
        for switch in topology["switches"]:
            world.switches[switch["id"]] = switch.get("tcam_budget")
        for link in topology["links"]:
            world.links.append((link["a"], link["a_port"], link["b"], link["b_port"]))
        for host in topology["hosts"]:
            world.hosts[host["id"]] = [
                (place["switch"], place["port"]) for place in (host, *host.get("standby", ()))
            ]
        world.codes = {topic["name"]: topic["code"] for topic in topics}
        return world

    def follow(self, request: dict[str, Any], dz: list[str] | None = None) -> None:
        """Record a request that was carried out; `dz` is its encoding."""
        match request["op"]:
            case "advertise":
                self.ads[request["id"]] = (request["host"], request["topic"], set(dz or ()))
            case "subscribe":
                self.subs[request["id"]] = (request["host"], request["topic"], set(dz or ()))
            case "unadvertise":
                del self.ads[request["id"]]
            case "unsubscribe":
                del self.subs[request["id"]]
            case "switch_down":
                self.dead_switches.add(request["switch"])
            case "switch_up":
                self.dead_switches.discard(request["switch"])
            case "link_down":
                self.dead_ports |= self.both_ends(request["switch"], request["port"])
            case "link_up":
                self.dead_ports -= self.both_ends(request["switch"], request["port"])
            case "host_move":
                self.hosts[request["host"]][0] = (request["switch"], request["port"])
            case "set_budget":
                self.switches[request["switch"]] = request["tcam_budget"]

    def both_ends(self, switch: str, port: int) -> set[tuple[str, int]]:
        for a, a_port, b, b_port in self.links:
            if (switch, port) in ((a, a_port), (b, b_port)):
                return {(a, a_port), (b, b_port)}
        return {(switch, port)}

    def place(self, host: str) -> tuple[str, int] | None:
        for switch, port in self.hosts[host]:
            if switch not in self.dead_switches and (switch, port) not in self.dead_ports:
                return switch, port
        return None

    def wires(self) -> dict[tuple[str, int], tuple[str, int]]:
        out = {}
        for a, a_port, b, b_port in self.links:
            alive = {a, b}.isdisjoint(self.dead_switches) and (a, a_port) not in self.dead_ports
            if alive:
                out[a, a_port] = (b, b_port)
                out[b, b_port] = (a, a_port)
        return out

    def island(self, switch: str) -> set[str]:
        """Return the switches that a running switch can reach."""
        wires, seen, todo = self.wires(), {switch}, [switch]
        while todo:
            here = todo.pop()
            for (near, _), (far, _) in wires.items():
                if near == here and far not in seen:
                    seen.add(far)
                    todo.append(far)
        return seen

    def address(self, topic: str, point: str) -> int:
        network = ipaddress.ip_network(BASE[self.family])
        room = network.max_prefixlen - network.prefixlen
        bits = format(self.codes[topic], f"0{self.topic_bits}b") if self.topic_bits else ""
        return int(network.network_address) | int((bits + point).ljust(room, "0"), 2)

    def points(self) -> list[str]:
        return ["".join(bits) for bits in product("01", repeat=self.depth)]

    def pending(self) -> set[str]:
        return {
            name
            for name, (_, topic, dz) in self.subs.items()
            if not any(topic == other and _overlap(dz, cells) for _, other, cells in self.ads.values())
        }

    def unreachable(self) -> set[tuple[str, str]]:
        out = set()
        for ad, (publisher, topic, brought) in self.ads.items():
            for sub, (subscriber, other, wanted) in self.subs.items():
                if topic == other and _overlap(brought, wanted):
                    start, end = self.place(publisher), self.place(subscriber)
                    if start is None or end is None or end[0] not in self.island(start[0]):
                        out.add((ad, sub))
        return out


def _copies(actions: list[dict[str, Any]], in_port: int) -> list[tuple[int, str]]:
    """Return where actions send a packet, and with which destination host."""
    copies, rewritten = [], ""
    for action in actions:
        if "set_dst" in action:
            rewritten = action["set_dst"]
        elif action["output"] != in_port:
            copies.append((in_port if action["output"] == "in_port" else action["output"], rewritten))
    return sorted(copies)


def _overlap(a: set[str], b: set[str]) -> bool:
    return any(x.startswith(y) or y.startswith(x) for x in a for y in b)


def _holds(cells: set[str], point: str) -> bool:
    return any(point.startswith(cell) for cell in cells)


@dataclass
class Walk:
    """The path and the deliveries of a packet."""

    delivered: Counter[str] = field(default_factory=Counter)
    crossed: Counter[tuple[str, int]] = field(default_factory=Counter)
    useful: set[tuple[str, int]] = field(default_factory=set)
    problems: list[str] = field(default_factory=list)
    needed: set[tuple[str, int]] = field(default_factory=set)


class Judge:
    """Checks the flows of a plan (switch to list of flows) in a world."""

    def __init__(self, world: World, flows: dict[str, list[dict[str, Any]]]) -> None:
        self.world = world
        self.flows = flows
        self.parsed = {
            switch: [
                (
                    *_range(flow["match"]["dst"]),
                    flow["match"].get("in_port"),
                    flow["priority"],
                    flow["actions"],
                )
                for flow in table
            ]
            for switch, table in flows.items()
        }

    def problems(self, tight: bool = True) -> list[str]:
        """Return all faults; with `tight`, also entries and outputs that are not needed.

        An entry is not needed if every packet of every publisher is handled equally without it.
        """
        world = self.world
        out: list[str] = list(self._static())
        needed: set[tuple[str, int]] = set()
        entered = {
            (world.place(host), topic, cell)
            for host, topic, cells in world.ads.values()
            for cell in cells
            if world.place(host) is not None
        }
        for place, topic, point in sorted(
            {(p, t, x) for p, t, c in entered for x in world.points() if x.startswith(c)}, key=str
        ):
            assert place is not None
            walk = self.walk(place, world.address(topic, point))
            needed |= walk.needed
            where = f"{topic} {point} from {place}"
            out += [f"{where}: {problem}" for problem in walk.problems]
            wanted = self._wanted(place[0], topic, point)
            for host in wanted | set(walk.delivered):
                count = walk.delivered[host]
                if count != (host in wanted):
                    out.append(f"{where}: {host} got {count} copies, wanted {int(host in wanted)}")
            out += [
                f"{where}: redundant copy over {link}"
                for link in walk.crossed
                if tight and link not in walk.useful
            ]
        if tight:
            for switch, table in self.flows.items():
                out += [
                    f"{switch}: entry that nothing needs: {flow}"
                    for i, flow in enumerate(table)
                    if (switch, i) not in needed
                ]
        return out

    def walk(self, place: tuple[str, int], address: int) -> Walk:
        walk = Walk()
        self._visit(walk, place, address, ())
        return walk

    def _visit(
        self, walk: Walk, place: tuple[str, int], address: int, path: tuple[tuple[str, int], ...]
    ) -> bool:
        """Walk on from a switch and ingress port; return whether a host beyond it got the packet."""
        switch, in_port = place
        if any(step[0] == switch for step in path) or len(path) > 40:
            walk.problems.append(f"loop through {switch}")
            return False
        matching = [
            (priority, i, actions)
            for i, (low, high, port, priority, actions) in enumerate(self.parsed.get(switch, ()))
            if low <= address <= high and port in (None, in_port)
        ]
        if not matching:
            return False
        matching.sort(key=lambda match: -match[0])
        _, winner, actions = matching[0]
        _, _, otherwise = matching[1] if len(matching) > 1 else (0, 0, [])
        if len(matching) > 1 and matching[0][0] == matching[1][0]:
            walk.problems.append(f"ambiguous at {switch}")
        if _copies(actions, in_port) != _copies(otherwise, in_port):
            walk.needed.add((switch, winner))
        return self._act(walk, place, address, path, actions)

    def _act(self, walk: Walk, place: Any, address: int, path: Any, actions: list[dict[str, Any]]) -> bool:
        switch, in_port = place
        wires = self.world.wires()
        rewritten: str | None = None
        useful = False
        for action in actions:
            if "set_dst" in action:
                rewritten = action["set_dst"]
                continue
            port = action["output"]
            if port == in_port:
                continue
            port = in_port if port == "in_port" else port
            far = wires.get((switch, port))
            if far is not None:
                if rewritten is not None:
                    walk.problems.append(f"{switch} sends a rewritten packet to {far}")
                    continue
                walk.crossed[switch, port] += 1
                if self._visit(walk, far, address, (*path, place)):
                    walk.useful.add((switch, port))
                    useful = True
            elif rewritten is not None and self.world.place(rewritten) == (switch, port):
                walk.delivered[rewritten] += 1
                useful = True
            else:
                walk.problems.append(f"{switch} sends to port {port}, where {rewritten} is not")
        return useful

    def _wanted(self, switch: str, topic: str, point: str) -> set[str]:
        island = self.world.island(switch)
        wanted = set()
        for host, other, cells in self.world.subs.values():
            place = self.world.place(host)
            if place is not None and place[0] in island and topic == other and _holds(cells, point):
                wanted.add(host)
        return wanted

    def _static(self) -> list[str]:
        """Return faults that are visible without a packet: clashes, priorities, repeated entries."""
        out = []
        for switch, table in self.parsed.items():
            if switch not in self.world.switches:
                out.append(f"unknown switch {switch}")
            for i, (low, high, port, priority, actions) in enumerate(table):
                if not 2 <= priority <= 60000:
                    out.append(f"{switch}: priority {priority}")
                around = []
                for j, (low2, high2, port2, priority2, actions2) in enumerate(table):
                    both = port is None or port2 is None or port == port2
                    if i == j or high < low2 or high2 < low or not both:
                        continue
                    if priority == priority2:
                        out.append(f"{switch}: {i} and {j} have priority {priority}")
                    if low2 <= low and high <= high2 and port == port2:
                        if priority2 >= priority:
                            out.append(f"{switch}: shorter entry {j} hides {i}")
                        around.append((priority2, actions2))
                    if port is not None and port2 is None and priority2 >= priority:
                        out.append(f"{switch}: plain entry {j} hides {i} with in_port")
                if around and max(around, key=lambda item: item[0])[1] == actions:
                    out.append(f"{switch}: {i} says what a shorter entry says")
                if not actions and not around:
                    out.append(f"{switch}: {i} drops for nothing")
        return out


def _range(cidr: str) -> tuple[int, int]:
    network = ipaddress.ip_network(cidr)
    return int(network.network_address), int(network.broadcast_address)
