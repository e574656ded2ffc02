"""Origin of an entry: the subscriptions that it serves, and whether it is exact.

An output of an entry is correct for an event if, within a tree, a subscription beyond the output and an
advertisement on this side of it contain the event. An entry is *exact* if this is true of all outputs for all
events that it wins. Otherwise it is *aggregated*.
"""

from __future__ import annotations

from dataclasses import dataclass

from tercast.eventspace.dz import overlaps
from tercast.explain.event import ExplainedEvent
from tercast.explain.lookup import TopicTable
from tercast.explain.network_state import NetworkState, TreeLike
from tercast.explain.path import PathHop
from tercast.explain.served_subscriptions import ComponentSubscriptions
from tercast.explain.tree_paths import TreeWays
from tercast.verification.forwarding import ForwardingStep

EXACT, AGGREGATED, UNPLANNED = "exact", "aggregated", "unplanned"


@dataclass(frozen=True, slots=True)
class RequestsBehind:
    """Subscriptions behind an output: those that match exactly, and those that match only by dz."""

    matching: tuple[str, ...]
    truncated: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DzOrigin:
    """Origin of the entry of one hop; `behind` is parallel to the outputs of the hop.

    `kind` is "exact", "aggregated", or "unplanned" if the plan does not have the entry (any more).
    """

    kind: str
    subscriptions: tuple[str, ...]
    behind: tuple[RequestsBehind, ...]


class DzOrigins:
    """Finder of the origins of entries that one event matches."""

    def __init__(self, situation: NetworkState, event: ExplainedEvent) -> None:
        self._situation = situation
        self._event = event
        topic = situation.topics[event.topic]
        self._served = ComponentSubscriptions(situation, event.topic, situation.component(event.host))
        wishes = self._served.wishes
        self._matching = {wish.id for wish in wishes if wish.matches(topic, event.values, event.full)}
        self._holding = {wish.id for wish in wishes if wish.holds(event.full)}

    @property
    def tree(self) -> TreeLike | None:
        """The tree that carries the event."""
        found = self._own_tree()
        return None if found is None else found[0]

    @property
    def ways(self) -> TreeWays | None:
        """The links of that tree."""
        found = self._own_tree()
        return None if found is None else found[1]

    def of(self, hop: PathHop) -> DzOrigin | None:
        """The origin of the entry that matched at a hop; None if none matched."""
        if hop.entry is None:
            return None
        behind = tuple(self._behind(hop, step) for step in hop.steps)
        situation = self._situation
        code = situation.topics[self._event.topic].code
        table = TopicTable(situation.planned(hop.switch), situation.address, code)
        planned = table.find(hop.entry)
        if planned is None or planned.actions != hop.entry.actions:
            return DzOrigin(UNPLANNED, (), behind)
        region = table.region(planned, hop.in_port)
        stands_for, exact = self._served.by_entry(hop.switch, hop.steps, region)
        return DzOrigin(EXACT if exact else AGGREGATED, stands_for, behind)

    def _own_tree(self) -> tuple[TreeLike, TreeWays] | None:
        for tree, ways in self._served.trees:
            if any(overlaps(cell, self._event.full) for cell in tree.dz):
                return tree, ways
        return None

    def _behind(self, hop: PathHop, step: ForwardingStep) -> RequestsBehind:
        ways = self.ways
        wishes = [] if ways is None else self._served.beyond(hop.switch, step, ways)
        matching = tuple(wish.id for wish in wishes if wish.id in self._matching)
        held = (wish.id for wish in wishes if wish.id in self._holding)
        return RequestsBehind(matching, tuple(name for name in held if name not in self._matching))
