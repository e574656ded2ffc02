"""Path of one event, hop by hop, from a lookup at each switch."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from tercast.tables.entries import Entry
from tercast.topology.topology import Port
from tercast.verification.forwarding import ForwardingModel, ForwardingStep

MAX_HOPS = 10_000
"""Number of copies of one event above which it counts as a loop and is cut."""


@dataclass(frozen=True, slots=True)
class PathHop:
    """One copy of the event at one switch: its port, previous hop, entry and outputs."""

    number: int
    parent: int | None
    switch: str
    in_port: int
    entry: Entry | None
    steps: tuple[ForwardingStep, ...]


@dataclass(slots=True)
class EventPath:
    """All hops of one event in the order of arrival; deliveries are pairs (host, hop)."""

    hops: list[PathHop] = field(default_factory=list)
    deliveries: list[tuple[str, int]] = field(default_factory=list)
    loops: bool = False
    next: dict[tuple[int, Port], int] = field(default_factory=dict)

    def ancestry(self, number: int | None) -> Iterator[PathHop]:
        """Yield a hop and the hops before it, the last one first."""
        while number is not None:
            yield self.hops[number]
            number = self.hops[number].parent

    def next_hop(self, hop: PathHop, step: ForwardingStep) -> int | None:
        """The hop to which an output of another hop leads."""
        return None if step.far is None else self.next.get((hop.number, step.far))


def follow(world: ForwardingModel, start: Port | None, hit: Callable[[str, int], Entry | None]) -> EventPath:
    """Compute the path of an event that enters at a port; it is empty without a port.

    A copy that returns to a port on its own path is cut, and the event counts as a loop.
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
    """The outputs of an entry for a packet from a port; plain output to that port is void."""
    plain = (step for step in world.steps(switch, entry) if step.port != in_port)
    return (*plain, *world.back(switch, in_port, entry))
