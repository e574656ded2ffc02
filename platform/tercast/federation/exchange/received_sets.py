"""The sets of neighbours that a partition has planned, and those that it refused."""

from __future__ import annotations

from dataclasses import dataclass, field

from tercast.eventspace.dz import Dz
from tercast.federation.exchange.exchanged_sets import ordered
from tercast.federation.messages.set_name import SetName
from tercast.planner.planner import Planner
from tercast.requests.model import External

BorderSet = tuple[str, SetName]
"""A border, and a set that its neighbour exports."""


@dataclass(slots=True)
class ReceivedSets:
    """Plans received sets, each as one request with the difference to the planned cells.

    Attributes:
        held: The planned cells of each set; a new object reads them from the planner.
        refused: The version of each set that the planner refused.
    """

    planner: Planner
    held: dict[BorderSet, frozenset[Dz]] = field(default_factory=dict)
    refused: dict[BorderSet, int] = field(default_factory=dict)
    _tried: int = 0

    def __post_init__(self) -> None:
        borders = self.planner.topology.borders
        for registration in self.planner.registry.live.values():
            if registration.host in borders:
                place = registration.host, SetName(registration.topic, registration.kind)
                self.held[place] = self.held.get(place, frozenset()).union(registration.dz)

    def replace(self, place: BorderSet, cells: frozenset[Dz], version: int) -> str:
        """Plan the cells of a set; return the reason of a refusal, or nothing."""
        held = self.held.get(place, frozenset())
        border, name = place
        if cells != held:
            request = External(border, name.topic, name.kind, ordered(cells - held), ordered(held - cells))
            outcome = self.planner.apply(request)
            if outcome.reason is not None:
                self.refused[place], self._tried = version, self.planner.applied
                return str(outcome.reason)
            self.held[place] = cells
        self.refused.pop(place, None)
        return ""

    def withdraw(self, border: str) -> bool:
        """Withdraw all cells of a border; return whether there were any."""
        for place in [place for place in self.refused if place[0] == border]:
            del self.refused[place]
        places = [place for place in self.held if place[0] == border]
        for place in places:
            self.replace(place, frozenset(), 0)
            del self.held[place]
        return bool(places)

    def due(self) -> list[tuple[BorderSet, int]]:
        """Return the refused sets and their versions if the planner has changed since."""
        return list(self.refused.items()) if self.planner.applied != self._tried else []
