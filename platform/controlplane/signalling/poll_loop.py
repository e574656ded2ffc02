"""The loop that carries out control messages: a thread of the worker that waits for the controller's word.

Nothing is lost when it ends at any point: a message that was carried out is known by its id, and one that was
not is sent again by its host.
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
from controlplane.signalling.liveness import Turns
from controlplane.signalling.models import Done
from controlplane.signalling.signal import Signal

WAIT_SECONDS = 10
"""How long the controller holds a question while there is no message."""

CONFIRM_SECONDS = 0.2
"""Between looks whether an end came that a host waits for, while it asked not long ago."""

LONG_AGO = timedelta(minutes=1)
SLOW_SECONDS = 1
"""Between such looks when all who wait asked long ago: a switch is away, for example."""

TURN_SECONDS = 10.0
"""How long a turn handles messages before it tells ends; the others of the page come with the next one."""

RETRY_SECONDS = 2.0

DROPPED = "signalling dropped"

logger = logging.getLogger(__name__)


class PollLoop:
    """Carries messages out until it is told to stop; one in the network does, the others wait."""

    def __init__(self) -> None:
        self._stopping = threading.Event()
        self._after = 0
        self._turns = Turns()

    def stop(self) -> None:
        """End after the message at hand."""
        self._stopping.set()

    def run(self) -> None:
        """Until `stop`."""
        while not self._stopping.is_set():
            close_old_connections()
            try:
                with signalling_lock() as held:
                    while held is not None and not self._stopping.is_set():
                        held.check()
                        close_old_connections()
                        self._turn()
            except (NorthboundError, DatabaseError, OSError) as error:
                self._tell(str(error))
            except Exception as error:
                logger.exception("control messages could not be carried out")
                self._turns.failed(repr(error))
            self._stopping.wait(RETRY_SECONDS)
        connection.close()

    def _turn(self) -> None:
        """One page of messages, and the ends that came meanwhile."""
        hurry, wait = _pace()
        with ControllerClient() as northbound:
            page = northbound.signals(self._after, wait)
            until = time.monotonic() + TURN_SECONDS
            for row in page["signals"]:
                self._after = int(row["id"])  # first: whatever becomes of it, it holds no other one up
                _handle(northbound, row)
                if self._stopping.is_set():
                    return
                if time.monotonic() > until:
                    break
            if not page["signals"]:
                self._after = int(page["newest"])
            _tell_ends(northbound)
        _keep_counts(page)
        self._turns.went_well()
        if hurry and not page["signals"]:
            self._stopping.wait(CONFIRM_SECONDS)

    def _tell(self, trouble: str) -> None:
        """Once for each trouble, however long it lasts."""
        if self._turns.failed(trouble):
            logger.warning("no control messages of hosts come in: %s", trouble)


def _handle(northbound: ControllerClient, row: dict[str, Any]) -> None:
    """Carry one message out and answer it; one that makes trouble by itself is passed over."""
    try:
        answer = handler.handle(Signal.from_json(row))
    except (OperationalError, InterfaceError):
        raise
    except Exception:
        logger.exception("control message %s could not be handled, and is passed over", row["id"])
        return
    if answer is not None:
        replies.send(northbound, [answer])


def _tell_ends(northbound: ControllerClient) -> None:
    ended = handler.ends()
    if ended:
        replies.send(northbound, [answer for _, answer in ended])
        handler.told(done for done, _ in ended)


def _pace() -> tuple[bool, float]:
    """Whether a host waits that asked not long ago, and how long the controller may hold the question."""
    newest = Done.objects.filter(waits=True).order_by("-id").values_list("heard_at", flat=True).first()
    if newest is None:
        return False, WAIT_SECONDS
    hurry = not clock.is_over(newest, LONG_AGO, timezone.now())
    return hurry, 0 if hurry else SLOW_SECONDS


def _keep_counts(page: dict[str, Any]) -> None:
    """What the controller took in and dropped, where that changed."""
    counts = {"taken": page.get("taken", 0), "dropped": page.get("dropped", {})}
    if checkpoints.recall(DROPPED, None) != counts:
        checkpoints.keep(DROPPED, counts)
