"""Operations on many switches: staged in parallel, finished in order or in any order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from controller_app.errors import RequestRejected, SwitchError, Unreachable
from controller_app.openflow.flow_entry import FlowKey
from controller_app.programming.switch_operations import SwitchOperation
from controller_app.ryu_api import Queue, Semaphore, kill, spawn
from controller_app.switch.connection import Connection
from controller_app.switch.registry import SwitchRegistry

WIDTH = 32
"""Operations that are staged at the same time. Staged bundles expire, so there are not too many."""

CONFIRMED, FAILED, UNREACHABLE = "confirmed", "failed", "unreachable"


@dataclass(slots=True)
class SwitchResult:
    """The result of a change at one switch."""

    dpid: int
    state: str
    epoch: int | None = None
    removed: bool = False
    detail: str | None = None
    errors: list[tuple[FlowKey, SwitchError]] | None = None

    def to_json(self) -> dict[str, object]:
        """Return the northbound's form."""
        return {
            "dpid": f"{self.dpid:016x}",
            "state": self.state,
            "epoch": self.epoch,
            "removed": self.removed,
            "detail": self.detail,
            "errors": [{**key.to_json(), **failure._asdict()} for key, failure in self.errors or ()],
        }


class StagedOperation:
    """An operation on one switch; it is `unreachable` if the switch disconnects meanwhile.

    Args:
        epoch: The connection that the switch must still have; None for any connection.
        needs_all: Hold the operation back if an earlier one is not confirmed.
    """

    def __init__(
        self,
        registry: SwitchRegistry,
        dpid: int,
        make: Callable[[Connection], SwitchOperation],
        epoch: int | None = None,
        needs_all: bool = False,
    ) -> None:
        self._registry = registry
        self._dpid = dpid
        self._make = make
        self._epoch = epoch
        self.needs_all = needs_all
        self._staged_epoch: int | None = None
        self._operation: SwitchOperation | None = None
        self._error: Exception | None = None

    def stage(self) -> None:
        """Send the messages that have no effect yet. `finish` reports an error."""
        self._operation = self._error = None
        try:
            connection = self._registry.get(self._dpid)
            self._staged_epoch = connection.epoch
            if self._epoch not in (None, self._staged_epoch):
                raise Unreachable("the switch reconnected during the change")
            self._operation = self._make(connection)
            self._operation.stage()
        except Exception as error:
            self._error = error

    def finish(self) -> SwitchResult:
        """Let the operation take effect; stage it again if the switch has reconnected meanwhile."""
        current = self._registry.find(self._dpid)
        if current is not None and current.epoch != self._staged_epoch and self._epoch is None:
            self._forget()
            self.stage()
        return self._result_of(self._finish)

    def hold_back(self) -> SwitchResult:
        """Drop the operation because an earlier one is not confirmed."""
        return self._result_of(self._drop)

    def _finish(self, operation: SwitchOperation) -> SwitchResult:
        errors, detail = operation.finish()
        state = FAILED if errors or detail else CONFIRMED
        return SwitchResult(self._dpid, state, self._staged_epoch, detail=detail, errors=errors)

    def _drop(self, operation: SwitchOperation) -> SwitchResult:
        operation.drop()
        detail = "not sent: another switch has not confirmed the new entries that must exist first"
        return SwitchResult(self._dpid, FAILED, self._staged_epoch, detail=detail)

    def _result_of(self, act: Callable[[SwitchOperation], SwitchResult]) -> SwitchResult:
        try:
            if self._error is not None:
                raise self._error
            assert self._operation is not None, "an operation is staged before it is finished"
            return act(self._operation)
        except Unreachable as gone:
            return SwitchResult(self._dpid, UNREACHABLE, self._staged_epoch, detail=str(gone))
        except RequestRejected as rejected:
            return SwitchResult(self._dpid, FAILED, self._staged_epoch, detail=str(rejected))
        finally:
            self._forget()

    def _forget(self) -> None:
        if self._operation is not None:
            self._operation.abandon()
            self._operation = None


def run_operations(operations: Sequence[StagedOperation], in_order: bool) -> list[SwitchResult]:
    """Return the results of all operations; with `in_order`, they finish one at a time."""
    slots = Semaphore(WIDTH)
    inboxes = [Queue() for _ in operations]
    staging = spawn(_start_staging, operations, inboxes, slots, in_order)
    results: list[SwitchResult] = []
    confirmed = True
    try:
        for operation, inbox in zip(operations, inboxes, strict=True):
            result = inbox.get()
            if in_order:
                result = operation.finish() if confirmed or not operation.needs_all else operation.hold_back()
                slots.release()
            if isinstance(result, Exception):
                raise result
            results.append(result)
            confirmed = confirmed and result.state == CONFIRMED
    finally:
        kill(staging)
    return results


def _start_staging(
    operations: Sequence[StagedOperation], inboxes: Sequence[Any], slots: Any, in_order: bool
) -> None:
    """Stage each operation as soon as it has a slot."""
    for operation, inbox in zip(operations, inboxes, strict=True):
        slots.acquire()
        spawn(_stage_operation if in_order else _run_operation, operation, inbox, slots)


def _stage_operation(operation: StagedOperation, inbox: Any, slots: Any) -> None:
    """Stage an operation; its slot is released when the operation is finished."""
    operation.stage()
    inbox.put(None)


def _run_operation(operation: StagedOperation, inbox: Any, slots: Any) -> None:
    """Stage an operation and finish it."""
    operation.stage()
    try:
        inbox.put(operation.finish())
    except Exception as mistake:
        inbox.put(mistake)
    finally:
        slots.release()
