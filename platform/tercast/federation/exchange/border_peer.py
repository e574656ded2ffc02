"""The exchange of sets with one neighbour over one open border."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from tercast.eventspace.dz import Dz, DzSet
from tercast.federation.exchange.exchanged_sets import (
    IncomingSet,
    OutgoingSet,
    digest_of,
    ordered,
)
from tercast.federation.exchange.set_parts import diff_parts, split_cells, topic_parts
from tercast.federation.messages import peer_messages as m
from tercast.federation.messages.set_name import SetName
from tercast.federation.messages.sliding_window import SlidingWindow
from tercast.federation.tree.border_ends import SessionId

MAX_SET_CELLS = 50_000
"""Largest set that is accepted from a neighbour."""

SLOW = 10.0
"""Seconds without an acknowledgement after which a neighbour is slow."""


@dataclass(frozen=True, slots=True)
class SetArrival:
    """A complete version of a set; `refusal` is the reason why it was not accepted."""

    name: SetName
    version: int
    refusal: str = ""


@dataclass(slots=True)
class BorderPeer:
    """Both directions of one border; everything but the counts ends with the session.

    Attributes:
        session: The current opening of the border; None while it is closed.
        shared: The topics on which both ends agree; None until the neighbour has named its topics.
        done: The last version of each exported set that is confirmed by the neighbour and behind it.
        refused: The last refusal of each exported set: version and reason.
    """

    border: str
    session: SessionId | None = None
    window: SlidingWindow = field(default_factory=SlidingWindow)
    outgoing: dict[SetName, OutgoingSet] = field(default_factory=dict)
    incoming: dict[SetName, IncomingSet] = field(default_factory=dict)
    shared: frozenset[str] | None = None
    mismatched: frozenset[str] = frozenset()
    done: dict[SetName, int] = field(default_factory=dict)
    refused: dict[SetName, tuple[int, str]] = field(default_factory=dict)
    resyncs: int = 0
    exchanges: int = 0
    _owes_acknowledgement: bool = False
    _reports: dict[tuple[type, SetName], Callable[[], Iterable[m.Numbered]]] = field(default_factory=dict)
    _awaited: set[SetName] = field(default_factory=set)
    _doubts: dict[SetName, int] = field(default_factory=dict)
    _topics: tuple[m.TopicTerms, ...] = ()

    def open(self, session: SessionId, topics: tuple[m.TopicTerms, ...]) -> None:
        """Begin a session with empty sets, and name the topics."""
        self.close()
        self.session, self._topics = session, topics
        self.window.add(topic_parts(session, topics))

    def close(self) -> None:
        """End the session; all sets of it are forgotten."""
        self.session, self.shared, self.mismatched = None, None, frozenset()
        self.window = SlidingWindow(retransmitted=self.window.retransmitted)
        for some in (self.outgoing, self.incoming, self.done, self.refused, self._doubts, self._reports):
            some.clear()
        self._awaited.clear()
        self._owes_acknowledgement = False

    def export(self, name: SetName, cells: DzSet) -> None:
        """Set the newest state of a set; it is sent when the last exchange is complete."""
        if self.session is None or self.shared is None or name.topic not in self.shared:
            return
        outgoing = self.outgoing.get(name)
        if outgoing is None:
            if not cells:
                return
            outgoing = self.outgoing[name] = OutgoingSet()
        outgoing.wanted = frozenset(cells)
        self._exchange(name, outgoing)

    def exported(self, name: SetName) -> frozenset[Dz]:
        """Return the cells of a set that the neighbour has or is being sent."""
        outgoing = self.outgoing.get(name)
        return frozenset() if outgoing is None else outgoing.cells

    def tell_done(self, name: SetName, version: int) -> None:
        """Report that a received version is confirmed here and behind."""
        if self.session is not None:
            done = m.SetDone(self.session, name, version)
            self._report(m.SetDone, name, lambda: [done])

    def refuse(self, name: SetName, version: int, reason: str) -> None:
        """Report that a received version was refused."""
        if self.session is not None:
            refusal = m.RefusedCells(self.session, name, version, reason)
            self._report(m.RefusedCells, name, lambda: [refusal])

    def send_digests(self) -> None:
        """Send the digests of all exported sets, unless older messages still wait."""
        if self.session is not None and not self.window.in_flight:
            digests = [
                m.SetDigest(self.session, name, one.version, one.digest, len(one.cells))
                for name, one in self.outgoing.items()
            ]
            self.window.add(iter(digests))

    def send(self, now: float) -> list[m.Envelope]:
        """Return the messages to send now; each carries the cumulative acknowledgement."""
        if self.session is None:
            return []
        due = self.window.due(now)
        envelopes = [m.Envelope(message, number, self.window.received) for number, message in due]
        if not envelopes and self._owes_acknowledgement:
            envelopes.append(m.Envelope(m.Acknowledge(self.session), 0, self.window.received))
        self._owes_acknowledgement = False
        return envelopes

    def is_slow(self, now: float) -> bool:
        """Return whether the neighbour has not acknowledged a message for long."""
        oldest = self.window.oldest()
        return oldest is not None and now - oldest > SLOW

    def receive(self, envelope: m.Envelope) -> list[SetArrival]:
        """Take a message of the stream; messages of another session are ignored."""
        message = envelope.message
        if isinstance(message, m.Hello | m.Propose | m.Agree | m.Goodbye) or message.session != self.session:
            return []
        for confirmed in self.window.acknowledge(envelope.acknowledged):
            self._acknowledged(confirmed)
        if isinstance(message, m.Acknowledge):
            return []
        self._owes_acknowledgement = True
        arrivals: list[SetArrival] = []
        for one in self.window.receive(envelope.sequence, message):
            arrivals += self._apply_message(one)
        return arrivals

    def _report(self, kind: type, name: SetName, make: Callable[[], Iterable[m.Numbered]]) -> None:
        """Queue a report on a set; it replaces an earlier one of this kind that still waits."""
        waits = (kind, name) in self._reports
        self._reports[kind, name] = make
        if not waits:
            self.window.add(self._take_report(kind, name))

    def _take_report(self, kind: type, name: SetName) -> Iterator[m.Numbered]:
        yield from self._reports.pop((kind, name))()

    def _acknowledged(self, message: m.Numbered) -> None:
        """Complete an exchange with its last part, and begin the next."""
        if isinstance(message, m.SetDiff) and message.part == message.parts - 1:
            outgoing = self.outgoing[message.name]
            outgoing.acknowledge(message.to_version)
            self._exchange(message.name, outgoing)

    def _exchange(self, name: SetName, outgoing: OutgoingSet) -> None:
        change = outgoing.next_change()
        if change is not None and self.session is not None:
            self.refused.pop(name, None)
            self.exchanges += 1
            self.window.add(diff_parts(self.session, name, change))

    def _apply_message(self, message: m.Numbered) -> Iterable[SetArrival]:
        if isinstance(message, m.Topics):
            self._take_topics(message)
        elif message.name.topic in (self.shared or ()):
            return self._take_set_message(message)
        return ()

    def _take_set_message(self, message: m.SetMessage) -> Iterable[SetArrival]:
        match message:
            case m.SetDiff():
                return self._take_diff(message)
            case m.SetSnapshot():
                return self._take_snapshot(message)
            case m.SetDigest():
                self._compare(message)
            case m.Resync(name=name):
                self._send_snapshot(name)
            case m.SetDone(name=name, version=version):
                self.done[name] = max(self.done.get(name, 0), version)
                if name in self.refused and self.refused[name][0] <= version:
                    del self.refused[name]
            case m.RefusedCells(name=name, version=version, reason=reason):
                self.refused[name] = version, reason
        return ()

    def _take_topics(self, message: m.Topics) -> None:
        own = {topic.name: topic for topic in self._topics}
        same = {one.name for one in message.topics if own.get(one.name) == one}
        self.mismatched |= {one.name for one in message.topics if one.name in own} - same
        self.shared = (self.shared or frozenset()) | same

    def _take_diff(self, message: m.SetDiff) -> Iterable[SetArrival]:
        incoming = self.incoming.setdefault(message.name, IncomingSet())
        if message.to_version <= incoming.version:  # a snapshot had it
            return ()
        if message.part != len(incoming.parts) or message.from_version != incoming.version:
            incoming.parts.clear()
            self._ask_resync(message.name)
            return ()
        incoming.parts.append((message.added, message.removed))
        if message.part < message.parts - 1:
            return ()
        added = tuple(dz for part in incoming.parts for dz in part[0])
        removed = tuple(dz for part in incoming.parts for dz in part[1])
        incoming.parts.clear()
        digest = incoming.apply(added, removed, message.to_version)
        return self._arrived(message.name, incoming, digest == message.digest)

    def _take_snapshot(self, message: m.SetSnapshot) -> Iterable[SetArrival]:
        incoming = self.incoming.setdefault(message.name, IncomingSet())
        if message.part == 0:
            incoming.parts.clear()
        incoming.parts.append((message.cells, ()))
        if message.part < message.parts - 1:
            return ()
        cells = frozenset(dz for part in incoming.parts for dz in part[0])
        incoming.parts.clear()
        incoming.cells, incoming.digest, incoming.version = cells, digest_of(cells), message.version
        self._doubts.pop(message.name, None)
        self._awaited.discard(message.name)
        return self._arrived(message.name, incoming, incoming.digest == message.digest)

    def _arrived(self, name: SetName, incoming: IncomingSet, is_intact: bool) -> Iterable[SetArrival]:
        if not is_intact:
            self._ask_resync(name)
            return ()
        if len(incoming.cells) > MAX_SET_CELLS:
            reason = f"the set has {len(incoming.cells)} cells; at most {MAX_SET_CELLS} are accepted"
            return (SetArrival(name, incoming.version, reason),)
        return (SetArrival(name, incoming.version),)

    def _compare(self, message: m.SetDigest) -> None:
        incoming = self.incoming.get(message.name, IncomingSet())
        if (incoming.version, incoming.digest) == (message.version, message.digest):
            self._doubts.pop(message.name, None)
            return
        self._doubts[message.name] = self._doubts.get(message.name, 0) + 1
        if self._doubts[message.name] >= 2:
            self._ask_resync(message.name)

    def _ask_resync(self, name: SetName) -> None:
        """Ask for a whole set, unless it was asked for and has not arrived."""
        if self.session is not None and name not in self._awaited:
            self.resyncs += 1
            self._awaited.add(name)
            self.window.add(iter([m.Resync(self.session, name)]))

    def _send_snapshot(self, name: SetName) -> None:
        self._report(m.SetSnapshot, name, lambda: self._snapshot_parts(name))

    def _snapshot_parts(self, name: SetName) -> Iterator[m.Numbered]:
        outgoing, session = self.outgoing.get(name, OutgoingSet()), self.session
        if session is not None:
            version, digest = outgoing.version, outgoing.digest
            parts = split_cells(name, ordered(outgoing.cells), ())
            for i, (cells, _) in enumerate(parts):
                yield m.SetSnapshot(session, name, version, i, len(parts), cells, digest)
