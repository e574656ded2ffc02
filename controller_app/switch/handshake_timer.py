"""The time that a peer may take for its handshake."""

from __future__ import annotations

from time import monotonic
from typing import Any


class HandshakeTimer:
    """Start times of the handshakes; ends peers whose handshake takes more than `limit` seconds."""

    def __init__(self, limit: float) -> None:
        self._limit = limit
        self._since: dict[Any, float] = {}

    def begin(self, datapath: Any) -> None:
        """Start the time of a peer."""
        self._since[datapath] = monotonic()

    def end(self, datapath: Any) -> None:
        """Forget a peer whose handshake or channel has ended."""
        self._since.pop(datapath, None)

    def end_overdue(self) -> None:
        """Close the channels whose time is over."""
        now = monotonic()
        for datapath, since in list(self._since.items()):
            if now - since > self._limit:
                del self._since[datapath]
                datapath.socket.end(f"its handshake took more than {self._limit:g} s")
