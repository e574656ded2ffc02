"""The control channel of a switch: its requests, and the answers that belong to them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import count
from time import monotonic
from typing import Any

from controller_app.clock import utc_now
from controller_app.errors import RequestRejected, SwitchError, Unreachable
from controller_app.openflow import messages as openflow
from controller_app.openflow.flow_entry import MAX_PORT
from controller_app.openflow.messages import OpenFlowMessage
from controller_app.ryu_api import LINK_DOWN, PORT_DOWN, QueueEmpty, sleep
from controller_app.switch.answer_bounds import AnswerBudget, asked_about
from controller_app.switch.datapath_proof import Proof
from controller_app.switch.extra_entries import ExtraEntries
from controller_app.switch.limits import SwitchLimits
from controller_app.switch.packet_in_limits import PacketIns
from controller_app.switch.transactions import MessageBatch, Transactions
from tercast.runtime.wording import whole_characters

AHEAD = 4
"""Pieces of a transfer that are unconfirmed at the same time."""

MAX_QUEUED = 8
"""Messages that wait for the socket; with so many, no probes are sent."""


@dataclass(frozen=True, slots=True)
class SwitchPort:
    """A port of a switch as last reported."""

    number: int
    name: str
    mac: str
    up: bool

    def to_json(self) -> dict[str, object]:
        """Return the northbound's form."""
        return {"port": self.number, "name": self.name, "up": self.up, "mac": self.mac}


