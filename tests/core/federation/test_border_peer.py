"""One end of a border: sets that arrive, reports on them, and hostile messages."""

import pytest

from tercast.eventspace.dz import parse
from tercast.federation.exchange.border_peer import BorderPeer
from tercast.federation.exchange.exchanged_sets import SetChange, digest_of
from tercast.federation.messages import peer_messages as m
from tercast.federation.messages.set_name import SetName


def diff(change: SetChange, name: SetName, part: int = 0, parts: int = 1) -> m.SetDiff:
    numbers = change.from_version, change.to_version, part, parts
    return m.SetDiff((1, 1), name, *numbers, change.added, change.removed, change.digest)


@pytest.fixture
def peer() -> BorderPeer:
    peer = BorderPeer("border:s1:1")
    peer.open((1, 1), ())
    peer.shared = frozenset({"a"})
    return peer


NAME = SetName("a", "subscription")


def test_a_diff_that_does_not_follow_or_with_a_wrong_digest_asks_for_the_whole_set(peer: BorderPeer) -> None:
    cells = (parse("0"),)
    assert not peer.receive(m.Envelope(diff(SetChange(3, 4, cells, (), digest_of(cells)), NAME), 1))
    assert not peer.receive(m.Envelope(diff(SetChange(0, 1, cells, (), 7), NAME), 2))
    assert peer.resyncs == 1, "one request for the whole set is enough until it arrives"
    wanted = [one.message for one in peer.send(0.0) if isinstance(one.message, m.Resync)]
    assert wanted == [m.Resync((1, 1), NAME)]
    (arrival,) = peer.receive(m.Envelope(m.SetSnapshot((1, 1), NAME, 9, 0, 1, cells, digest_of(cells)), 3))
    assert (arrival.version, peer.incoming[NAME].cells) == (9, frozenset(cells))
    assert not peer.receive(m.Envelope(diff(SetChange(8, 9, (), cells, 0), NAME), 4)), "the set has it"
    peer.receive(m.Envelope(diff(SetChange(11, 12, cells, (), 7), NAME), 5))
    assert peer.resyncs == 2


def test_digests_that_differ_twice_ask_for_the_whole_set(peer: BorderPeer) -> None:
    for number in (1, 2):
        assert peer.resyncs == 0
        peer.receive(m.Envelope(m.SetDigest((1, 1), NAME, 5, 5, 5), number))
    assert peer.resyncs == 1


def test_a_neighbour_that_asks_gets_the_whole_set(peer: BorderPeer) -> None:
    peer.export(NAME, (parse("0"), parse("11")))
    peer.send(0.0)
    peer.receive(m.Envelope(m.Resync((1, 1), NAME), 1, peer.window.sent))
    (snapshot,) = [one.message for one in peer.send(0.1) if isinstance(one.message, m.SetSnapshot)]
    assert sorted(snapshot.cells) == sorted((parse("0"), parse("11")))
    assert snapshot.digest == digest_of(snapshot.cells)


def test_messages_of_another_session_are_ignored(peer: BorderPeer) -> None:
    cells = (parse("0"),)
    old = m.SetDiff((1, 0), NAME, 0, 1, 0, 1, cells, (), digest_of(cells))
    assert peer.receive(m.Envelope(old, 1)) == [] and not peer.incoming


def test_more_cells_than_a_partition_accepts_are_refused(peer: BorderPeer, monkeypatch) -> None:
    monkeypatch.setattr("tercast.federation.exchange.border_peer.MAX_SET_CELLS", 1)
    cells = (parse("0"), parse("11"))
    (arrival,) = peer.receive(m.Envelope(diff(SetChange(0, 1, cells, (), digest_of(cells)), NAME), 1))
    assert arrival.refusal == "the set has 2 cells; at most 1 are accepted"


def test_a_topic_with_another_schema_is_not_shared(peer: BorderPeer) -> None:
    same, other = (m.TopicTerms(name, 4, b"s", 1, 4) for name in "ab")
    peer.open((1, 1), (same, other))
    theirs = (same, m.TopicTerms("b", 5, b"s", 1, 4), m.TopicTerms("c", 6, b"s", 1, 4))
    peer.receive(m.Envelope(m.Topics((1, 1), 0, 1, theirs), 1))
    assert peer.shared == {"a"} and peer.mismatched == {"b"}


def test_cells_of_a_topic_that_is_not_shared_are_ignored(peer: BorderPeer) -> None:
    cells, other = (parse("0"),), SetName("b", "advertisement")
    for number, message in enumerate(
        (
            diff(SetChange(0, 1, cells, (), digest_of(cells)), other),
            m.SetSnapshot((1, 1), other, 1, 0, 1, cells, digest_of(cells)),
            m.SetDigest((1, 1), other, 5, 5, 5),
            m.Resync((1, 1), other),
        ),
        start=1,
    ):
        assert peer.receive(m.Envelope(message, number)) == []
    assert not peer.incoming and peer.window.received == 4
    assert [type(one.message) for one in peer.send(0.0)] == [m.Topics]


def test_a_neighbour_that_asks_and_never_acknowledges_costs_bounded_memory(peer: BorderPeer) -> None:
    peer.export(NAME, tuple(1 << 12 | i for i in range(3000)))
    for number in range(1, 1000):
        message = m.Resync((1, 1), NAME) if number % 2 else m.SetDigest((1, 1), NAME, number, 5, 5)
        peer.receive(m.Envelope(message, number))
        peer.tell_done(NAME, number)
        peer.refuse(NAME, number, "too large")
        peer.send(0.0)
    assert peer.window.in_flight <= 32 and len(peer.window._sources) <= 6
    peer.window.acknowledge(peer.window.sent)
    assert m.SetDone((1, 1), NAME, 999) in [one.message for one in peer.send(0.0)]
