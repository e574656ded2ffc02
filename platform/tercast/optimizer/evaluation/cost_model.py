"""Cost of tables: redundant copies over links, and false positives at hosts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from tercast.optimizer.arrays.network_arrays import NetworkArrays, TableSet
from tercast.optimizer.kernels.tries import Array
from tercast.optimizer.traffic.event_flows import EventFlows
from tercast.optimizer.traffic.past_traffic import Traffic
from tercast.tables.covers import TableCovers

HOST_WEIGHT = 0.2
"""The cost of a false positive, relative to a copy over a link."""


class Decision(Protocol):
    """The tables of a switch under covers, from any source."""

    def __len__(self) -> int: ...

    def covers(self) -> dict[str, TableCovers]:
        """Return the covers, by topic."""

    def tables(self) -> dict[str, TableSet]:
        """Return the tables, by topic."""


Decisions = Mapping[int, Decision | None]
"""The decisions by switch; None if the budget cannot be met."""


@dataclass(frozen=True, slots=True)
class Expected:
    """Cost of tables beyond that of the exact ones, as means for each event.

    `by_switch` has the redundant copies that a switch sends to others, and `copies` their sum.
    `unwanted_by_switch` has the false positives that a switch delivers, and `unwanted` their sum.
    """

    by_switch: Mapping[str, float]
    copies: float
    unwanted: float
    unwanted_by_switch: Mapping[str, float]

    @property
    def cost(self) -> float:
        """Copies, plus false positives times their weight."""
        return self.copies + HOST_WEIGHT * self.unwanted

    def to_json(self) -> dict[str, object]:
        """Return the cost as in a what-if."""
        return {
            "copies": self.copies,
            "unwanted": self.unwanted,
            "by_switch": dict(self.by_switch),
            "unwanted_by_switch": dict(self.unwanted_by_switch),
        }


def expected_of(
    arrays: NetworkArrays, exact: Sequence[EventFlows], now: Sequence[EventFlows], events: float
) -> Expected:
    """Compute the cost of current tables beyond that of exact ones, from sampled events."""
    added, unwanted = np.zeros(len(arrays.wires)), np.zeros(len(arrays.names))
    for before, after in zip(exact, now, strict=True):
        copies, delivered = before.copies()
        copies_now, delivered_now = after.copies()
        added += copies_now - copies
        unwanted += delivered_now - delivered
    return _means(arrays, added, unwanted, events)


def cost_of_selections(arrays: NetworkArrays, selections: Decisions, traffic: Traffic) -> Expected:
    """Compute the cost of selections on a sample, beyond that of the exact tables."""
    added, unwanted = np.zeros(len(arrays.wires)), np.zeros(len(arrays.names))
    for topic in arrays.topics:
        sample = EventFlows(arrays, topic, traffic.topics.get(topic.name))
        exact, delivered = sample.copies()
        for switch, selection in selections.items():
            if selection is not None and switch in topic.tables:
                sample.set_tables(switch, selection.tables()[topic.name])
        copies, now = sample.copies()
        added += copies - exact
        unwanted += now - delivered
    return _means(arrays, added, unwanted, max(traffic.weight, 1.0))


def _means(arrays: NetworkArrays, added: Array, unwanted: Array, events: float) -> Expected:
    sent = np.bincount(arrays.wires.source, weights=added, minlength=len(arrays.names))
    return Expected(
        _by_name(arrays, sent / events),
        float(added.sum()) / events,
        float(unwanted.sum()) / events,
        _by_name(arrays, unwanted / events),
    )


def _by_name(arrays: NetworkArrays, values: Array) -> dict[str, float]:
    return {arrays.names[s]: float(values[s]) for s in np.flatnonzero(values).tolist()}
