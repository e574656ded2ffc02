"""Origin of one entry of a switch, for all events that match it."""

from __future__ import annotations

from dataclasses import dataclass

from tercast.eventspace.dz import DzSet
from tercast.explain.lookup import TopicTable
from tercast.explain.network_state import NetworkState
from tercast.explain.origins import AGGREGATED, EXACT, UNPLANNED
from tercast.explain.served_subscriptions import ComponentSubscriptions
from tercast.tables.entries import Entry

ANY_PORT = 0
"""Number that represents a port that no entry names."""


@dataclass(frozen=True, slots=True)
class EntryOrigin:
    """Origin of an entry: `kind` as in `DzOrigin`, served subscriptions, matching events."""

    kind: str
    subscriptions: tuple[str, ...]
    region: DzSet


def entry_origin(situation: NetworkState, topic: str, switch: str, entry: Entry) -> EntryOrigin:
    """The origin of an entry of `topic` at `switch`; "unplanned" if the plan has no such entry."""
    table = TopicTable(situation.planned(switch), situation.address, situation.topics[topic].code)
    planned = table.find(entry)
    if planned is None or planned.actions != entry.actions:
        return EntryOrigin(UNPLANNED, (), ())
    port = ANY_PORT if entry.in_port is None else entry.in_port
    region = table.region(planned, port)
    world = situation.world
    steps = (*world.steps(switch, entry), *world.back(switch, port, entry))
    served = ComponentSubscriptions(situation, topic, world.components.get(switch))
    names, exact = served.by_entry(switch, steps, region)
    return EntryOrigin(EXACT if exact else AGGREGATED, names, region)
