"""Work that continues when descriptors or memory run out."""

from __future__ import annotations

import errno
import logging
import socket
from collections.abc import Callable
from typing import Any

import eventlet

PAUSE = 0.5
"""Seconds until the next attempt."""

SHORT = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
"""Errors of a process or machine that has no free descriptor or memory."""

log = logging.getLogger(__name__)

OnShortage = Callable[[str, str], None]
"""Callback with the affected part of the controller and the reason."""


class PatientListener:
    """A listening socket whose `accept` tries again until it has a connection.

    The WSGI server of eventlet stops permanently when `accept` raises.
    """

    def __init__(self, listener: socket.socket, name: str, on_shortage: OnShortage) -> None:
        self._listener = listener
        self._name = name
        self._on_shortage = on_shortage

    def accept(self) -> tuple[Any, Any]:
        """Wait for a connection.

        Raises:
            OSError: The listening socket is closed.
        """
        while True:
            try:
                return self._listener.accept()
            except (OSError, MemoryError) as error:
                if self._listener.fileno() < 0:
                    raise
                self._report(error)
                eventlet.sleep(PAUSE)

    def dup(self) -> PatientListener:
        """Return a listener with its own descriptor, which may be closed."""
        return PatientListener(self._listener.dup(), self._name, self._on_shortage)

    def _report(self, error: OSError | MemoryError) -> None:
        reason = getattr(error, "strerror", None) or "no memory"
        if isinstance(error, MemoryError) or error.errno in SHORT:
            self._on_shortage(self._name, f"{reason}; new connections wait")
        else:
            log.warning("cannot accept a connection", extra={"fields": {"at": self._name, "error": reason}})

    def __getattr__(self, name: str) -> Any:
        return getattr(self._listener, name)


def run_forever(run: Callable[[], None], name: str, on_shortage: OnShortage) -> None:
    """Run an endless loop; start it again when an error ends it."""
    while True:
        try:
            run()
        except Exception as error:
            log.exception("loop restarts after an error", extra={"fields": {"loop": name}})
            if isinstance(error, MemoryError) or getattr(error, "errno", None) in SHORT:
                on_shortage(name, str(error) or "no memory")
        eventlet.sleep(PAUSE)
