"""The way of one event, hop by hop, given what it meets at each switch."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from tercast.tables.entries import Entry
from tercast.topology.topology import Port
from tercast.verification.forwarding import ForwardingModel, ForwardingStep

MAX_HOPS = 10_000
"""Copies of one event after which it is a loop and no more."""

Hit = Callable[[str, int], Entry | None]
"""What an event meets at a switch when it comes in at a port."""


@dataclass(frozen=True, slots=True)
class PathHop:
    """One copy of the event at one switch: where it came in, from which hop, what it met, what that did."""

    number: int
    parent: int | None
    switch: str
    in_port: int
    entry: Entry | None
    steps: tuple[ForwardingStep, ...]


@dataclass(slots=True)
class EventPath:
    """All hops of one event in the order in which they are reached; deliveries are pairs (host, hop)."""

    hops: list[PathHop] = field(default_factory=list)
    deliveries: list[tuple[str, int]] = field(default_factory=list)
    loops: bool = False
    next: dict[tuple[int, Port], int] = field(default_factory=dict)

    def ancestry(self, number: int | None) -> Iterator[PathHop]:
        """A hop and those before it, the last one first."""
        while number is not None:
            yield self.hops[number]
            number = self.hops[number].parent

    def next_hop(self, hop: PathHop, step: ForwardingStep) -> int | None:
        """The hop that an output of another leads to."""
        return None if step.far is None else self.next.get((hop.number, step.far))


def follow(world: ForwardingModel, start: Port | None, hit: Hit) -> EventPath:
    """The way of an event that enters at a port; none where its host is not attached.

    A copy that comes to a port where it has been is cut, and the event loops.
    """
    way = EventPath()
    waiting: list[tuple[Port, int | None]] = [] if start is None else [(start, None)]
    for (switch, in_port), parent in waiting:
        entry = hit(switch, in_port)
        number = len(way.hops)
        steps = () if entry is None else _steps(world, switch, in_port, entry)
        way.hops.append(PathHop(number, parent, switch, in_port, entry, steps))
        if parent is not None:
            way.next[parent, (switch, in_port)] = number
        for step in steps:
            way.deliveries += [(host, number) for host in world.hosts(step.hosts)]
            if step.far is None:
                continue
            if any((hop.switch, hop.in_port) == step.far for hop in way.ancestry(number)):
                way.loops = True
            else:
                waiting.append((step.far, number))
        if len(waiting) > MAX_HOPS:
            way.loops = True
            break
    return way


def _steps(world: ForwardingModel, switch: str, in_port: int, entry: Entry) -> tuple[ForwardingStep, ...]:
    """What an entry does to a packet from a port; a plain output to that port sends nothing."""
    plain = (step for step in world.steps(switch, entry) if step.port != in_port)
    return (*plain, *world.back(switch, in_port, entry))
