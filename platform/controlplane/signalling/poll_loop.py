"""The loop that processes control messages: a thread of the worker polls the controller.

Nothing is lost if it ends at any point: a processed message is known by its id, and the host sends an
unprocessed one again.
"""

import logging
import threading
import time
from datetime import timedelta
from typing import Any

from django.db import (
    DatabaseError,
    InterfaceError,
    OperationalError,
    close_old_connections,
    connection,
)
from django.utils import timezone

from controlplane.common import clock
from controlplane.common.process_locks import signalling_lock
from controlplane.network.controller_client import ControllerClient, NorthboundError
from controlplane.requestlog import checkpoints
from controlplane.signalling import handler, replies
from controlplane.signalling.host_datagram import HostDatagram
from controlplane.signalling.liveness import LoopRecord
from controlplane.signalling.models import Done

WAIT_SECONDS = 10
"""Time that the controller holds a poll without messages."""

CONFIRM_SECONDS = 0.2
"""Pause between checks for results that hosts wait for, if one has asked recently."""

LONG_AGO = timedelta(minutes=1)
SLOW_SECONDS = 1
"""Pause between such checks if all hosts asked long ago, for example because a switch is disconnected."""

TURN_SECONDS = 10.0
"""Time that a turn processes messages before it sends results; the next turn continues the page."""

RETRY_SECONDS = 2.0

DROPPED = "signalling dropped"

logger = logging.getLogger(__name__)


class PollLoop:
    """Processes messages until it is stopped; only one loop per network does, and others wait."""

    def __init__(self) -> None:
        self._stopping = threading.Event()
        self._after = 0
        self._turns = LoopRecord()

    def stop(self) -> None:
        """End after the current message."""
        self._stopping.set()

    def run(self) -> None:
        """Run until `stop`."""
        while not self._stopping.is_set():
            close_old_connections()
            try:
                with signalling_lock() as held:
                    while held is not None and not self._stopping.is_set():
                        held.check()
                        close_old_connections()
                        self._process_page()
            except (NorthboundError, DatabaseError, OSError) as error:
                self._log_problem(str(error))
            except Exception as error:
                logger.exception("control messages could not be processed")
                self._turns.failed(repr(error))
            self._stopping.wait(RETRY_SECONDS)
        connection.close()

    def _process_page(self) -> None:
        """Process one page of messages, and send the results that are complete."""
        hurry, wait = _pace()
        with ControllerClient() as northbound:
            page = northbound.signals(self._after, wait)
            until = time.monotonic() + TURN_SECONDS
            for row in page["signals"]:
                self._after = int(row["id"])  # before processing, so that no message blocks the others
                _handle(northbound, row)
                if self._stopping.is_set():
                    return
                if time.monotonic() > until:
                    break
            if not page["signals"]:
                self._after = int(page["newest"])
            _send_results(northbound)
        _keep_counts(page)
        self._turns.went_well()
        if hurry and not page["signals"]:
            self._stopping.wait(CONFIRM_SECONDS)

    def _log_problem(self, trouble: str) -> None:
        """Log each problem once, however long it lasts."""
        if self._turns.failed(trouble):
            logger.warning("control messages of hosts cannot be read: %s", trouble)


def _handle(northbound: ControllerClient, row: dict[str, Any]) -> None:
    """Process and answer one message; skip a message that causes an error."""
    try:
        answer = handler.handle(HostDatagram.from_json(row))
    except (OperationalError, InterfaceError):
        raise
    except Exception:
        logger.exception("control message %s could not be processed and is skipped", row["id"])
        return
    if answer is not None:
        replies.send(northbound, [answer])


def _send_results(northbound: ControllerClient) -> None:
    ended = handler.ends()
    if ended:
        replies.send(northbound, [answer for _, answer in ended])
        handler.mark_sent(done for done, _ in ended)


def _pace() -> tuple[bool, float]:
    """Return whether a host that asked recently waits, and the time that a poll may be held."""
    newest = Done.objects.filter(waits=True).order_by("-id").values_list("heard_at", flat=True).first()
    if newest is None:
        return False, WAIT_SECONDS
    hurry = not clock.is_over(newest, LONG_AGO, timezone.now())
    return hurry, 0 if hurry else SLOW_SECONDS


def _keep_counts(page: dict[str, Any]) -> None:
    """Store the numbers of messages that the controller accepted and dropped, if they changed."""
    counts = {"taken": page.get("taken", 0), "dropped": page.get("dropped", {})}
    if checkpoints.recall(DROPPED, None) != counts:
        checkpoints.store(DROPPED, counts)
