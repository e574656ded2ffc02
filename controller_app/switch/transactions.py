"""The requests to one switch that await an answer, and which answer belongs to which request."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from controller_app.errors import SwitchError
from controller_app.openflow.messages import Stats
from controller_app.ryu_api import Queue
from controller_app.switch.answer_bounds import AnswerBudget, BoundedAnswer

SETTLED = 32
"""Batches remembered after their end, so that a late error still finds the request that it refuses."""


@dataclass(slots=True, eq=False)
class SentMessage:
    """Messages with consecutive transaction ids; `what` names them in errors."""

    first: int
    count: int
    what: str

    def index(self, xid: int) -> int | None:
        """Return which of the messages has that id, or None."""
        index = xid - self.first
        return index if 0 <= index < self.count else None


@dataclass(slots=True, eq=False)
class MessageBatch(SentMessage):
    """Messages that await an answer: the errors to them by index, and the parts of the answer.

    `reduce` returns what is kept of each part, as it arrives; a part for which it returns None is not kept.
    """

    failures: dict[int, SwitchError] = field(default_factory=dict)
    parts: list[Any] = field(default_factory=list)
    inbox: Any = field(default_factory=Queue)
    reduce: Callable[[Any], Any] | None = None
    answer: BoundedAnswer | None = None
    """Counts the parts, where the last message is a multipart request."""


class Transactions:
    """The open batches of one connection, and the ones that ended last.

    Args:
        budget: The answers that all connections await.
        seconds: The time that an answer in parts may take.
    """

    def __init__(self, budget: AnswerBudget, seconds: float) -> None:
        self._budget = budget
        self._seconds = seconds
        self.open: list[MessageBatch] = []
        self._settled: deque[SentMessage] = deque(maxlen=SETTLED)

    def begin(self, first: int, messages: int, what: str) -> MessageBatch:
        """Collect the errors to as many messages from the id `first` on, until the batch ends."""
        batch = MessageBatch(first, messages, what)
        self.open.append(batch)
        return batch

    def expect_parts(self, batch: MessageBatch, kind: Stats, guard: Any) -> None:
        """Expect an answer in parts to the last message of a batch; `guard` can end the connection."""
        batch.answer = BoundedAnswer(kind)
        self._budget.open(batch.answer, guard)

    def settle(self, batch: MessageBatch) -> None:
        """End a batch: an error to it from now on is a late one. Its answer is not kept here."""
        self.open.remove(batch)
        self._settled.append(SentMessage(batch.first, batch.count, batch.what))
        if batch.answer is not None:
            self._budget.close(batch.answer)

    def drop(self, batch: MessageBatch) -> None:
        """End a batch that no late error can belong to."""
        self.open.remove(batch)

    def end_all(self) -> None:
        """Wake all who wait: the channel has ended."""
        for batch in self.open:
            batch.inbox.put(None)

    def judge(self, xid: int, kind: int, size: int) -> bool:
        """Count a part of a multipart answer before it is read; False for one that nobody awaits.

        Raises:
            Overrun: The answer goes beyond its bounds.
        """
        batch, _ = self._find(xid)
        if batch is None or batch.answer is None or batch.answer.kind != kind:
            return False
        batch.answer.add(size, self._seconds)
        self._budget.check()
        return True

    def add_part(self, xid: int, part: Any, more: bool) -> None:
        """Add a part of an answer; the last one when not `more`."""
        batch, index = self._find(xid)
        if batch is None:
            return
        if part is not None and batch.reduce is not None:
            part = batch.reduce(part)
        if part is not None and (batch.answer is not None or len(batch.parts) < batch.count):
            batch.parts.append(part)
        batch.inbox.put(not more and index == batch.count - 1)

    def add_failure(self, xid: int, failure: SwitchError) -> str | None:
        """Add an error; return what was refused when nobody waits for it any more."""
        batch, index = self._find(xid)
        if batch is None:
            return next((one.what for one in self._settled if one.index(xid) is not None), None)
        batch.failures[index] = failure
        if index == batch.count - 1:
            batch.inbox.put(True)
        return None

    def _find(self, xid: int) -> tuple[MessageBatch | None, int]:
        """Return the batch that waits for answers to that id, and the index of the message in it."""
        for batch in self.open:
            if (index := batch.index(xid)) is not None:
                return batch, index
        return None, -1
