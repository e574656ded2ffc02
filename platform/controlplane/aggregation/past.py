"""Past events, as far as they say something of the network that is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from controlplane.telemetry import samples
from tercast.registry import ADVERTISEMENT

if TYPE_CHECKING:
    from tercast.planner import Planner

EVENTS = 20_000
"""The newest samples of a topic that computations look at."""


def traffic(planner: Planner, after: int = 0, until: int | None = None) -> list[dict[str, Any]]:
    """The newest samples of the advertisements that live, with ids above `after` and not above `until`."""
    live = (name for name, row in planner.registry.live.items() if row.kind == ADVERTISEMENT)
    return samples.traffic(live, newest=EVENTS, after=after, until=until)
