"""A partition: its planner, its nodes in the tree of partitions, and its peers, without a clock.

A caller gives it requests, messages and the time; `take_messages` and `take_pushes` return what to send to
neighbours and to switches.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tercast.eventspace.dz import Dz, canonical
from tercast.federation import messages as m
from tercast.federation.border_peer import BorderPeer, SetArrival, topic_terms
from tercast.federation.confirmations import Confirmations
from tercast.federation.exchanged_sets import SetName, coarsened, ordered
from tercast.federation.exported_cells import ExportedCells
from tercast.federation.offers import BridgeId
from tercast.federation.partition_tree import (
    Agreement,
    CloseBorder,
    HeardHello,
    OpenBorder,
    Proposal,
    TreeAction,
)
from tercast.federation.tree_nodes import TreeNodes
from tercast.planner.planner import Outcome, Planner
from tercast.requests.model import Advertise, External, Request, Subscribe, Unadvertise, Unsubscribe
from tercast.requests.registry import ADVERTISEMENT, SUBSCRIPTION
from tercast.tables.entries import Diff

HOLD = 5.0
"""Seconds without a hello until a neighbour counts as silent."""

GRACE = 30.0
"""Seconds for which a silent neighbour keeps its borders, because its switches still forward."""

DIGEST_PERIOD = 30.0

_KINDS = (ADVERTISEMENT, SUBSCRIPTION)


@dataclass(frozen=True, slots=True)
class TablePush:
    """A change for the switches of a partition, and the borders that are closed after it."""

    number: int
    diff: Diff
    closed: frozenset[str]


@dataclass(slots=True)
class Partition:
    """One partition and its controller.

    `peers` and `nodes` are in memory only: after a crash, `restart` begins with new ones. The planner stands
    for the snapshot and the log, which survive.
    """

    name: str
    planner: Planner
    priority: int = 0
    grace: float = GRACE
    export_limit: int | None = None
    peers: dict[str, BorderPeer] = field(default_factory=dict)
    alarms: set[tuple[str, str]] = field(default_factory=set)
    closed: set[str] = field(default_factory=set)
    held: dict[tuple[str, SetName], frozenset[Dz]] = field(default_factory=dict)
    started: int = 0
    _messages: list[tuple[str, m.Envelope]] = field(default_factory=list)
    _pushes: list[TablePush] = field(default_factory=list)
    _number: int = 0
    _up: set[str] = field(default_factory=set)
    _heard: dict[str, float] = field(default_factory=dict)
    _graces: dict[str, float] = field(default_factory=dict)
    _hellos: dict[str, m.Hello] = field(default_factory=dict)
    _dirty: set[tuple[str, SetName]] = field(default_factory=set)
    _next_digest: float = DIGEST_PERIOD
    nodes: TreeNodes = field(init=False)
    exported: ExportedCells = field(init=False)
    confirmations: Confirmations = field(init=False)

    def __post_init__(self) -> None:
        self.exported = ExportedCells(self.planner)

    def start(self, instance: int, now: float, up: Iterable[str]) -> None:
        """Begin after a start or a crash: all borders close, as nothing is known about the switches."""
        borders = self.planner.topology.borders
        self.started = instance
        self._up, self._heard, self._graces, self._hellos = set(up), {}, {}, {}
        self.peers = {border: BorderPeer(border) for border in borders}
        self.confirmations = Confirmations()
        self.nodes = TreeNodes(self.planner, BridgeId(self.priority, short_name(self.name)), instance)
        self.held = {}
        for registration in self.planner.registry.live.values():
            if registration.host in borders:
                place = registration.host, SetName(registration.topic, registration.kind)
                self.held[place] = self.held.get(place, frozenset()).union(registration.dz)
        self._act(self.nodes.regroup())
        self._finish(now)

    def request(self, request: Mapping[str, Any] | Request, now: float) -> Outcome:
        """Carry out a request of this partition's users or network."""
        outcome = self.planner.apply(request)
        if not isinstance(request, Subscribe | Unsubscribe):
            self._forget_advertised()
        if not isinstance(request, Subscribe | Unsubscribe | Advertise | Unadvertise):
            self._act(self.nodes.regroup())
        if outcome.ok and isinstance(request, Subscribe):
            self.confirmations.watch(request.id, self._number + 1)
        self._finish(now)
        return outcome

    def port_changed(self, border: str, up: bool, now: float) -> None:
        """Take note that the port of a border went down or came up."""
        (self._up.add if up else self._up.discard)(border)
        self._heard.pop(border, None)
        if not up:
            self._act(self.nodes.border_down(border))
        self._finish(now)

    def receive(self, border: str, envelope: m.Envelope, now: float) -> None:
        """Take a message from the neighbour at a border."""
        if border not in self._up:
            return
        node = self.nodes.at(border)
        match envelope.message:
            case m.Hello() as hello:
                self._take_hello(border, hello, now)
            case m.Propose(session, offer):
                self._act([] if node is None else node.take_proposal(border, session, offer))
            case m.Agree(session, offer):
                self._act([] if node is None else node.take_agreement(border, session, offer))
            case m.Goodbye(restart=restart):
                self._graces[border] = restart
            case _:
                self._take_stream(border, envelope)
        self._finish(now)

    def confirmed(self, number: int, now: float) -> None:
        """Take note that all switches have confirmed a push and those before."""
        self._act(self.nodes.confirmed(number))
        for border, name, version in self.confirmations.confirm(number, self.peers):
            self.peers[border].tell_done(name, version)
        if number == self._number:
            self._dirty.update(
                (border, name) for border, peer in self.peers.items() for name in peer.outgoing
            )
        self._finish(now)

    def tick(self, now: float) -> None:
        """Do what happens once a second: hellos, repeated proposals, silent neighbours, digests."""
        for border, heard in list(self._heard.items()):
            if now - heard > HOLD + self._graces.get(border, self.grace):
                del self._heard[border]
                self._graces.pop(border, None)
                self.alarms.add(("partition_cut_off", border))
                self._act(self.nodes.border_down(border))
            elif now - heard > HOLD:
                self.alarms.add(("peer_silent", border))
        self._act(self.nodes.tick())
        if now >= self._next_digest:
            self._next_digest = now + DIGEST_PERIOD
            for peer in self.peers.values():
                peer.send_digests()
        self._hellos.clear()
        self._finish(now)

    def poll(self, now: float) -> None:
        """Send messages again that have no acknowledgement."""
        self._finish(now)

    def next_poll(self) -> float | None:
        """Return the time at which a message is due again; None if nothing is in flight."""
        times = [peer.window.next_due() for peer in self.peers.values()]
        return min((time for time in times if time is not None), default=None)

    def take_messages(self) -> list[tuple[str, m.Envelope]]:
        """Return the messages to send, each with its border."""
        messages, self._messages = self._messages, []
        return messages

    def take_pushes(self) -> list[TablePush]:
        """Return the changes for switches, in order."""
        pushes, self._pushes = self._pushes, []
        return pushes

    def open_borders(self) -> list[str]:
        """Return the borders whose end here is open."""
        return [border for border, peer in self.peers.items() if peer.session is not None]

    def is_busy(self) -> bool:
        """Return whether an exchange or a push is on its way."""
        return not self.confirmations.is_confirmed(self._number) or any(
            peer.window.in_flight for peer in self.peers.values()
        )

    def _take_hello(self, border: str, hello: m.Hello, now: float) -> None:
        if hello.terms != self._terms():
            self.alarms.add(("peer_mismatch", border))
            return
        self._heard[border] = now
        self._graces.pop(border, None)
        heard = HeardHello(hello.offer, hello.border, hello.instance, hello.role, hello.is_open)
        self._act(self.nodes.hear(border, heard))

    def _take_stream(self, border: str, envelope: m.Envelope) -> None:
        peer = self.peers[border]
        before = peer.shared
        arrivals = peer.receive(envelope)
        if peer.shared != before:
            self._mark_all(border)
            self.alarms.update(("topic_mismatch", topic) for topic in peer.mismatched)
        for arrival in arrivals:
            self._take_set(border, arrival)
        for at, name, version in self.confirmations.settled(self.peers):
            self.peers[at].tell_done(name, version)

    def _take_set(self, border: str, arrival: SetArrival) -> None:
        """Plan a received set: one request with the difference to the cells that are planned."""
        peer, name = self.peers[border], arrival.name
        cells = peer.incoming[name].cells
        reason = arrival.refusal or self._replace(border, name, cells)
        if reason:
            self.alarms.add(("peer_refused", border))
            peer.refuse(name, arrival.version, reason)
        elif name.kind == SUBSCRIPTION:
            self.confirmations.expect(border, name, arrival.version, self._number + 1)

    def _replace(self, border: str, name: SetName, cells: frozenset[Dz]) -> str:
        """Plan the cells of a set; return the reason of a refusal, or nothing."""
        held = self.held.get((border, name), frozenset())
        if cells == held:
            return ""
        request = External(border, name.topic, name.kind, ordered(cells - held), ordered(held - cells))
        outcome = self.planner.apply(request)
        if outcome.reason is not None:
            return str(outcome.reason)
        self.held[border, name] = cells
        if name.kind == ADVERTISEMENT:
            self._forget_advertised()
        return ""

    def _act(self, actions: Iterable[TreeAction]) -> None:
        for action in actions:
            match action:
                case CloseBorder(border):
                    self._close(border)
                case OpenBorder(border, session):
                    self._open(border, session)
                case Proposal(border, session, offer):
                    self._messages.append((border, m.Envelope(m.Propose(session, offer))))
                case Agreement(border, session, offer):
                    self._messages.append((border, m.Envelope(m.Agree(session, offer))))

    def _close(self, border: str) -> None:
        """Withdraw all cells of a border; the next push has its drop entry."""
        self.peers[border].close()
        for at, name in list(self.held):
            if at == border:
                self._replace(border, name, frozenset())
                del self.held[border, name]
        self.closed.add(border)
        self.nodes.closing(border, self._number + 1)
        self.confirmations.forget(border)

    def _open(self, border: str, session: tuple[int, int]) -> None:
        planner = self.planner
        topics = tuple(
            topic_terms(topic, planner.version(topic.name), planner.depth)
            for topic in planner.topics.values()
        )
        self.peers[border].open(session, topics)
        self.closed.discard(border)

    def _finish(self, now: float) -> None:
        """Push tables, then send sets, messages of the streams, and hellos that changed."""
        diff = self.planner.take_diff()
        for border, topic in self.exported.follow(diff):
            self._dirty.add((border, SetName(topic, SUBSCRIPTION)))
        closed = frozenset(self.closed)
        if (
            len(diff)
            or closed != self.confirmations.pushed_closed
            or self.nodes.waits_for(self._number + 1)
            or (self.confirmations.waits_for(self._number + 1))
        ):
            self._number += 1
            self.confirmations.pushed_closed = closed
            self._pushes.append(TablePush(self._number, diff, closed))
        self._export()
        for border, peer in self.peers.items():
            self._messages += [(border, envelope) for envelope in peer.send(now)]
        self._send_hellos()

    def _export(self) -> None:
        """Give the newest state of changed sets to the peers; cells leave when their removal is confirmed."""
        dirty, self._dirty = self._dirty, set()
        is_confirmed = self.confirmations.is_confirmed(self._number)
        for border, name in sorted(dirty):
            peer = self.peers.get(border)
            if peer is None or peer.session is None:
                continue
            cells = self.exported.cells(border, name.topic, name.kind)
            if not is_confirmed:
                cells = canonical((*cells, *peer.exported(name)))
            if self.export_limit is not None:
                cells = coarsened(cells, self.export_limit)
            peer.export(name, cells)

    def _mark_all(self, border: str) -> None:
        topics = self.planner.topics
        self._dirty.update((border, SetName(topic, kind)) for topic in topics for kind in _KINDS)

    def _forget_advertised(self) -> None:
        self.exported.forget_advertised()
        topics = self.planner.topics
        self._dirty.update((at, SetName(topic, ADVERTISEMENT)) for at in self.peers for topic in topics)

    def _send_hellos(self) -> None:
        for border in self.peers:
            node = self.nodes.at(border)
            if border not in self._up or node is None:
                continue
            own = node.hello(border)
            state = m.Hello(
                own.instance, self._terms(), own.border, "", own.offer, own.role, own.is_open, HOLD
            )
            if self._hellos.get(border) != state:
                self._hellos[border] = state
                self._messages.append((border, m.Envelope(state)))

    def _terms(self) -> m.AddressTerms:
        address = self.planner.address
        return m.AddressTerms(address.family, address.prefix, address.topic_bits, address.dz_room)


def short_name(name: str) -> str:
    """Return a name of at most 16 bytes, so that 32 of them fit in one message."""
    return name if len(name.encode()) <= 16 else hashlib.sha256(name.encode()).hexdigest()[:16]
