"""Two connections with one datapath id: the one with better proof or an answer stays."""

from __future__ import annotations

from time import monotonic

from controller_app.openflow import messages
from controller_app.ryu_api import sleep
from controller_app.switch.connection import Connection

LOOK = 0.05
"""Seconds between two checks for a reply of the older connection."""


class Claims:
    """Decides about second connections, one at a time for each datapath id."""

    def __init__(self, patience: float) -> None:
        self._patience = patience
        self._contended: set[int] = set()

    def may_displace(self, connection: Connection, incumbent: Connection) -> bool:
        """Return whether `connection` replaces `incumbent`.

        A bound certificate wins against one that is not bound. Otherwise the incumbent gets an echo request,
        and it wins if it answers. This blocks until the answer, at most for the patience.
        """
        if connection.proof.is_bound and not incumbent.proof.is_bound:
            return True
        if connection.dpid in self._contended:
            return False
        self._contended.add(connection.dpid)
        try:
            return not self._is_alive(incumbent)
        finally:
            self._contended.discard(connection.dpid)

    def _is_alive(self, incumbent: Connection) -> bool:
        asked_at = monotonic()
        incumbent.send_if_idle(messages.echo())
        while incumbent.closed is None and monotonic() - asked_at < self._patience:
            if incumbent.heard_at > asked_at:
                return True
            sleep(LOOK)
        return False
