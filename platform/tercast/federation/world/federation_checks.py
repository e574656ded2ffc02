"""Judgements on a simulated federation: cycles of open borders, equal sets, deliveries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from random import Random

from tercast.eventspace.dz import Dz, covers
from tercast.federation.messages.set_name import SetName
from tercast.federation.world.federated_world import FederatedWorld
from tercast.requests.registry import ADVERTISEMENT, SUBSCRIPTION


def open_edges(world: FederatedWorld, conservative: bool = False) -> Iterator[tuple[str, str]]:
    """Yield the pairs of nodes with a border that their controllers opened at both ends.

    With `conservative`, an end also counts as open while its switch does not drop events, and the node of an
    end is the one for which the switches have entries.
    """
    for one in world.divided.border_links:
        nodes = []
        for name, border in one.ends:
            partition = world.partitions[name]
            node = partition.nodes.at(border)
            if node is None:
                continue
            port = partition.planner.topology.borders[border]
            if node.ends[border].is_open or (conservative and port not in world.tables.closed):
                part = node.node.uuid
                nodes.append(world.updates.parts.get(border, part) if conservative else part)
        if len(nodes) == 2:
            yield nodes[0], nodes[1]


def has_cycle(edges: Iterable[tuple[str, str]]) -> bool:
    """Return whether edges form a cycle; two parallel edges do."""
    found = list(edges)
    return _spanning_edges(found) < len(found)


def _spanning_edges(edges: Iterable[tuple[str, str]]) -> int:
    """Return the number of edges of a forest that spans a graph."""
    leader: dict[str, str] = {}

    def find(node: str) -> str:
        while leader.setdefault(node, node) != node:
            node = leader[node]
        return node

    number = 0
    for a, b in edges:
        a, b = find(a), find(b)
        number += a != b
        leader[a] = b
    return number


def unequal_sets(world: FederatedWorld) -> list[str]:
    """Return what differs between an exported set and what the neighbour has planned."""
    found: list[str] = []
    for one in world.divided.border_links:
        for (name, border), (far_name, far) in (one.ends, one.ends[::-1]):
            partition, neighbour = world.partitions[name], world.partitions[far_name]
            is_open = partition.peers[border].session is not None
            for topic in partition.planner.topics:
                for kind in (ADVERTISEMENT, SUBSCRIPTION):
                    place = SetName(topic, kind)
                    cells = partition.exports.cells.cells(border, topic, kind) if is_open else ()
                    if frozenset(cells) != neighbour.received.held.get((far, place), frozenset()):
                        found.append(f"{kind} of {topic} from {name} to {far_name}")
    return found


def is_settled(world: FederatedWorld) -> bool:
    """Return whether the federation is at rest.

    Each end knows the state of the other, open borders span the network, and all sets are equal.
    """
    if world.alive != world.partitions.keys():
        return False
    if any(world.updates.are_in_transit(name) or one.is_busy() for name, one in world.partitions.items()):
        return False
    up: list[tuple[str, str]] = []
    for one in world.divided.border_links:
        nodes = [world.partitions[name].nodes.at(border) for name, border in one.ends]
        if nodes[0] is None or nodes[1] is None:
            continue
        a, b = nodes[0].ends[one.borders[0]], nodes[1].ends[one.borders[1]]
        if a.session != b.session:
            return False
        if (one.link.a, one.link.a_port) in world.model.far:
            if a.heard != nodes[1].hello(b.name) or b.heard != nodes[0].hello(a.name):
                return False
            up.append((nodes[0].node.uuid, nodes[1].node.uuid))
    joined = list(open_edges(world))
    return len(joined) == _spanning_edges(up) and not unequal_sets(world)


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """Deliveries of probe events; lost ones inside one part, or between parts."""

    expected: int
    delivered: int
    lost_inside: int
    lost_between: int
    duplicated: int
    unwanted: int
    loops: int

    def __add__(self, other: ProbeResult) -> ProbeResult:
        return ProbeResult(*(getattr(self, name) + getattr(other, name) for name in self.__slots__))


NO_PROBES = ProbeResult(0, 0, 0, 0, 0, 0, 0)


def probe(world: FederatedWorld, random: Random) -> ProbeResult:
    """Send one event of each live advertisement, and count its copies."""
    total = NO_PROBES
    for ad in world.truth.advertisements():
        if ad.dz and ad.host in world.model.place:
            total += _probe_one(world, ad.topic, ad.host, _point(random.choice(ad.dz), world, random))
    return total


def _point(cell: Dz, world: FederatedWorld, random: Random) -> Dz:
    free = world.scenario.depth - (cell.bit_length() - 1)
    return cell << free | (random.getrandbits(free) if free else 0)


def _probe_one(world: FederatedWorld, topic: str, publisher: str, event: Dz) -> ProbeResult:
    model = world.model
    start = model.place[publisher]
    wanted = {
        one.host
        for one in world.truth.subscriptions(topic)
        if one.host in model.place
        and model.components[model.place[one.host][0]] == model.components[start[0]]
        and any(covers(dz, event) for dz in one.dz)
    }
    found = world.tables.walk(model, start, world.truth.topics[topic].code, event)
    lost = [host for host in wanted if not found.copies[host]]
    inside = sum(_part(world, host) == _part(world, publisher) for host in lost)
    counts = Counter({host: n for host, n in found.copies.items() if n > 1})
    return ProbeResult(
        len(wanted),
        len(wanted) - len(lost),
        inside,
        len(lost) - inside,
        sum(counts.values()) - len(counts),
        sum(host not in wanted for host in found.copies),
        int(found.has_loop),
    )


def _part(world: FederatedWorld, host: str) -> tuple[str, int | None]:
    name = world.partition_of_host(host)
    return name, world.partitions[name].planner.network.component(host)
