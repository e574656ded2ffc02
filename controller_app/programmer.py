"""Ordered, confirmed changes of tables: everything is added before anything is removed.

Adding goes switch by switch in the order given (subscriber to publisher), each confirmed by a barrier before
the next begins, so that an event never meets a switch that forwards to one not yet ready. Removing goes the
other way, and only when every addition of the change is confirmed: where one is missing, the old way stays.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import TypeVar

from controller_app import openflow
from controller_app.changes import Change, SwitchChange
from controller_app.connection import Connection
from controller_app.entries import Entry, Key
from controller_app.errors import Failure, Rejected, Unreachable
from controller_app.openflow import Message
from controller_app.readback import Identity, oxm_fields
from controller_app.ryu_api import Semaphore, sleep
from controller_app.switches import Registry

WINDOW = 250
"""Flow-mods between two barriers: so much is at stake when a switch falls silent."""

CONFIRMED, FAILED, UNREACHABLE = "confirmed", "failed", "unreachable"

FOREIGN = Failure(
    "not_own", "foreign_entry", "another owner's entry has this match and priority; it would be replaced"
)

Item = TypeVar("Item")

log = logging.getLogger(__name__)


@dataclass(slots=True)
class SwitchResult:
    """What became of one switch's part of a change."""

    dpid: int
    state: str
    epoch: int | None = None
    removed: bool = False
    detail: str | None = None
    errors: list[tuple[Key, Failure]] | None = None

    def to_json(self) -> dict[str, object]:
        """The northbound's form."""
        return {
            "dpid": f"{self.dpid:016x}",
            "state": self.state,
            "epoch": self.epoch,
            "removed": self.removed,
            "detail": self.detail,
            "errors": [{**key.to_json(), **failure._asdict()} for key, failure in self.errors or ()],
        }


class Programmer:
    """Applies changes to the switches of a registry, one change after the other."""

    def __init__(self, registry: Registry, max_waiting: int = 16) -> None:
        self._registry = registry
        self._turn = Semaphore(1)
        self._max_waiting = max_waiting
        self.waiting = 0

    @property
    def busy(self) -> bool:
        """Whether so many changes wait that another one should come later."""
        return self.waiting >= self._max_waiting

    def apply(self, change: Change) -> list[SwitchResult]:
        """Carries out `change` and tells the state of each of its switches, in their order."""
        self.waiting += 1
        try:
            with self._turn:
                return self._apply(change)
        finally:
            self.waiting -= 1

    def _apply(self, change: Change) -> list[SwitchResult]:
        started = perf_counter()
        results = [self._add(part) for part in change.switches]
        if all(result.state == CONFIRMED for result in results):
            for n in reversed(range(len(results))):
                results[n] = self._remove(change.switches[n], results[n])
        _report(change, results, perf_counter() - started)
        return results

    def _add(self, part: SwitchChange) -> SwitchResult:
        """Adds on one switch; where there is nothing to add, nothing can hold the removals back."""
        if not part.add:
            return SwitchResult(part.dpid, CONFIRMED)
        return self._step(part.dpid, part, _add)

    def _remove(self, part: SwitchChange, added: SwitchResult) -> SwitchResult:
        """Removes on a switch whose additions are confirmed; it must still be the same connection."""
        result = self._step(part.dpid, part, _remove, added.epoch)
        result.removed = result.state == CONFIRMED
        return result

    def _step(
        self,
        dpid: int,
        part: SwitchChange,
        act: Callable[[Connection, SwitchChange], list[tuple[Key, Failure]]],
        epoch: int | None = None,
    ) -> SwitchResult:
        """One switch's turn. One that goes away in the middle is unreachable, whatever it had refused."""
        met: int | None = None
        try:
            connection = self._registry.get(dpid)
            met = connection.epoch
            if epoch not in (None, met):
                raise Unreachable("the switch connected anew in the middle of the change")
            errors = act(connection, part)
            return SwitchResult(dpid, FAILED if errors else CONFIRMED, met, errors=errors)
        except Unreachable as gone:
            return SwitchResult(dpid, UNREACHABLE, met, detail=str(gone))
        except Rejected as rejected:
            return SwitchResult(dpid, FAILED, met, detail=str(rejected))


def _add(connection: Connection, part: SwitchChange) -> list[tuple[Key, Failure]]:
    """Adds longest prefix first: an entry is there before a shorter one changes beside it."""
    entries = sorted(part.add, key=lambda entry: -entry.key.dst.length)
    free, taken = _part_foreign(connection, entries)
    refused = _confirm(connection, free, openflow.add)
    return [(entry.key, FOREIGN) for entry in taken] + [(entry.key, failure) for entry, failure in refused]


def _remove(connection: Connection, part: SwitchChange) -> list[tuple[Key, Failure]]:
    """Removes shortest prefix first; an entry that is not there is as good as removed."""
    keys = sorted(part.remove, key=lambda key: key.dst.length)
    return list(_confirm(connection, keys, openflow.remove))


def _confirm(
    connection: Connection, items: Sequence[Item], build: Callable[[Item], Message]
) -> list[tuple[Item, Failure]]:
    """Sends one message for each item, in windows; the items that the switch refused."""
    refused: list[tuple[Item, Failure]] = []
    for start in range(0, len(items), WINDOW):
        window = items[start : start + WINDOW]
        failures = connection.confirm([build(item) for item in window])
        refused += [(window[n], failure) for n, failure in sorted(failures.items())]
        sleep(0)
    return refused


def _part_foreign(connection: Connection, entries: list[Entry]) -> tuple[list[Entry], list[Entry]]:
    """The entries that are free to be added, and those whose place somebody else's entry holds."""
    if not connection.foreign:
        return entries, []
    free: list[Entry] = []
    taken: list[Entry] = []
    for entry in entries:
        (taken if identity(entry.key) in connection.foreign else free).append(entry)
    return free, taken


def identity(key: Key) -> Identity:
    """The read-back's identity of the entry with that key."""
    return key.priority, frozenset(oxm_fields(openflow.match(key)))


def _report(change: Change, results: list[SwitchResult], seconds: float) -> None:
    states = [result.state for result in results]
    fields = {
        "change": change.id,
        "added": sum(len(part.add) for part in change.switches),
        "removed": sum(len(part.remove) for part in change.switches),
        "seconds": round(seconds, 4),
        **{state: states.count(state) for state in (CONFIRMED, FAILED, UNREACHABLE) if state in states},
    }
    level = logging.INFO if states.count(CONFIRMED) == len(states) else logging.WARNING
    log.log(level, "change applied", extra={"fields": fields})
