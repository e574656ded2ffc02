"""The way of one event through tables, copy by copy: for events that come to one place more than once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from tercast.simulation.lookup_tables import Lookup
from tercast.simulation.port_index import BACK, NOWHERE, Numbers, PortIndex

MAX_COPIES = 100_000
"""Copies of one event after which it is a loop and no more."""


@dataclass(slots=True)
class EventWalk:
    """All copies of one event, each with the gate it enters and the copy it comes from, and deliveries."""

    gates: list[int]
    parents: list[int]
    deliveries: list[tuple[int, int]] = field(default_factory=list)
    loops: bool = False

    def ancestry(self, copy: int) -> Iterator[int]:
        """A copy and those that it came from."""
        while copy >= 0:
            yield copy
            copy = self.parents[copy]

    def useful(self, wanting: set[int]) -> set[int]:
        """The copies behind which one of the hosts `wanting` gets the event."""
        found: set[int] = set()
        for host, number in self.deliveries:
            if host in wanting:
                for copy in self.ancestry(number):
                    if copy in found:
                        break
                    found.add(copy)
        return found


def walk(lookup: Lookup, wiring: PortIndex, winners: Numbers, gate: int) -> EventWalk:
    """The way of an event that enters at a gate; `winners` is its column of `Lookup.winners`.

    A copy that comes to a gate where it has been is cut, and the event loops.
    """
    way = EventWalk([gate], [NOWHERE])
    number = 0
    while number < len(way.gates):
        for onward, host in _outputs(lookup, wiring, winners, way.gates[number]):
            if host != NOWHERE:
                way.deliveries.append((host, number))
            elif any(way.gates[copy] == onward for copy in way.ancestry(number)):
                way.loops = True
            else:
                way.gates.append(onward)
                way.parents.append(number)
        if len(way.gates) > MAX_COPIES:
            way.loops = True
            break
        number += 1
    return way


def _outputs(lookup: Lookup, wiring: PortIndex, winners: Numbers, gate: int) -> Iterator[tuple[int, int]]:
    """Where the winning rule sends packets from a gate: (far gate, NOWHERE) or (NOWHERE, host)."""
    deed = lookup.deed[max(winners[wiring.switch[gate]], winners[lookup.own[gate]])]
    for output in range(int(lookup.first[deed]), int(lookup.first[deed + 1])):
        port, onward, host = (
            int(lookup.port[output]),
            int(lookup.onward[output]),
            int(lookup.host[output]),
        )
        if port == BACK:
            if host == NOWHERE:
                onward = int(wiring.far[gate])
            elif wiring.home[host] != gate:
                host = NOWHERE
        elif port == wiring.number[gate]:
            continue
        if onward != NOWHERE or host != NOWHERE:
            yield onward, host
