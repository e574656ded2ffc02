"""Interface of a planner that incremental aggregation uses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from tercast.eventspace.topic import Topic
from tercast.requests.registry import Registry
from tercast.routing.live_network import LiveNetwork
from tercast.routing.topic_routing import TopicRouting
from tercast.topology.topology import Topology


class PlannedTables(Protocol):
    """A network, its topics, and the trees and tables planned for them."""

    depth: int
    enforce_budgets: bool
    registry: Registry

    @property
    def network(self) -> LiveNetwork:
        """The network in the form that plans use, up to date."""

    @property
    def topology(self) -> Topology:
        """The network in the form that requests describe."""

    @property
    def topics(self) -> Mapping[str, Topic]:
        """The topics by name."""

    @property
    def is_stale(self) -> bool:
        """Whether the network has changed since the last plan, while nothing is registered."""

    @property
    def all_plans(self) -> list[TopicRouting]:
        """The plans of all topics, and of codes that topics are leaving."""

    def plan(self, topic: str) -> TopicRouting:
        """Return the plan of one topic."""

    def over_budget(self) -> tuple[str, ...]:
        """Return the switches whose tables exceed their budget."""
