"""Operations on one switch: additions, removals, and replacements as a whole.

Each operation is staged (sent, without effect yet), and then finished or dropped.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

from controller_app.errors import SwitchError
from controller_app.openflow import flow_mods
from controller_app.openflow.flow_entry import FlowEntry, FlowKey, RestEntry
from controller_app.programming.change_request import ChangeStep, SwitchChange
from controller_app.programming.flow_mod_delivery import (
    Bundle,
    FlowModDelivery,
    Item,
    RefusedEntry,
    send_singly,
)
from controller_app.programming.table_occupancy import merge_steps, peak_occupancy, read_keys
from controller_app.switch.connection import Connection
from controller_app.switch.flow_stats import identity

FOREIGN = SwitchError("not_own", "foreign_entry", "an entry of another program has this match and priority")
NOT_APPLIED = SwitchError(
    "not_applied",
    "part_refused",
    "not installed, because the switch refused another entry of the same change",
)

EntryErrors = list[tuple[FlowKey, SwitchError]]


class OperationOutcome(NamedTuple):
    """Entries with errors, and an explanation if one is needed."""

    errors: EntryErrors
    detail: str | None = None


class SwitchOperation(Protocol):
    """Work on a connected switch. Every method may raise Unreachable or RequestRejected."""

    def stage(self) -> None:
        """Send the messages that have no effect yet."""

    def finish(self) -> OperationOutcome:
        """Let the operation take effect."""

    def drop(self) -> None:
        """Discard the operation."""

    def abandon(self) -> None:
        """Forget the operation, because its switch disconnected. Raises nothing."""


class Addition(FlowModDelivery):
    """Adds entries, longest prefix first: they exist before shorter ones change."""

    def __init__(self, connection: Connection, entries: Iterable[FlowEntry]) -> None:
        free, self._taken = split_foreign(connection, longest_first(entries))
        super().__init__(connection, free)

    def finish(self) -> OperationOutcome:
        """Add the entries that replace none of another owner."""
        return OperationOutcome(
            [(entry.key, FOREIGN) for entry in self._taken] + errors_by_key(self.deliver())
        )


class Removal(FlowModDelivery):
    """Removes entries, shortest prefix first; a missing entry counts as removed."""

    def __init__(self, connection: Connection, keys: Iterable[FlowKey]) -> None:
        super().__init__(connection, shortest_first(keys))

    def finish(self) -> OperationOutcome:
        """Remove the entries."""
        return OperationOutcome(errors_by_key(self.deliver()))


class AtomicReplace:
    """Additions and removals at one place in the order of a change: all together, or in steps.

    With bundles, each step is a bundle, and `atomic` merges all steps into one. A refused message reverts its
    bundle. Without bundles, each step adds first and then removes. After a refusal no further step starts.
    With a limit, the table is read first, and nothing is done if the table would exceed the limit at any
    moment.

    A step's `rest` takes effect between its additions and removals. If these are one bundle, it takes effect
    before the bundle, or after it if `rest` has no actions, because then packets are dropped again.
    """

    def __init__(self, connection: Connection, part: SwitchChange) -> None:
        self._connection = connection
        self._limit = part.limit
        merge = connection.bundles and part.atomic
        self._steps = (merge_steps(part.steps),) if merge else part.steps
        self._refusal: OperationOutcome | None = None
        self._bundle: Bundle | None = None

    def stage(self) -> None:
        """Check what can be checked now, and send the first bundle."""
        self._refusal = self._limit_refusal() or self._foreign_refusal()
        if self._refusal is None and self._connection.bundles:
            self._stage_bundle(self._steps[0])

    def finish(self) -> OperationOutcome:
        """Apply the steps in their order."""
        if self._refusal is not None:
            return self._refusal
        for n, step in enumerate(self._steps):
            refused, detail = self._apply_step(step) if self._connection.bundles else self._apply_singly(step)
            if refused or detail:
                undone = self._steps[n if self._connection.bundles else n + 1 :]
                return OperationOutcome(add_undone(errors_by_key(refused), undone), detail)
        return OperationOutcome([])

    def drop(self) -> None:
        """Discard the staged bundle."""
        if self._bundle is not None:
            self._bundle.discard()
            self.abandon()

    def abandon(self) -> None:
        """Forget the staged bundle."""
        if self._bundle is not None:
            self._bundle.abandon()
            self._bundle = None

    def _stage_bundle(self, step: ChangeStep) -> None:
        """Stage a step; removals are first in the bundle, to free entries for the additions."""
        items: list[Item] = [*shortest_first(step.remove), *longest_first(step.add)]
        self._bundle = Bundle(self._connection, items)
        self._bundle.stage()

    def _apply_bundle(self, step: ChangeStep) -> tuple[list[RefusedEntry], str | None]:
        """Apply a bundle; try it once more if it failed and none of its messages is the reason."""
        refused: list[RefusedEntry] = []
        failure: SwitchError | None = None
        for _ in range(2):
            if self._bundle is None:
                self._stage_bundle(step)
            assert self._bundle is not None
            refused = self._bundle.refused
            if refused:
                self.drop()
                break
            done = self._bundle.commit()
            refused, failure = self._bundle.refused, self._bundle.failure
            self.abandon()
            if done:
                return [], None
            if refused:
                break
        why = refused[0][1] if refused else failure
        return refused, f"nothing was applied: {why.detail if why else 'the switch did not confirm'}"

    def _apply_step(self, step: ChangeStep) -> tuple[list[RefusedEntry], str | None]:
        before = step.rest if step.rest and step.rest.actions else None
        if detail := send_rest(self._connection, before):
            return [], detail
        refused, detail = self._apply_bundle(step)
        if refused or detail or before:
            return refused, detail
        return [], send_rest(self._connection, step.rest)

    def _apply_singly(self, step: ChangeStep) -> tuple[list[RefusedEntry], str | None]:
        refused = send_singly(self._connection, longest_first(step.add))
        detail = None if refused else send_rest(self._connection, step.rest)
        if not refused and detail is None:
            refused = send_singly(self._connection, shortest_first(step.remove))
        return refused, detail

    def _limit_refusal(self) -> OperationOutcome | None:
        if self._limit is None:
            return None
        most = peak_occupancy(read_keys(self._connection), self._steps, at_once=self._connection.bundles)
        if most <= self._limit:
            return None
        detail = f"the table would have {most} entries during the change, over its limit of {self._limit}"
        return OperationOutcome([], f"nothing was applied: {detail}")

    def _foreign_refusal(self) -> OperationOutcome | None:
        """Return a refusal if entries of other owners are in the way."""
        entries = [entry for step in self._steps for entry in step.add]
        taken = dict.fromkeys(entry.key for entry in split_foreign(self._connection, entries)[1])
        if not taken:
            drops = {identity(flow_mods.drop_key(step.rest.range)) for step in self._steps if step.rest}
            if drops & self._connection.foreign:
                detail = "nothing was applied: an entry of another program has the match of the drop entry"
                return OperationOutcome([], detail)
            return None
        errors = add_undone([(key, FOREIGN) for key in taken], self._steps)
        detail = "nothing was applied: an entry of another program has the match and priority of a new entry"
        return OperationOutcome(errors, detail)


def send_rest(connection: Connection, rest: RestEntry | None) -> str | None:
    """Change the actions of the drop entry: forward packets, or drop them again.

    Returns:
        Why the switch refused it, or None.
    """
    if rest is None:
        return None
    failures = connection.confirm([flow_mods.add_drop(rest.range, rest.actions)])
    if not failures:
        return None
    failure = f"{failures[0].type}/{failures[0].code}"
    return f"the switch refused a change of the drop entry for {rest.range}: {failure}"


def longest_first(entries: Iterable[FlowEntry]) -> list[FlowEntry]:
    """Sort entries by prefix length, longest first."""
    return sorted(entries, key=lambda entry: -entry.key.dst.length)


def shortest_first(keys: Iterable[FlowKey]) -> list[FlowKey]:
    """Sort keys by prefix length, shortest first."""
    return sorted(keys, key=lambda key: key.dst.length)


def errors_by_key(refused: Iterable[RefusedEntry]) -> EntryErrors:
    """Pair the key of each refused item with its error."""
    return [(item.key if isinstance(item, FlowEntry) else item, failure) for item, failure in refused]


def add_undone(errors: EntryErrors, steps: Sequence[ChangeStep]) -> EntryErrors:
    """Return the errors, and an error for each further entry of steps that are not done."""
    named = {key for key, _ in errors}
    others = dict.fromkeys(entry.key for step in steps for entry in step.add if entry.key not in named)
    return errors + [(key, NOT_APPLIED) for key in others]


def split_foreign(
    connection: Connection, entries: list[FlowEntry]
) -> tuple[list[FlowEntry], list[FlowEntry]]:
    """Return the entries that can be added, and those that other owners block."""
    if not connection.foreign:
        return entries, []
    free: list[FlowEntry] = []
    taken: list[FlowEntry] = []
    for entry in entries:
        (taken if identity(entry.key) in connection.foreign else free).append(entry)
    return free, taken
