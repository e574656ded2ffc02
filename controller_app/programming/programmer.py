"""Ordered, confirmed changes of tables: all additions precede all removals.

Additions take effect on one switch at a time, in the order given (subscriber to publisher). Each is confirmed
before the next starts, so that no event reaches a switch that is not yet ready for it. Removals use the
reverse order, and they start only when every addition of the change is confirmed. If one is not, the old path
remains. Messages that have no effect yet (those of a bundle) are sent to all switches at the same time.
"""

from __future__ import annotations

import logging
from time import perf_counter

from controller_app.monitoring.metrics import Metrics, SwitchOutcome
from controller_app.programming.change_request import Change, SwitchChange
from controller_app.programming.staged_execution import (
    CONFIRMED,
    FAILED,
    UNREACHABLE,
    StagedOperation,
    SwitchResult,
    run_operations,
)
from controller_app.programming.switch_operations import Addition, AtomicReplace, Removal, SwitchOperation
from controller_app.ryu_api import Semaphore
from controller_app.switch.connection import Connection
from controller_app.switch.registry import SwitchRegistry

log = logging.getLogger(__name__)


class Programmer:
    """Applies changes to the switches of a registry, one change at a time."""

    def __init__(self, registry: SwitchRegistry, metrics: Metrics, max_waiting: int = 16) -> None:
        self._registry = registry
        self._metrics = metrics
        self._lock = Semaphore(1)
        self._max_waiting = max_waiting
        self.waiting = 0

    @property
    def busy(self) -> bool:
        """Whether so many changes wait that another one must be sent later."""
        return self.waiting >= self._max_waiting

    def apply(self, change: Change) -> list[SwitchResult]:
        """Apply a change; return the result of each of its switches, in their order."""
        self.waiting += 1
        try:
            with self._lock:
                return self._apply(change)
        finally:
            self.waiting -= 1

    def _apply(self, change: Change) -> list[SwitchResult]:
        started = perf_counter()
        results = self._add(change)
        if all(result.state == CONFIRMED for result in results):
            self._remove(change, results)
        seconds = perf_counter() - started
        self._metrics.record_change(_outcomes(change, results), seconds)
        _report(change, results, seconds)
        return results

    def _add(self, change: Change) -> list[SwitchResult]:
        """Do the parts that have a place in the order of additions; all other parts only remove."""
        results = [SwitchResult(part.dpid, CONFIRMED) for part in change.switches]
        busy = [n for n, part in enumerate(change.switches) if part.in_place or part.adds]
        operations = [self._addition(change.switches[n], change.in_order) for n in busy]
        for n, result in zip(busy, run_operations(operations, change.in_order), strict=True):
            results[n] = result
            result.removed = change.switches[n].in_place and result.state == CONFIRMED
        return results

    def _addition(self, part: SwitchChange, in_order: bool) -> StagedOperation:
        def make(connection: Connection) -> SwitchOperation:
            return (
                AtomicReplace(connection, part) if part.in_place else Addition(connection, part.steps[0].add)
            )

        return StagedOperation(
            self._registry, part.dpid, make, needs_all=in_order and part.in_place and part.removes > 0
        )

    def _remove(self, change: Change, results: list[SwitchResult]) -> None:
        """Remove in reverse order, on switches that have not reconnected since the additions."""
        left = [n for n in reversed(range(len(results))) if not change.switches[n].in_place]
        operations = [self._removal(change.switches[n], results[n].epoch) for n in left]
        for n, result in zip(left, run_operations(operations, change.in_order), strict=True):
            results[n] = result
            result.removed = result.state == CONFIRMED

    def _removal(self, part: SwitchChange, epoch: int | None) -> StagedOperation:
        return StagedOperation(
            self._registry, part.dpid, lambda connection: Removal(connection, part.steps[0].remove), epoch
        )


def _outcomes(change: Change, results: list[SwitchResult]) -> list[SwitchOutcome]:
    return [
        SwitchOutcome(
            part.dpid,
            part.adds,
            part.removes,
            result.state,
            result.removed,
            [failure for _, failure in result.errors or ()],
        )
        for part, result in zip(change.switches, results, strict=True)
    ]


def _report(change: Change, results: list[SwitchResult], seconds: float) -> None:
    states = [result.state for result in results]
    fields = {
        "change": change.id,
        "added": sum(part.adds for part in change.switches),
        "removed": sum(part.removes for part in change.switches),
        "seconds": round(seconds, 4),
        **{state: states.count(state) for state in (CONFIRMED, FAILED, UNREACHABLE) if state in states},
    }
    for result in results:
        result_fields = {
            "change": change.id,
            "dpid": f"{result.dpid:016x}",
            "state": result.state,
            "epoch": result.epoch,
        }
        log.debug("switch finished", extra={"fields": result_fields})
    level = logging.INFO if states.count(CONFIRMED) == len(states) else logging.WARNING
    log.log(level, "change applied", extra={"fields": fields})
