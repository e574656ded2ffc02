"""Operations on many switches: staged ahead, side by side, and finished in order or as they are ready."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from controller_app.errors import RequestRejected, SwitchError, Unreachable
from controller_app.openflow.flow_entry import Key
from controller_app.programming.switch_operations import SwitchOperation
from controller_app.ryu_api import Queue, Semaphore, kill, spawn
from controller_app.switch.connection import Connection
from controller_app.switch.registry import SwitchRegistry

WIDTH = 32
"""Operations that are staged at one time: a bundle that waits long runs out of time."""

CONFIRMED, FAILED, UNREACHABLE = "confirmed", "failed", "unreachable"


@dataclass(slots=True)
class SwitchResult:
    """The result of one switch's part of a change."""

    dpid: int
    state: str
    epoch: int | None = None
    removed: bool = False
    detail: str | None = None
    errors: list[tuple[Key, SwitchError]] | None = None

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


class StagedOperation:
    """An operation on one switch. A switch that disconnects meanwhile is unreachable, whatever it refused.

    `epoch` is the connection that it must still be, where that matters. With `needs_all` the operation is
    held back when one before it is not confirmed.
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
        """Send ahead what takes no effect yet. An error is reported by `finish`."""
        self._operation = self._error = None
        try:
            connection = self._registry.get(self._dpid)
            self._staged_epoch = connection.epoch
            if self._epoch not in (None, self._staged_epoch):
                raise Unreachable("the switch connected anew in the middle of the change")
            self._operation = self._make(connection)
            self._operation.stage()
        except Exception as error:
            self._error = error

    def finish(self) -> SwitchResult:
        """Let it take effect. A switch that connected again since the staging is staged again."""
        current = self._registry.find(self._dpid)
        if current is not None and current.epoch != self._staged_epoch and self._epoch is None:
            self._forget()
            self.stage()
        return self._result_of(self._finish)

    def hold_back(self) -> SwitchResult:
        """Give the operation up, because one before it was not confirmed."""
        return self._result_of(self._drop)

    def _finish(self, operation: SwitchOperation) -> SwitchResult:
        errors, detail = operation.finish()
        state = FAILED if errors or detail else CONFIRMED
        return SwitchResult(self._dpid, state, self._staged_epoch, detail=detail, errors=errors)

    def _drop(self, operation: SwitchOperation) -> SwitchResult:
        operation.drop()
        detail = "held back: an addition before it in the change is not confirmed"
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
    """Return the results of all operations; they are finished one after the other if `in_order`."""
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
    """Start to stage each operation, as soon as it has a slot."""
    for operation, inbox in zip(operations, inboxes, strict=True):
        slots.acquire()
        spawn(_stage_operation if in_order else _run_operation, operation, inbox, slots)


def _stage_operation(operation: StagedOperation, inbox: Any, slots: Any) -> None:
    """Stage an operation whose slot is released when it is finished."""
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
