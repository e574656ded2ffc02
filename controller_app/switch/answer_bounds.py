"""Limits on the multipart answers of switches: parts, bytes and seconds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from controller_app.openflow.messages import OpenFlowMessage, RequestType, Stats
from controller_app.switch.message_guard import Overrun

KIB, MIB = 1 << 10, 1 << 20
FEW, MANY = 1024, 65536

MOST: dict[Stats, tuple[int, int]] = {
    Stats.DESC: (1, 2 * KIB),
    Stats.FLOW: (MANY, 64 * MIB),
    Stats.AGGREGATE: (1, KIB),
    Stats.PORT: (FEW, MIB),
    Stats.GROUP_FEATURES: (1, KIB),
    Stats.METER_CONFIG: (FEW, 4 * MIB),
    Stats.METER_FEATURES: (1, KIB),
    Stats.TABLE_FEATURES: (FEW, 4 * MIB),
    Stats.PORT_DESC: (FEW, 4 * MIB),
}
"""Highest numbers of parts and bytes, by kind. An entry needs about 130 bytes: 64 MiB contain 500,000."""

IN_ALL = 256 * MIB
"""Highest number of bytes of unfinished answers of all switches; beyond it, the largest one is ended."""


@dataclass(slots=True, eq=False)
class BoundedAnswer:
    """Size of the answer to a multipart request of a `kind`, so far."""

    kind: Stats
    parts: int = 0
    size: int = 0
    began_at: float = field(default_factory=monotonic)

    def add(self, size: int, seconds: float) -> None:
        """Count a part.

        Raises:
            Overrun: The answer exceeds a limit.
        """
        parts, most = MOST[self.kind]
        self.parts += 1
        self.size += size
        name = f"its answer about {self.kind.name.lower()}"
        if self.parts > parts:
            raise Overrun(f"{name} has more than {parts} parts")
        if self.size > most:
            raise Overrun(f"{name} has more than {most} bytes")
        if monotonic() - self.began_at > seconds:
            raise Overrun(f"{name} did not end within {seconds:g} s (--answer-timeout)")


class AnswerBudget:
    """The answers that all connections wait for, each with the guard of its connection."""

    def __init__(self, most: int = IN_ALL) -> None:
        self._most = most
        self._open: dict[BoundedAnswer, Any] = {}

    def open(self, answer: BoundedAnswer, guard: Any) -> None:
        """Add an answer that is expected from the peer of `guard`."""
        self._open[answer] = guard

    def close(self, answer: BoundedAnswer) -> None:
        """Remove an answer that is no longer expected."""
        self._open.pop(answer, None)

    def check(self) -> None:
        """End the connection with the largest answer if all answers together are too large."""
        if sum(answer.size for answer in self._open) <= self._most:
            return
        largest = max(self._open, key=lambda answer: answer.size)
        guard = self._open.pop(largest)
        guard.end(
            f"all switches together sent answers of more than {self._most} bytes, and its answer of "
            f"{largest.size} bytes was the largest"
        )


def asked_about(messages: Sequence[OpenFlowMessage]) -> Stats | None:
    """Return the kind of the multipart request that is the last of `messages`, or None."""
    last = messages[-1]
    return Stats(int.from_bytes(last.body[:2], "big")) if last.type is RequestType.MULTIPART_REQUEST else None
