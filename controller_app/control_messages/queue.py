"""Queue of control messages for the control plane, limited per port and in total."""

from __future__ import annotations

from base64 import b64encode
from collections import Counter, OrderedDict
from collections.abc import Callable
from time import monotonic, time

from controller_app.clock import utc_now
from controller_app.openflow.control_packets import Datagram, Dropped, sender_json
from controller_app.ryu_api import Queue, QueueEmpty
from controller_app.token_buckets import Buckets

RATE = 20.0
"""Control messages per second that a port may send in the long run."""

BURST = 40.0
"""Control messages that a port may send in one burst."""

WAITING_PORT = 32
WAITING = 4096
PAGE = 500

PortId = tuple[int, int]


class ControlMessageQueue:
    """Control messages by id, in the order of arrival, until the reader acknowledges them."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._shares = Buckets[PortId](RATE, BURST, clock)
        self._waiting: OrderedDict[int, tuple[PortId, dict[str, object]]] = OrderedDict()
        self._by_port: Counter[PortId] = Counter()
        self._first = self._newest = int(time() * 1000)
        self._readers: set[Queue] = set()
        self.dropped: Counter[Dropped] = Counter()
        self.taken = 0

    @property
    def newest(self) -> int:
        """The id of the latest message; before the first message, its id minus one."""
        return self._newest

    def allows(self, end: PortId) -> bool:
        """Whether the port's rate limit permits a message; a message over the limit is counted."""
        if self._shares.take(end):
            return True
        self.dropped[Dropped.RATE] += 1
        return False

    def forget(self, end: PortId) -> None:
        """Forget a port that no longer exists."""
        self._shares.forget(end)

    def put(self, end: PortId, datagram: Datagram) -> bool:
        """Add a message, unless too many wait; return whether it was added."""
        if self._by_port[end] >= WAITING_PORT or len(self._waiting) >= WAITING:
            self.dropped[Dropped.QUEUE_FULL] += 1
            return False
        self._newest += 1
        self.taken += 1
        self._by_port[end] += 1
        self._waiting[self._newest] = (
            end,
            {
                "id": self._newest,
                "at": utc_now(),
                "dpid": f"{end[0]:016x}",
                "port": end[1],
                **sender_json(datagram),
                "payload": b64encode(datagram.payload).decode(),
            },
        )
        for queue in self._readers:
            queue.put(None)
        self._readers.clear()
        return True

    def after(self, last: int, wait: float) -> dict[str, object]:
        """Return a page of the messages after `last`; forget those up to `last`.

        Args:
            wait: Seconds to wait for a message if there is none.

        Returns:
            With `gap`: `last` is not an id of this run of the controller, so messages may be lost.
        """
        gap = not self._first <= last <= self._newest
        if not gap:
            self._forget_until(last)
        if not self._waiting and wait > 0 and not gap:
            self._sleep(wait)
        found = [message for _, message in list(self._waiting.values())[:PAGE]]
        return {"signals": found, "newest": self._newest, "gap": gap, **self.counts_json()}

    def counts_json(self) -> dict[str, object]:
        """Count the accepted messages, and the dropped ones by reason, since the start."""
        return {"taken": self.taken, "dropped": {why.value: self.dropped[why] for why in Dropped}}

    def _forget_until(self, last: int) -> None:
        while self._waiting and (first := next(iter(self._waiting))) <= last:
            end, _ = self._waiting.pop(first)
            self._by_port[end] -= 1
            if not self._by_port[end]:
                del self._by_port[end]

    def _sleep(self, seconds: float) -> None:
        queue = Queue()
        self._readers.add(queue)
        try:
            queue.get(timeout=seconds)
        except QueueEmpty:
            pass
        finally:
            self._readers.discard(queue)
