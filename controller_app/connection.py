"""One switch's control channel: what is asked over it, and which answer belongs to which question."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from controller_app import openflow
from controller_app.entries import MAX_PORT
from controller_app.errors import Failure, Rejected, Unreachable
from controller_app.openflow import Message
from controller_app.ryu_api import LINK_DOWN, PORT_DOWN, Queue, QueueEmpty
from controller_app.times import utc_now

SETTLED = 32
"""Exchanges remembered after their end, so that an error that comes late still finds what it is about."""

MAX_QUEUED = 8
"""Messages waiting for the socket from which on probes are left out."""


@dataclass(frozen=True, slots=True)
class Port:
    """One port of a switch as it last reported it."""

    number: int
    name: str
    mac: str
    up: bool

    def to_json(self) -> dict[str, object]:
        """The northbound's form."""
        return {"port": self.number, "name": self.name, "up": self.up, "mac": self.mac}


@dataclass(slots=True, eq=False)
class Exchange:
    """One question: its messages, the errors to them by index, and the parts of the answer."""

    messages: Sequence[Message]
    failures: dict[int, Failure] = field(default_factory=dict)
    parts: list[Any] = field(default_factory=list)
    inbox: Any = field(default_factory=Queue)
    first_xid: int = 0


class Connection:
    """A switch from the end of its hand-shake until its channel closes.

    `confirm` and `ask` block the calling greenlet; the `on_...` methods are called by the app, in the order
    in which the switch spoke, and never block.
    """

    def __init__(self, datapath: Any, dpid: int, epoch: int, reply_timeout: float) -> None:
        self.dpid = dpid
        self.epoch = epoch
        self.address = peer_text(datapath.address)
        self.connected_at = utc_now()
        self.heard_at = monotonic()
        self.ready = False
        self.closed: str | None = None
        self.ports: dict[int, Port] = {}
        self.description: dict[str, str] = {}
        self.capabilities: tuple[str, ...] = ()
        self.tables = 0
        self.problems: list[str] = []
        self.foreign: frozenset[object] = frozenset()
        self._datapath = datapath
        self._timeout = reply_timeout
        self._waiting: dict[int, Exchange] = {}
        self._settled: deque[Exchange] = deque(maxlen=SETTLED)

    @property
    def name(self) -> str:
        """The datapath id as 16 hex digits."""
        return f"{self.dpid:016x}"

    def confirm(self, messages: Sequence[Message]) -> dict[int, Failure]:
        """Sends `messages` and a barrier, waits for its reply; the errors that came, by index of the message.

        Raises Unreachable when the switch is gone, goes, or does not answer in time.
        """
        exchange = Exchange((*messages, openflow.barrier()))
        self._run(exchange)
        barrier_failure = exchange.failures.pop(len(messages), None)
        if barrier_failure:
            raise Rejected(barrier_failure)
        return exchange.failures

    def ask(self, message: Message) -> list[Any]:
        """The parts of the answer to a request, in order. Raises Unreachable or Rejected."""
        exchange = Exchange((message,))
        self._run(exchange)
        if exchange.failures:
            raise Rejected(exchange.failures[0])
        return exchange.parts

    def tell(self, message: Message) -> bool:
        """Sends a message that may be left out: nothing is sent when the channel is closed or congested."""
        queue = self._datapath.send_q
        if self.closed or queue is None or queue.qsize() >= MAX_QUEUED:
            return False
        return bool(self._datapath.send(message.frame(self._next_xid())))

    def close(self, reason: str) -> None:
        """Ends the channel; whoever waits on it is told `reason`."""
        self.on_closed(reason)
        self._datapath.close()

    def up_ports(self) -> list[Port]:
        """The ports that carry packets, by number."""
        return [port for _, port in sorted(self.ports.items()) if port.up]

    def on_part(self, xid: int, part: Any, more: bool) -> None:
        """A part of an answer came; the last one when not `more`."""
        exchange = self._waiting.get(xid)
        if exchange is None:
            return
        if part is not None:
            exchange.parts.append(part)
        exchange.inbox.put(not more)

    def on_failure(self, xid: int, failure: Failure) -> Message | None:
        """An error came; returns the message that it is about when nobody waits for it any more."""
        exchange = self._waiting.get(xid)
        if exchange is None:
            return self._late(xid)
        index = (xid - exchange.first_xid) & 0xFFFFFFFF
        exchange.failures[index] = failure
        if index == len(exchange.messages) - 1:
            exchange.inbox.put(True)
        return None

    def on_port(self, number: int, name: bytes, mac: str, config: int, state: int) -> Port | None:
        """A port's description came; the port, or None for the switch's own reserved ones."""
        if number > MAX_PORT:
            return None
        up = not config & PORT_DOWN and not state & LINK_DOWN
        port = Port(number, name.rstrip(b"\0").decode("utf-8", "replace"), mac, up)
        self.ports[number] = port
        return port

    def on_closed(self, reason: str) -> None:
        """The channel ended; the first reason stays."""
        if self.closed is not None:
            return
        self.closed = reason
        self.ready = False
        for exchange in {id(one): one for one in self._waiting.values()}.values():
            exchange.inbox.put(None)

    def _run(self, exchange: Exchange) -> None:
        """Sends the messages of `exchange` at once and waits for the end of the answer to the last one."""
        if self.closed is not None:
            raise Unreachable(self.closed)
        xids = [self._next_xid() for _ in exchange.messages]
        exchange.first_xid = xids[0]
        self._waiting.update(dict.fromkeys(xids, exchange))
        frames = [message.frame(xid) for message, xid in zip(exchange.messages, xids, strict=True)]
        try:
            if not self._datapath.send(b"".join(frames)):
                raise Unreachable(self.closed or "the channel is closing")
            self._await(exchange)
        finally:
            for xid in xids:
                self._waiting.pop(xid, None)
            self._settled.append(exchange)

    def _await(self, exchange: Exchange) -> None:
        """Waits for the last part; each part has the whole time-out to come."""
        while True:
            try:
                last = exchange.inbox.get(timeout=self._timeout)
            except QueueEmpty:
                raise Unreachable(f"no answer within {self._timeout:g} seconds") from None
            if last is None:
                raise Unreachable(str(self.closed))
            if last:
                return

    def _late(self, xid: int) -> Message | None:
        for exchange in self._settled:
            index = (xid - exchange.first_xid) & 0xFFFFFFFF
            if index < len(exchange.messages):
                return exchange.messages[index]
        return None

    def _next_xid(self) -> int:
        """Shares the framework's counter, so that no two messages of a channel have one id; 0 is left out."""
        xid = (self._datapath.xid + 1) & 0xFFFFFFFF or 1
        self._datapath.xid = xid
        return xid


def peer_text(address: tuple[Any, ...]) -> str:
    """A socket's peer as HOST:PORT, with brackets around an IPv6 host."""
    host, port = str(address[0]), address[1]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
