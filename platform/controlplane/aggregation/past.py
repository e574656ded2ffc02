"""Past events, as far as they say something of the network that is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from controlplane.telemetry import samples
from tercast.registry import ADVERTISEMENT

if TYPE_CHECKING:
    from tercast.planner import Planner

EVENTS = 20_000
"""The newest samples of a topic that computations look at."""


@dataclass(frozen=True, slots=True)
class Past:
    """Past events, and their numbers, which they keep."""

    events: list[dict[str, Any]]
    numbers: list[int]

    def __len__(self) -> int:
        return len(self.events)


def traffic(planner: Planner, after: int = 0, until: int | None = None) -> Past:
    """The newest samples of the advertisements that live, with ids above `after` and not above `until`."""
    live = (name for name, row in planner.registry.live.items() if row.kind == ADVERTISEMENT)
    found = samples.numbered(live, newest=EVENTS, after=after, until=until)
    return Past([event for _, event in found], [number for number, _ in found])
