"""The open requests of a connection, and the answers that belong to them."""

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
"""Batches that are remembered after their end, so that a late error still names its request."""


@dataclass(slots=True, eq=False)
class SentMessage:
    """Messages with consecutive transaction ids; `what` names them in errors."""

    first: int
    count: int
    what: str

    def index(self, xid: int) -> int | None:
        """Return the index of the message with a transaction id, or None."""
        index = xid - self.first
        return index if 0 <= index < self.count else None


@dataclass(slots=True, eq=False)
class MessageBatch(SentMessage):
    """Messages that wait for an answer.

    Attributes:
        failures: Errors by index of the message.
        parts: Parts of the answer.
        reduce: Returns what is stored of a part; None if it is not stored.
    """

    failures: dict[int, SwitchError] = field(default_factory=dict)
    parts: list[Any] = field(default_factory=list)
    inbox: Any = field(default_factory=Queue)
    reduce: Callable[[Any], Any] | None = None
    answer: BoundedAnswer | None = None
    """Counts the parts if the last message is a multipart request."""


class Transactions:
    """The open batches of a connection, and those that ended last.

    Args:
        budget: The answers that all connections wait for.
        seconds: Time limit for an answer in parts.
    """

    def __init__(self, budget: AnswerBudget, seconds: float) -> None:
        self._budget = budget
        self._seconds = seconds
        self.open: list[MessageBatch] = []
        self._settled: deque[SentMessage] = deque(maxlen=SETTLED)

    def begin(self, first: int, messages: int, what: str) -> MessageBatch:
        """Start a batch: collect the errors to messages with consecutive ids from `first` on."""
        batch = MessageBatch(first, messages, what)
        self.open.append(batch)
        return batch

    def expect_parts(self, batch: MessageBatch, kind: Stats, guard: Any) -> None:
        """Expect an answer in parts to the last message of a batch; `guard` can end the connection."""
        batch.answer = BoundedAnswer(kind)
        self._budget.open(batch.answer, guard)

    def settle(self, batch: MessageBatch) -> None:
        """End a batch: a later error is a late one, and its answer is no longer stored."""
        self.open.remove(batch)
        self._settled.append(SentMessage(batch.first, batch.count, batch.what))
        if batch.answer is not None:
            self._budget.close(batch.answer)

    def drop(self, batch: MessageBatch) -> None:
        """End a batch that cannot have a late error."""
        self.open.remove(batch)

    def end_all(self) -> None:
        """Wake all callers that wait, because the channel has ended."""
        for batch in self.open:
            batch.inbox.put(None)

    def judge(self, xid: int, kind: int, size: int) -> bool:
        """Count a part of a multipart answer before it is read.

        Returns:
            Whether a batch waits for it.

        Raises:
            Overrun: The answer exceeds a limit.
        """
        batch, _ = self._find(xid)
        if batch is None or batch.answer is None or batch.answer.kind != kind:
            return False
        batch.answer.add(size, self._seconds)
        self._budget.check()
        return True

    def add_part(self, xid: int, part: Any, more: bool) -> None:
        """Add a part of an answer; without `more` it is the last one."""
        batch, index = self._find(xid)
        if batch is None:
            return
        if part is not None and batch.reduce is not None:
            part = batch.reduce(part)
        if part is not None and (batch.answer is not None or len(batch.parts) < batch.count):
            batch.parts.append(part)
        batch.inbox.put(not more and index == batch.count - 1)

    def add_failure(self, xid: int, failure: SwitchError) -> str | None:
        """Add an error; return the refused message if no caller waits for it any more."""
        batch, index = self._find(xid)
        if batch is None:
            return next((one.what for one in self._settled if one.index(xid) is not None), None)
        batch.failures[index] = failure
        if index == batch.count - 1:
            batch.inbox.put(True)
        return None

    def _find(self, xid: int) -> tuple[MessageBatch | None, int]:
        """Return the batch that waits for answers to an id, and the index of the message in it."""
        for batch in self.open:
            if (index := batch.index(xid)) is not None:
                return batch, index
        return None, -1
