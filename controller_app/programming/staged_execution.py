"""Works on many switches: staged at once, each taking effect at its turn."""

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
"""Switches that are staged ahead of their turn: a bundle that waits long runs out of time."""

CONFIRMED, FAILED, UNREACHABLE = "confirmed", "failed", "unreachable"


@dataclass(slots=True)
class SwitchResult:
    """What became of one switch's part of a change."""

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
    """One switch's work. A switch that goes away in the middle is unreachable, whatever it had refused.

    `epoch` is the connection that it must still be, where that matters. With `needs_all` the work is held
    back when one before it was not confirmed.
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
        self._met: int | None = None
        self._work: SwitchOperation | None = None
        self._trouble: Exception | None = None

    def stage(self) -> None:
        """Sends ahead what takes no effect yet. Trouble is told at the turn."""
        self._work = self._trouble = None
        try:
            connection = self._registry.get(self._dpid)
            self._met = connection.epoch
            if self._epoch not in (None, self._met):
                raise Unreachable("the switch connected anew in the middle of the change")
            self._work = self._make(connection)
            self._work.stage()
        except Exception as trouble:
            self._trouble = trouble

    def finish(self) -> SwitchResult:
        """Lets it take effect. A switch that connected anew since the staging is staged anew."""
        current = self._registry.find(self._dpid)
        if current is not None and current.epoch != self._met and self._epoch is None:
            self._forget()
            self.stage()
        return self._told(self._finish)

    def hold(self) -> SwitchResult:
        """Gives the work up, because one before it was not confirmed."""
        return self._told(self._drop)

    def _finish(self, work: SwitchOperation) -> SwitchResult:
        errors, detail = work.finish()
        state = FAILED if errors or detail else CONFIRMED
        return SwitchResult(self._dpid, state, self._met, detail=detail, errors=errors)

    def _drop(self, work: SwitchOperation) -> SwitchResult:
        work.drop()
        detail = "held back: an addition before it in the change is not confirmed"
        return SwitchResult(self._dpid, FAILED, self._met, detail=detail)

    def _told(self, act: Callable[[SwitchOperation], SwitchResult]) -> SwitchResult:
        try:
            if self._trouble is not None:
                raise self._trouble
            assert self._work is not None, "a turn is staged before it is finished"
            return act(self._work)
        except Unreachable as gone:
            return SwitchResult(self._dpid, UNREACHABLE, self._met, detail=str(gone))
        except RequestRejected as rejected:
            return SwitchResult(self._dpid, FAILED, self._met, detail=str(rejected))
        finally:
            self._forget()

    def _forget(self) -> None:
        if self._work is not None:
            self._work.abandon()
            self._work = None


def take_turns(turns: Sequence[StagedOperation], in_order: bool) -> list[SwitchResult]:
    """The results of all turns: staged side by side, and finished one after the other if `in_order`."""
    slots = Semaphore(WIDTH)
    boxes = [Queue() for _ in turns]
    beginning = spawn(_begin, turns, boxes, slots, in_order)
    results: list[SwitchResult] = []
    confirmed = True
    try:
        for turn, box in zip(turns, boxes, strict=True):
            told = box.get()
            if in_order:
                told = turn.finish() if confirmed or not turn.needs_all else turn.hold()
                slots.release()
            if isinstance(told, Exception):
                raise told
            results.append(told)
            confirmed = confirmed and told.state == CONFIRMED
    finally:
        kill(beginning)
    return results


def _begin(turns: Sequence[StagedOperation], boxes: Sequence[Any], slots: Any, in_order: bool) -> None:
    """Starts the staging of each turn, as soon as it has a slot."""
    for turn, box in zip(turns, boxes, strict=True):
        slots.acquire()
        spawn(_stage if in_order else _do, turn, box, slots)


def _stage(turn: StagedOperation, box: Any, slots: Any) -> None:
    """Stages a turn whose slot is given back when it has been finished."""
    turn.stage()
    box.put(None)


def _do(turn: StagedOperation, box: Any, slots: Any) -> None:
    """Stages a turn and finishes it."""
    turn.stage()
    try:
        box.put(turn.finish())
    except Exception as mistake:
        box.put(mistake)
    finally:
        slots.release()
