"""Rows of merged entries, written in the transaction that decides their requests.

`cost_watch` measures the entries later, once a minute. Until then the rows show an estimate from recent
events.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils import timezone

from controlplane.aggregation.cost_estimate import FAILED, Changed, CostEstimate, estimate, topics_of
from controlplane.aggregation.models import AggregatedEntry
from controlplane.aggregation.past_traffic import recent
from controlplane.common import wakeups
from controlplane.common.chunks import chunks
from controlplane.network.models import Switch
from tercast.eventspace.dz import text
from tercast.optimizer.evaluation.attribution import Attribution
from tercast.planner.merged_entries import (
    EntryPlace,
    MergedTable,
    Merges,
    Savings,
    changed_places,
    merged_table,
    merged_tables,
)

if TYPE_CHECKING:
    from tercast.planner.planner import Planner

logger = logging.getLogger(__name__)

RowKey = tuple[str, int | None, str]


class MergedEntryLedger:
    """Merges of each request of a batch, in the order of the batch."""

    def __init__(self, planner: Planner) -> None:
        self._planner = planner
        self._savings = Savings(planner)
        self.merges: list[Merges] = []
        self.touched: list[frozenset[str]] = []
        planner.budget_enforcer.take_changed()

    def step(self, done: bool) -> None:
        """Record the merges of the last applied request; none if it was not `done`."""
        touched = frozenset(self._planner.budget_enforcer.take_changed())
        self.touched.append(touched if done else frozenset())
        self.merges.append(self._savings.step(touched))


@dataclass(frozen=True, slots=True)
class Update:
    """Merged entries after a batch, on the switches where they may have changed."""

    tables: Mapping[str, MergedTable]
    changed: Changed
    estimate: CostEstimate


class MergedRows:
    """The last written merged entries; at first, those of all switches are written."""

    def __init__(self) -> None:
        self._planner: Planner | None = None
        self._tables: dict[str, MergedTable] = {}
        self._complete = False

    def begin(self, planner: Planner) -> MergedEntryLedger:
        """Follow `planner`, whose previous requests are decided."""
        if self._planner is not planner:
            self._planner, self._tables = planner, merged_tables(planner)
        return MergedEntryLedger(planner)

    def update(self, ledger: MergedEntryLedger) -> Update:
        """Compare merged entries with those before the batch, and estimate the cost of new ones."""
        assert self._planner is not None
        touched = frozenset[str]().union(*ledger.touched)
        tables = {name: merged_table(self._planner, name) for name in touched}
        changed = {
            name: changed_places(self._tables.get(name, {}), table)
            for name, table in tables.items()
            if self._tables.get(name, {}) != table
        }
        held = sum(len(tables[name]) for name in changed)
        return Update(tables, changed, estimated(self._planner, changed, held))

    def write(self, update: Update, position: int) -> None:
        """Update the rows in the caller's transaction."""
        assert self._planner is not None
        if not self._complete:
            self._complete = True
            _write({**merged_tables(self._planner), **update.tables}, update, position, every=True)
        elif update.changed:
            _write({name: update.tables[name] for name in update.changed}, update, position)
        for name, table in update.tables.items():
            self._tables[name] = table


def merging_json(ledger: MergedEntryLedger, update: Update) -> list[dict[str, Any] | None]:
    """Return the merges of each request of the batch as the API shows them, or None."""
    pairs = zip(ledger.merges, ledger.touched, strict=True)
    switches = [merges.switches | (touched & update.changed.keys()) for merges, touched in pairs]
    together = sum(map(bool, switches))
    return [
        to_json(merges, names, update.estimate, together) if names else None
        for merges, names in zip(ledger.merges, switches, strict=True)
    ]


def to_json(merges: Merges, switches: Iterable[str], cost: CostEstimate, together: int = 1) -> dict[str, Any]:
    """Return the form in which requests and dry runs show merges."""
    return {
        "merged": merges.merged,
        "unmerged": merges.unmerged,
        "switches": sorted(switches),
        "together": together,
        **cost.to_json(),
    }


def estimated(planner: Planner, changed: Changed, held: int) -> CostEstimate:
    """Return the expected cost of merged entries; a failure is logged and stops no request.

    Args:
        held: Number of merged entries on the switches of `changed`.
    """
    if not changed:
        return CostEstimate()
    topics = topics_of(changed)
    try:
        return estimate(planner, changed, held, recent(planner, topics))
    except Exception as error:
        logger.exception("the cost of merged entries was not estimated")
        return CostEstimate(topics, reason=FAILED.format(error=f"{type(error).__name__}: {error}"))


def _write(tables: Mapping[str, MergedTable], update: Update, position: int, every: bool = False) -> None:
    """Write the rows of the switches in `tables`; with `every`, delete the rows of all others."""
    rows = AggregatedEntry.objects.all() if every else AggregatedEntry.objects.filter(switch__name__in=tables)
    fields = rows.values_list("pk", "switch__name", "topic", "in_port", "dz")
    known = {(name, (topic, in_port, dz)): pk for pk, name, topic, in_port, dz in fields}
    wanted = {(name, _key(place)): place for name, table in tables.items() for place in table}
    stale = {key for key, place in wanted.items() if place in update.changed.get(key[0], frozenset())}
    gone = [pk for key, pk in known.items() if key not in wanted or key in stale]
    for part in chunks(gone):
        AggregatedEntry.objects.filter(pk__in=part).delete()
    switches = dict(Switch.objects.values_list("name", "pk"))
    attributed = _attributed(update.estimate)
    made = [
        _row(switches[name], key, attributed.get((name, key)), update.estimate.events, position)
        for name, key in wanted
        if name in switches and ((name, key) in stale or (name, key) not in known)
    ]
    AggregatedEntry.objects.bulk_create(made, batch_size=1000)
    if any(row.measured_at is None for row in made):
        transaction.on_commit(_measure)


def _attributed(found: CostEstimate) -> dict[tuple[str, RowKey], Attribution]:
    return {
        (name, _key((one.topic, one.in_port, one.dz))): one
        for name, entries in found.entries.items()
        for one in entries
    }


def _row(switch: int, key: RowKey, one: Attribution | None, events: int, position: int) -> AggregatedEntry:
    """Return a row; without an attribution, it waits for the next measurement."""
    topic, in_port, dz = key
    return AggregatedEntry(
        switch_id=switch,
        topic=topic,
        in_port=in_port,
        dz=dz,
        subscriptions=[] if one is None else sorted(int(name[1:]) for name in one.subscriptions),
        measured=0.0 if one is None else one.copies,
        unwanted=0.0 if one is None else one.unwanted,
        window=0 if one is None else events,
        position=position,
        measured_at=None if one is None else timezone.now(),
    )


def _key(place: EntryPlace) -> RowKey:
    topic, in_port, dz = place
    return topic, in_port, text(dz)


def _measure() -> None:
    wakeups.send(wakeups.ATTRIBUTE)