class Connection:
    """A switch, from the end of its handshake until its channel closes.

    `confirm`, `request`, `exchange` and `transfer` block the calling greenlet. The app calls the `on_...`
    methods in the order in which messages arrive; they never block.
    """

    def __init__(
        self,
        datapath: Any,
        dpid: int,
        epoch: int,
        reply_timeout: float,
        *,
        bounds: SwitchLimits = SwitchLimits(),  # noqa: B008 - a frozen value
        shared: AnswerBudget | None = None,
    ) -> None:
        self.dpid = dpid
        self.epoch = epoch
        self.address = peer_text(datapath.address)
        self.connected_at = utc_now()
        self.heard_at = monotonic()
        self.ready = False
        self.closed: str | None = None
        self.proof = Proof.NONE
        self.ports: dict[int, SwitchPort] = {}
        self.packet_ins = PacketIns(self.ports)
        self.description: dict[str, str] = {}
        self.capabilities: tuple[str, ...] = ()
        self.tables = 0
        self.features: dict[str, object] = {}
        self.extras = ExtraEntries()
        self.lacks: list[str] = []
        self.problems: list[str] = []
        self.foreign: frozenset[object] = frozenset()
        self.bundles = False
        self._datapath = datapath
        self._timeout = reply_timeout
        self._bounds = bounds
        self._transactions = Transactions(shared or AnswerBudget(), bounds.seconds)
        self._bundles = count(1)

    @property
    def name(self) -> str:
        """The datapath id as 16 hexadecimal digits."""
        return f"{self.dpid:016x}"

    def confirm(self, messages: Sequence[OpenFlowMessage]) -> dict[int, SwitchError]:
        """Send messages and a barrier, and wait for the reply to the barrier.

        Returns the errors by index of the message. Raises Unreachable, or RequestRejected if the switch
        refused the barrier.
        """
        batch = self.exchange((*messages, openflow.barrier()))
        barrier_failure = batch.failures.pop(len(messages), None)
        if barrier_failure:
            raise RequestRejected(barrier_failure)
        return batch.failures

    def request(self, message: OpenFlowMessage, reduce: Callable[[Any], Any] | None = None) -> list[Any]:
        """Return the parts of the answer to a request, in order.

        Args:
            reduce: Called with each part on arrival. Its result replaces the part, and None drops it, so that
                a long answer is not stored whole. It must not block.

        Raises Unreachable, or RequestRejected if the switch refused the request.
        """
        batch = self.exchange((message,), reduce=reduce)
        if batch.failures:
            raise RequestRejected(batch.failures[0])
        return batch.parts

    def exchange(
        self,
        messages: Sequence[OpenFlowMessage],
        patience: float = 0.0,
        reduce: Callable[[Any], Any] | None = None,
    ) -> MessageBatch:
        """Send messages together and wait for the end of the answer to the last one.

        Args:
            patience: Seconds in addition to the time-out.
            reduce: Replaces the parts of the answer, as for `request`.

        Raises Unreachable.
        """
        batch = self.reserve(len(messages), messages[0].type.name.lower())
        batch.reduce = reduce
        if (kind := asked_about(messages)) is not None:
            self._transactions.expect_parts(batch, kind, self._datapath.socket)
        try:
            frames = [message.frame(batch.first + n) for n, message in enumerate(messages)]
            self.send(b"".join(frames))
            self._await(batch, self._timeout + patience)
        finally:
            self.settle(batch)
        return batch

    def reserve(self, messages: int, what: str) -> MessageBatch:
        """Reserve transaction ids for messages, and collect their errors until they are settled."""
        if self.closed is not None:
            raise Unreachable(self.closed)
        return self._transactions.begin(self._next_xid(messages), messages, what)

    def settle(self, batch: MessageBatch) -> None:
        """End the wait for a batch: a later error is a late one, and its answer is no longer stored."""
        self._transactions.settle(batch)

    def transfer(self, pieces: Iterable[bytes]) -> None:
        """Send pieces of messages in order, each with a barrier after it, and wait for all replies.

        At most AHEAD pieces are unconfirmed: the next piece is encoded while the switch works, and only these
        pieces are in memory.

        Raises Unreachable, or RequestRejected if the switch refused a barrier.
        """
        under_way: deque[MessageBatch] = deque()
        try:
            for piece in pieces:
                if len(under_way) == AHEAD:
                    self._confirmed(under_way)
                barrier = self.reserve(1, "barrier")
                under_way.append(barrier)
                self.send(piece + openflow.barrier().frame(barrier.first))
                sleep(0)
            while under_way:
                self._confirmed(under_way)
        finally:
            for barrier in under_way:
                self._transactions.drop(barrier)

    def send(self, data: bytes) -> None:
        """Send messages that a later message confirms; raises Unreachable if the channel is closed."""
        if not self._datapath.send(data):
            raise Unreachable(self.closed or "the channel is closing")

    def next_bundle(self) -> int:
        """Return a number for a bundle that no other bundle of this connection has."""
        return next(self._bundles) & 0xFFFFFFFF

    def send_if_idle(self, message: OpenFlowMessage) -> bool:
        """Send a message that may be lost; if the channel is closed or congested, return False."""
        queue = self._datapath.send_q
        if self.closed or queue is None or queue.qsize() >= MAX_QUEUED:
            return False
        return bool(self._datapath.send(message.frame(self._next_xid())))

    def close(self, reason: str) -> None:
        """End the channel; all callers that wait for it get `reason`."""
        self.on_closed(reason)
        self._datapath.close()
        self._datapath.socket.cut()

    def up_ports(self) -> list[SwitchPort]:
        """Return the ports that are up, by number."""
        return [port for _, port in sorted(self.ports.items()) if port.up]

    def judge(self, xid: int, kind: int, size: int, more: bool) -> bool:
        """Count a part of a multipart answer; return whether a request waits for it.

        Raises Overrun if the answer exceeds a limit.
        """
        return self._transactions.judge(xid, kind, size)

    def admits(self, packet_in: bytes) -> bool:
        """Return whether a packet-in is within the rate limit of its port."""
        return self.packet_ins.admits(packet_in)

    def on_part(self, xid: int, part: Any, more: bool) -> None:
        """Add a part of an answer; without `more` it is the last one."""
        self._transactions.add_part(xid, part, more)

    def on_failure(self, xid: int, failure: SwitchError) -> str | None:
        """Add an error; return the refused message if no caller waits for it any more."""
        return self._transactions.add_failure(xid, failure)

    def on_port(self, number: int, name: bytes, mac: str, config: int, state: int) -> SwitchPort | None:
        """Record a port's description; return the port, or None for a reserved port of the switch."""
        if number > MAX_PORT:
            return None
        up = not config & PORT_DOWN and not state & LINK_DOWN
        if number not in self.ports and len(self.ports) >= self._bounds.ports:
            self._datapath.socket.end(f"it has more than {self._bounds.ports} ports (--max-ports)")
            return None
        port = SwitchPort(number, whole_characters(name.rstrip(b"\0")), mac, up)
        self.ports[number] = port
        return port

    def on_closed(self, reason: str) -> None:
        """Record the end of the channel; only the first reason is stored."""
        if self.closed is not None:
            return
        self.closed = reason
        self.ready = False
        self._transactions.end_all()

    def _confirmed(self, under_way: deque[MessageBatch]) -> None:
        """Wait for the first of the barriers, and remove it."""
        barrier = under_way.popleft()
        try:
            self._await(barrier, self._timeout)
        finally:
            self._transactions.drop(barrier)
        if barrier.failures:
            raise RequestRejected(barrier.failures[0])

    def _await(self, batch: MessageBatch, timeout: float) -> None:
        """Wait for the last part; the time-out applies to each part, and a limit to all together."""
        until = monotonic() + max(timeout, self._bounds.seconds)
        while True:
            try:
                last = batch.inbox.get(timeout=min(timeout, max(0.0, until - monotonic())))
            except QueueEmpty:
                raise Unreachable(self._no_answer(timeout, until)) from None
            if last is None:
                raise Unreachable(str(self.closed))
            if last:
                return

    def _no_answer(self, timeout: float, until: float) -> str:
        """Return why the wait ended; a switch whose answer does not end is disconnected."""
        if monotonic() < until or timeout >= self._bounds.seconds:
            return f"no answer within {timeout:g} seconds"
        reason = f"its answer did not end within {self._bounds.seconds:g} s (--answer-timeout)"
        self._datapath.socket.end(reason)
        return reason

    def _next_xid(self, messages: int = 1) -> int:
        """Reserve consecutive transaction ids and return the first; 0 is not used.

        The framework uses the same counter, so all messages of a channel have different ids.
        """
        first = self._datapath.xid + 1
        if first + messages > 0xFFFFFFFF:
            first = 1
        self._datapath.xid = first + messages - 1
        return int(first)


def peer_text(address: tuple[Any, ...]) -> str:
    """A socket's peer as HOST:PORT, with brackets around an IPv6 host."""
    host, port = str(address[0]), address[1]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
