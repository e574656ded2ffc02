"""A transport without a network: a test decides what is received."""

from collections import deque
from typing import Any


class QueuedTransport:
    """Returns the payloads in `waiting` in their order, and None when there is none left."""

    def __init__(self) -> None:
        self.waiting: deque[Any] = deque()

    def receive(self, timeout: float | None = None) -> Any:
        """Return the next payload, without a wait."""
        return self.waiting.popleft() if self.waiting else None

    def fileno(self) -> int:
        """Return no descriptor."""
        return -1

    def close(self) -> None:
        """Do nothing."""
