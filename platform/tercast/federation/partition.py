"""A partition: its planner, its nodes in the tree, and its peers, without a clock.

A caller gives it requests, messages and the time; `take_messages` and `take_pushes` return what to send to
neighbours and to switches.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from tercast.federation.exchange.border_peer import BorderPeer, SetArrival
from tercast.federation.exchange.confirmations import Confirmations
from tercast.federation.exchange.pending_exports import PendingExports
from tercast.federation.exchange.received_sets import ReceivedSets
from tercast.federation.exchange.set_parts import topic_terms
from tercast.federation.messages import peer_messages as m
from tercast.federation.messages.set_name import SetName
from tercast.federation.neighbour_hellos import NeighbourHellos
from tercast.federation.neighbour_liveness import GRACE, NeighbourLiveness
from tercast.federation.table_push import TablePush
from tercast.federation.tree.border_ends import (
    CloseBorder,
    HeardHello,
    OpenBorder,
    OpeningAgreement,
    OpeningProposal,
    TreeAction,
)
from tercast.federation.tree.offers import BridgeId, short_name
from tercast.federation.tree.tree_nodes import TreeNodes
from tercast.planner.planner import Outcome, Planner
from tercast.requests.model import (
    AddBorder,
    Advertise,
    RemoveBorder,
    Request,
    Subscribe,
    Unadvertise,
    Unsubscribe,
)
from tercast.requests.registry import SUBSCRIPTION
from tercast.topology.borders import border_name

DIGEST_PERIOD = 30.0


@dataclass(slots=True)
class Partition:
    """One partition and its controller.

    `peers` and `nodes` are in memory only: after a crash, `restart` begins with new ones. The planner is the
    snapshot and the log, which survive.
    """

    name: str
    planner: Planner
    priority: int = 0
    grace: float = GRACE
    export_limit: int | None = None
    peers: dict[str, BorderPeer] = field(default_factory=dict)
    alarms: set[tuple[str, str]] = field(default_factory=set)
    closed: set[str] = field(default_factory=set)
    started: int = 0
    _messages: list[tuple[str, m.Envelope]] = field(default_factory=list)
    _pushes: list[TablePush] = field(default_factory=list)
    _number: int = 0
    _hellos: NeighbourHellos = field(init=False)
    _next_digest: float = DIGEST_PERIOD
    liveness: NeighbourLiveness = field(init=False)
    nodes: TreeNodes = field(init=False)
    exports: PendingExports = field(init=False)
    confirmations: Confirmations = field(init=False)
    received: ReceivedSets = field(init=False)

    def __post_init__(self) -> None:
        self.exports = PendingExports(self.planner, self.export_limit)

    def start(self, instance: int, now: float, up: Iterable[str]) -> None:
        """Begin after a start or a crash: all borders close, as nothing is known about the switches."""
        borders = self.planner.topology.borders
        self.started = instance
        self.liveness = NeighbourLiveness(self.grace, set(up))
        self._hellos = NeighbourHellos(self.planner)
        self.peers = {border: BorderPeer(border) for border in borders}
        self.confirmations = Confirmations()
        self.nodes = TreeNodes(self.planner, BridgeId(self.priority, short_name(self.name)), instance)
        self.received = ReceivedSets(self.planner)
        self._act(self.nodes.regroup())
        self._finish(now)

    def request(self, request: Request, now: float) -> Outcome:
        """Carry out a request of this partition's users or network."""
        return self.request_all([request], now)[0]

    def request_all(self, requests: Sequence[Request], now: float) -> list[Outcome]:
        """Carry out requests in order; switches and neighbours get their result in one change."""
        leaving = [one for one in requests if isinstance(one, RemoveBorder)]
        if leaving:  # a border without a neighbour stays closed
            for one in leaving:
                self._act(self.nodes.border_down(border_name(one.switch, one.port)))
            self._finish(now)
        outcomes = self.planner.apply_all(requests)
        kinds = {type(request) for request in requests}
        if kinds & {AddBorder, RemoveBorder}:
            self._follow_borders()
        if kinds - {Subscribe, Unsubscribe}:
            self.exports.mark_advertised(self.peers)
        if kinds - {Subscribe, Unsubscribe, Advertise, Unadvertise}:
            self._act(self.nodes.regroup())
        self._finish(now)
        for request, outcome in zip(requests, outcomes, strict=True):
            if outcome.ok and isinstance(request, Subscribe):
                self.confirmations.watch(request.id, self._number)
            elif isinstance(request, Unsubscribe):
                self.confirmations.unwatch(request.id)
        return outcomes

    def port_changed(self, border: str, up: bool, now: float) -> None:
        """Record that the port of a border went down or came up."""
        self.liveness.set_port(border, up)
        if not up:
            self._act(self.nodes.border_down(border))
        self._finish(now)

    def receive(self, border: str, envelope: m.Envelope, now: float) -> None:
        """Take a message from the neighbour at a border."""
        if border not in self.liveness.up:
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
                self.liveness.announce_stop(border, restart)
            case _:
                self._take_stream(border, envelope)
        self._finish(now)

    def confirmed(self, number: int, now: float) -> None:
        """Record that all switches have confirmed a push and those before."""
        self._act(self.nodes.confirmed(number))
        self.confirmations.confirm(number, self.peers)
        self._report_sets()
        if number == self._number:
            self.exports.mark_sent(self.peers)
        self._finish(now)

    def tick(self, now: float) -> None:
        """Do what happens once a second: hellos, repeated proposals, silent neighbours, digests."""
        for border in self.liveness.expired(now):
            self.alarms.add(("partition_cut_off", border))
            self._act(self.nodes.border_down(border))
        self.alarms.update(("peer_silent", border) for border in self.liveness.silent(now))
        self._act(self.nodes.tick())
        self.alarms.update(("peer_slow", one.border) for one in self.peers.values() if one.is_slow(now))
        for (border, name), version in self.received.due():
            self._accept(border, name, version)
        if now >= self._next_digest:
            self._next_digest = now + DIGEST_PERIOD
            for peer in self.peers.values():
                peer.send_digests()
        self._hellos.repeat()
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

    def is_busy(self) -> bool:
        """Return whether an exchange or a push is in transit."""
        return not self.confirmations.is_confirmed(self._number) or any(
            peer.window.in_flight for peer in self.peers.values()
        )

    def _take_hello(self, border: str, hello: m.Hello, now: float) -> None:
        if hello.terms != self._hellos.terms:
            self.alarms.add(("peer_mismatch", border))
            return
        self.liveness.hear(border, now)
        heard = HeardHello(hello.offer, hello.border, hello.instance, hello.role, hello.is_open)
        self._act(self.nodes.hear(border, heard))

    def _take_stream(self, border: str, envelope: m.Envelope) -> None:
        peer = self.peers[border]
        before = peer.shared
        arrivals = peer.receive(envelope)
        if peer.shared != before:
            self.exports.mark_border(border)
            self.alarms.update(("topic_mismatch", topic) for topic in peer.mismatched)
        for arrival in arrivals:
            self._take_set(border, arrival)
        self._report_sets()

    def _report_sets(self) -> None:
        """Report the received sets that are confirmed or refused, here or behind."""
        for border, name, version in self.confirmations.settled(self.peers):
            self.peers[border].tell_done(name, version)
        for (border, name, version), reason in self.confirmations.refusals(self.peers):
            self.peers[border].refuse(name, version, reason)

    def _take_set(self, border: str, arrival: SetArrival) -> None:
        """Plan a received set; refuse it as a whole if it exceeds a limit."""
        reason = arrival.refusal or self._accept(border, arrival.name, arrival.version)
        if reason:
            self.alarms.add(("peer_refused", border))
            self.peers[border].refuse(arrival.name, arrival.version, reason)

    def _accept(self, border: str, name: SetName, version: int) -> str:
        """Plan a received set; return the reason of a refusal, or nothing."""
        peer, was_refused = self.peers[border], (border, name) in self.received.refused
        reason = self.received.replace((border, name), peer.incoming[name].cells, version)
        if reason:
            return reason
        if name.kind == SUBSCRIPTION:
            self.confirmations.expect(border, name, version, self._number + 1)
        else:
            self.exports.mark_advertised(self.peers)
            if was_refused:
                peer.tell_done(name, version)
        return ""

    def _follow_borders(self) -> None:
        """Follow borders that were added or removed."""
        borders = self.planner.topology.borders
        for border in [border for border in self.peers if border not in borders]:
            del self.peers[border]
            self.liveness.set_port(border, False)
        for border in [border for border in borders if border not in self.peers]:
            self.peers[border] = BorderPeer(border)

    def _act(self, actions: Iterable[TreeAction]) -> None:
        for action in actions:
            match action:
                case CloseBorder(border):
                    self._close(border)
                case OpenBorder(border, session):
                    self._open(border, session)
                case OpeningProposal(border, session, offer):
                    self._messages.append((border, m.Envelope(m.Propose(session, offer))))
                case OpeningAgreement(border, session, offer):
                    self._messages.append((border, m.Envelope(m.Agree(session, offer))))

    def _close(self, border: str) -> None:
        """Withdraw all cells of a border; the next push has its drop entry."""
        self.peers[border].close()
        if self.received.withdraw(border):
            self.exports.mark_advertised(self.peers)
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
        self.exports.follow(diff)
        number, closed = self._number + 1, frozenset(self.closed)
        if len(diff) or self.confirmations.needs_push(number, closed) or self.nodes.waits_for(number):
            self._number, self.confirmations.pushed_closed = number, closed
            self._pushes.append(TablePush(number, diff, closed))
        self.exports.give(self.peers, self.confirmations.is_confirmed(self._number))
        for border, peer in self.peers.items():
            self._messages += [(border, envelope) for envelope in peer.send(now)]
        up = [border for border in self.peers if border in self.liveness.up]
        self._messages += self._hellos.changed(up, self.nodes)
