"""The path of one event through tables, copy by copy, if it visits a place repeatedly."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from tercast.simulation.lookup_tables import Lookup
from tercast.simulation.port_index import BACK, NOWHERE, PortIndex, ShortInts

MAX_COPIES = 100_000
"""Number of copies after which an event counts as a loop."""


@dataclass(slots=True)
class EventWalk:
    """All copies of one event, each with its gate and its parent copy, and the deliveries."""

    gates: list[int]
    parents: list[int]
    deliveries: list[tuple[int, int]] = field(default_factory=list)
    loops: bool = False

    def ancestry(self, copy: int) -> Iterator[int]:
        """Yield a copy and its ancestors."""
        while copy >= 0:
            yield copy
            copy = self.parents[copy]

    def useful(self, wanting: set[int]) -> set[int]:
        """Return the copies that lead to a delivery to one of the hosts `wanting`."""
        found: set[int] = set()
        for host, number in self.deliveries:
            if host in wanting:
                for copy in self.ancestry(number):
                    if copy in found:
                        break
                    found.add(copy)
        return found


def walk(lookup: Lookup, wiring: PortIndex, winners: ShortInts, gate: int) -> EventWalk:
    """Follow an event that enters at a gate; `winners` is its column of `Lookup.winners`.

    A copy that returns to a gate on its own path is cut, and the event counts as a loop.
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


def _outputs(lookup: Lookup, wiring: PortIndex, winners: ShortInts, gate: int) -> Iterator[tuple[int, int]]:
    """Yield the targets of the winning rule for packets from a gate: (far gate, host)."""
    effect = lookup.effect[max(winners[wiring.switch[gate]], winners[lookup.own[gate]])]
    for output in range(int(lookup.first[effect]), int(lookup.first[effect + 1])):
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
