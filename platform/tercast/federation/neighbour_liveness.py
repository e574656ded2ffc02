"""Liveness of neighbours: ports that are up, silent neighbours, and their grace."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

HOLD = 5.0
"""Seconds without a hello until a neighbour counts as silent."""

GRACE = 30.0
"""Seconds for which a silent neighbour keeps its borders, because its switches still forward."""


@dataclass(slots=True)
class NeighbourLiveness:
    """The state of the ports of borders, and the time of the last hello at each."""

    grace: float
    up: set[str] = field(default_factory=set)
    _heard: dict[str, float] = field(default_factory=dict)
    _named: dict[str, float] = field(default_factory=dict)

    def set_port(self, border: str, up: bool) -> None:
        """Record the state of a port, and discard its earlier hellos."""
        (self.up.add if up else self.up.discard)(border)
        self._heard.pop(border, None)

    def hear(self, border: str, now: float) -> None:
        """Record a hello."""
        self._heard[border] = now
        self._named.pop(border, None)

    def announce_stop(self, border: str, restart: float) -> None:
        """Record that a neighbour stops, and the seconds until it is back."""
        self._named[border] = restart

    def silent(self, now: float) -> Iterable[str]:
        """Return the borders without a hello for longer than the hold time."""
        return [border for border, heard in self._heard.items() if now - heard > HOLD]

    def expired(self, now: float) -> list[str]:
        """Return and forget the borders whose grace has ended."""
        gone = [
            border
            for border, heard in self._heard.items()
            if now - heard > HOLD + self._named.get(border, self.grace)
        ]
        for border in gone:
            del self._heard[border]
            self._named.pop(border, None)
        return gone
