"""Messages as bytes: round trips, strict reading, seals, and the refusal of hostile bytes."""

from hypothesis import given
from hypothesis import strategies as st

from tercast.eventspace.dz import canonical, parse
from tercast.federation.exchange.border_peer import BorderPeer
from tercast.federation.messages import peer_messages as m
from tercast.federation.messages.codec import decode_envelope, encode_envelope
from tercast.federation.messages.sealed_channel import SealedChannel
from tercast.federation.messages.set_name import SetName
from tercast.federation.tree.border_ends import BorderRole, HeardHello
from tercast.federation.tree.offers import MAX_PATH, BridgeId, Offer, part_name, short_name
from tercast.federation.tree.partition_tree import PartitionTree
from tercast.signalling.errors import MalformedMessage
from tercast.signalling.seal import Seal
from tests.property_profiles import examples

numbers = st.integers(0, (1 << 32) - 1)
wide = st.integers(0, (1 << 64) - 1)
names = st.text(st.characters(exclude_characters="\0", codec="utf-8"), max_size=12)
sessions = st.tuples(wide, numbers)
offers = st.builds(
    Offer,
    st.builds(BridgeId, st.integers(0, 65535), names),
    st.floats(0, 1e9),
    st.lists(names, min_size=1, max_size=5).map(tuple),
)
sets = st.builds(SetName, names, st.sampled_from(["advertisement", "subscription"]))
cells = st.lists(st.text("01", max_size=20).map(parse), max_size=20).map(canonical)
small = st.integers(0, 65535)
terms = st.builds(
    m.AddressTerms, st.sampled_from(["ipv4", "ipv6"]), names, st.integers(0, 100), st.integers(0, 112)
)
topics = st.builds(m.TopicTerms, names, wide, st.binary(max_size=32), numbers, st.integers(0, 112))
hold = st.floats(0, 3600)
messages = st.one_of(
    st.builds(m.Hello, wide, terms, names, names, offers, st.sampled_from(BorderRole), st.booleans(), hold),
    st.builds(m.Propose, sessions, offers),
    st.builds(m.Agree, sessions, offers),
    st.builds(m.Topics, sessions, small, small, st.lists(topics, max_size=3).map(tuple)),
    st.builds(m.SetDiff, sessions, sets, numbers, numbers, small, small, cells, cells, wide),
    st.builds(m.SetDigest, sessions, sets, numbers, wide, numbers),
    st.builds(m.Resync, sessions, sets),
    st.builds(m.SetSnapshot, sessions, sets, numbers, small, small, cells, wide),
    st.builds(m.SetDone, sessions, sets, numbers),
    st.builds(m.RefusedCells, sessions, sets, numbers, names),
    st.builds(m.Goodbye, wide, hold),
    st.builds(m.Acknowledge, sessions),
)
envelopes = st.builds(m.Envelope, messages, numbers, numbers)
SEAL = Seal(bytes(32), 5)


@examples(300)
@given(envelope=envelopes)
def test_a_message_survives_its_bytes(envelope: m.Envelope) -> None:
    assert decode_envelope(encode_envelope(envelope, SEAL)).envelope == envelope


@examples(300)
@given(envelope=envelopes, cut=st.integers(0, 300), flips=st.lists(st.tuples(small, st.integers(1, 255))))
def test_spoilt_bytes_raise_nothing_but_malformed_message(
    envelope: m.Envelope, cut: int, flips: list[tuple[int, int]]
) -> None:
    data = bytearray(encode_envelope(envelope, SEAL))
    for place, bits in flips:
        data[place % len(data)] ^= bits
    for some in (bytes(data), bytes(data[:cut]), bytes(data) + b"\0" * cut):
        try:
            decode_envelope(some)
        except MalformedMessage as error:
            assert error.code and str(error)


def test_parts_of_a_large_set_fit_one_message_each() -> None:
    peer = BorderPeer("border:s1:1")
    name = SetName("\U0001f600" * 128, "subscription")
    peer.open((1, 1), ())
    peer.shared = frozenset({name.topic})
    cells = tuple(1 << 96 | i << 40 for i in range(3000))
    peer.export(name, cells)
    found: list[int] = []
    for number in range(1, 200):
        for envelope in peer.send(0.0):
            encode_envelope(envelope, SEAL)
            if isinstance(envelope.message, m.SetDiff):
                found += envelope.message.added
        peer.window.acknowledge(min(number * 32, peer.window.sent))
    assert sorted(found) == sorted(cells)


def test_the_longest_hello_and_refusal_fit_one_message() -> None:
    long = "\U0001f600" * 256
    node = PartitionTree(BridgeId(65_535, short_name(long)), (1 << 64) - 1)
    names = tuple(part_name("p", str(i)) for i in range(MAX_PATH))
    node.start({long: 1.0})
    node.offer = Offer(BridgeId(65_535, names[0]), 1e12, names)
    own = node.hello(long)
    ipv6 = m.AddressTerms("ipv6", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff/128", 16, 112)
    hello = m.Hello(own.instance, ipv6, own.border, "", own.offer, own.role, own.is_open, 5.0)
    assert len(encode_envelope(m.Envelope(hello), SEAL)) <= m.MAX_PEER_MESSAGE
    refused = m.RefusedCells((1, 1), SetName(long[:128], "subscription"), 1, long)
    assert len(encode_envelope(m.Envelope(refused), SEAL)) <= m.MAX_PEER_MESSAGE


def test_an_offer_over_the_longest_path_is_not_used() -> None:
    node = PartitionTree(BridgeId(0, "z"), 1)
    node.start({"b": 1.0})
    node.closed("b")
    node.border_up("b")
    for length, root in ((MAX_PATH, None), (MAX_PATH - 1, "b")):
        path = tuple(part_name("p", str(i)) for i in range(length))
        offer = Offer(BridgeId(0, "a"), 1.0, path)
        node.hear("b", HeardHello(offer, "far", 2, BorderRole.DESIGNATED, False))
        assert node.root_border == root


def test_forged_and_replayed_messages_are_refused() -> None:
    here, there = SealedChannel(b"k" * 32, "a"), SealedChannel(b"k" * 32, "b")
    hello = m.Envelope(m.Propose((1, 1), Offer.of_root(BridgeId(0, "west"))))
    data = here.seal(hello)
    assert there.open(data, "a") == hello
    assert there.open(data, "a") is None, "replayed"
    assert here.open(here.seal(hello), "a") is not None
    assert there.open(there.seal(hello), "a") is None, "reflected to its sender"
    forged = SealedChannel(b"x" * 32, "a", counter=100)
    assert there.open(forged.seal(hello), "a") is None
    assert there.open(here.seal(hello)[:-1], "a") is None
    assert there.open(b"", "a") is None
    assert there.refused == 5
