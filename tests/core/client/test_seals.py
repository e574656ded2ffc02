"""Sealed events: what a seal covers, which seals count, and how keys and topics change without a loss."""

import threading
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercast.client.duplicates import SeenEvents
from tercast.client.event_origins import EventOrigin, LearnedOrigins, OriginPolicy, RejectionReason
from tercast.client.lease import PublisherLease, Terms
from tercast.client.publisher import Publisher
from tercast.client.subscriber import Subscriber
from tercast.errors import Refused
from tercast.eventspace.topic import Int, String, Topic
from tercast.wire.errors import UnknownSchema, WireError
from tercast.wire.event_codec import (
    MAX_PAYLOAD,
    SEALED_EVENT,
    Event,
    EventCodec,
    decode,
    origin_bytes,
    read_head,
)
from tercast.wire.event_seal import SEAL_BYTES, EventSeal
from tercast.wire.packets import pack_ip
from tests.support.hosts_on_wire import OTHER, OWN, Network

QUOTES = Topic("quotes", 4, (Int("low", 0, 1023),))
CODEC = EventCodec(QUOTES)
FIRST, SECOND = EventSeal(7, b"1" * 32), EventSeal(8, b"2" * 32)


def sealed(seq, seal=FIRST, low=92, publisher="a6"):
    tail = origin_bytes(4, publisher) + CODEC.encode_values({"low": low})
    return seal.closed(CODEC.head(seq, 0, SEALED_EVENT) + tail)


def plain(seq, low=92):
    return CODEC.encode(Event("quotes", 4, "a6", seq, 0, {"low": low}))


class Platform:
    """Answers of the platform, which a test changes."""

    def __init__(self, policy, *seals):
        self.asked = 0
        self.says(policy, *seals)

    def says(self, policy, *seals):
        self.origin = EventOrigin(pack_ip(OWN), policy, {seal.number: seal.key for seal in seals})

    def fetch(self, topic, names):
        self.asked += 1
        return {"a6": self.origin}


@pytest.fixture
def network():
    return Network()


@pytest.fixture
def listening(network, monkeypatch):
    """Make a subscriber that has learned the platform's first answer."""
    monkeypatch.setattr("tercast.client.event_origins.GAP_S", 0.0)
    opened = []

    def make(platform, **options):
        origins = LearnedOrigins(platform.fetch)
        origins.learn(["quotes"])
        opened.append(origins)
        return Subscriber({"q1": ""}, QUOTES, network, origins=origins, **options)

    yield make
    for origins in opened:
        origins.close()


def settled(host):
    """All numbers that are delivered, and the reasons of the rest, once nothing waits."""
    got = []
    while True:
        delivery = host.receive(0.05 if host.counters.held else 0)
        if delivery is not None:
            got.append(delivery.event.seq)
        elif not host.counters.held:
            return got, {reason: count for (_, reason), count in host.rejections.items()}


def test_a_sealed_event_has_a_kind_of_its_own_and_twenty_bytes_more():
    data = sealed(5)
    assert data[1] == 0x14 and len(data) == len(plain(5)) + SEAL_BYTES
    assert decode(data, lambda code, schema: CODEC) == decode(plain(5), lambda code, schema: CODEC)
    assert read_head(data).key_number == 7 and read_head(plain(5)).key_number is None
    assert repr(FIRST) == "EventSeal(number=7)"


@pytest.mark.parametrize("length", range(len(sealed(5))))
def test_a_sealed_event_that_is_cut_is_no_event(length):
    with pytest.raises(WireError):
        decode(sealed(5)[:length], lambda code, schema: CODEC)


def test_each_bit_of_a_sealed_event_is_covered(network, listening):
    host = listening(Platform(OriginPolicy.REQUIRED, FIRST))
    good = sealed(5)
    for bit in range(8 * len(good)):
        data = bytearray(good)
        data[bit // 8] ^= 1 << bit % 8
        network.waiting.append((bytes(data), pack_ip(OWN)))
    assert settled(host)[0] == []
    network.waiting.append((good, pack_ip(OWN)))
    assert settled(host)[0] == [5]


@given(st.binary(max_size=1300))
def test_bytes_behind_a_sealed_head_raise_nothing_but_wire_errors(rest):
    with suppress(WireError, UnknownSchema):
        decode(bytes([0x54, 0x14]) + rest, lambda code, schema: CODEC)


def test_seals_of_others_are_rejected_and_suppress_nothing(network, listening):
    host = listening(Platform(OriginPolicy.REQUIRED, FIRST))
    forged = EventSeal(7, b"x" * 32)
    for seq in range(24):
        network.waiting += [(sealed(seq, forged), pack_ip(OWN)), (sealed(seq), pack_ip(OTHER))]
    network.waiting += [(sealed(seq), pack_ip(OWN)) for seq in range(24)]
    got, reasons = settled(host)
    assert got == list(range(24))
    assert reasons == {RejectionReason.BAD_SEAL: 24, RejectionReason.OTHER_ADDRESS: 24}
    assert host.counters.doubled == 0


def test_without_a_seal_nothing_of_a_sealed_topic_is_accepted(network, listening):
    host = listening(Platform(OriginPolicy.REQUIRED, FIRST))
    network.waiting += [
        (plain(1), pack_ip(OWN)),
        (sealed(2, SECOND), pack_ip(OWN)),
        (sealed(3), pack_ip(OWN)),
    ]
    assert settled(host) == ([3], {RejectionReason.NO_SEAL: 1, RejectionReason.UNKNOWN_KEY: 1})


def test_a_new_key_is_learned_with_its_first_event_and_an_old_one_ends(network, listening):
    platform = Platform(OriginPolicy.REQUIRED, FIRST)
    host = listening(platform)
    network.waiting.append((sealed(1), pack_ip(OWN)))
    assert settled(host) == ([1], {})
    platform.says(OriginPolicy.REQUIRED, FIRST, SECOND)
    network.waiting += [(sealed(2, SECOND), pack_ip(OWN)), (sealed(3, FIRST), pack_ip(OWN))]
    got, reasons = settled(host)
    assert sorted(got) == [2, 3] and reasons == {}
    platform.says(OriginPolicy.REQUIRED, SECOND)
    network.waiting.append((sealed(4, EventSeal(9, b"3" * 32)), pack_ip(OWN)))
    assert settled(host)[1] == {RejectionReason.UNKNOWN_KEY: 1}
    network.waiting += [(sealed(5, FIRST), pack_ip(OWN)), (sealed(6, SECOND), pack_ip(OWN))]
    assert settled(host) == ([6], {RejectionReason.UNKNOWN_KEY: 2})


def test_turning_seals_on_and_off_loses_nothing(network, listening):
    platform = Platform(OriginPolicy.OFF)
    host = listening(platform)
    network.waiting.append((plain(1), pack_ip(OWN)))
    assert settled(host) == ([1], {})
    platform.says(OriginPolicy.CHANGING, FIRST)
    network.waiting += [(sealed(2), pack_ip(OWN)), (plain(3), pack_ip(OWN))]
    got = settled(host)[0]
    assert sorted(got) == [2, 3]
    platform.says(OriginPolicy.REQUIRED, FIRST)
    network.waiting.append((sealed(4, EventSeal(9, b"3" * 32)), pack_ip(OWN)))
    settled(host)
    network.waiting.append((plain(5), pack_ip(OWN)))
    assert settled(host) == ([], {RejectionReason.UNKNOWN_KEY: 1, RejectionReason.NO_SEAL: 1})
    platform.says(OriginPolicy.CHANGING, FIRST)
    network.waiting += [(plain(6), pack_ip(OWN)), (sealed(7), pack_ip(OWN))]
    assert sorted(settled(host)[0]) == [6, 7]


def test_answers_that_are_old_are_asked_for_again(network, monkeypatch):
    now = [0.0]
    again = threading.Event()
    platform = Platform(OriginPolicy.OFF)

    def fetch(topic, names):
        if names is not None:
            again.set()
        return platform.fetch(topic, names)

    with LearnedOrigins(fetch, lambda: now[0]) as origins:
        origins.learn(["quotes"])
        host = Subscriber({"q1": ""}, QUOTES, network, origins=origins)
        network.waiting.append((plain(1), pack_ip(OWN)))
        assert settled(host) == ([1], {}) and platform.asked == 1
        now[0] = 31.0
        network.waiting.append((plain(2), pack_ip(OWN)))
        assert settled(host) == ([2], {})
        assert again.wait(60)


def test_copies_too_old_to_distinguish_from_events_are_rejected(network, listening):
    host = listening(Platform(OriginPolicy.REQUIRED, FIRST), seen=SeenEvents(window=4))
    for seq in (1, 2, 3, 4, 5, 6, 1, 2, 6):
        network.waiting.append((sealed(seq), pack_ip(OWN)))
    assert settled(host) == ([1, 2, 3, 4, 5, 6], {RejectionReason.REPLAYED: 2})
    assert host.counters.doubled == 1


class LeaseSource:
    """Gives leases with the seal of now."""

    def __init__(self):
        self.seal = None

    def lease(self, advertisement, holder, version):
        return Terms(1, 4, ("low",), 100.0, 1.0, self.seal)

    def release(self, advertisement, holder):
        """Nothing."""


def test_a_publisher_seals_as_its_lease_says(memory, plan):
    source = LeaseSource()
    with PublisherLease(source, "a6") as lease:
        publisher = Publisher(lease.begin(QUOTES), "", memory, plan, "a6", lease=lease, clock=lambda: 0)
        kinds = []
        for seal in (None, FIRST, SECOND, None):
            source.seal = seal
            lease.renew(publisher)
            seq = publisher.publish({"low": 92})
            target, data = memory.sent[-1]
            assert target == memory.sent[0][0]
            assert data == (plain(seq) if seal is None else sealed(seq, seal))
            kinds.append(data[1])
    assert kinds == [0x11, 0x14, 0x14, 0x11]


def test_a_seal_leaves_the_depth_of_an_event_space_as_it_is(memory, plan):
    """Events of the deepest space go to the same addresses, to the last bit, with and without a seal."""
    names = tuple(f"x{n}" for n in range(7))
    topic = Topic("deep", 4, tuple(Int(name, 0, 2**32 - 1) for name in names), names)
    source = LeaseSource()
    source.lease = lambda *_: Terms(1, 4, names, 100.0, 1.0, source.seal)
    with PublisherLease(source, "a6") as lease:
        publisher = Publisher(lease.begin(topic), "", memory, plan, "a6", lease=lease)
        for values in ((0,) * 7, (2**32 - 1,) * 7, range(2**28, 2**31, 2**28)):
            for source.seal in (None, FIRST):
                lease.renew(publisher)
                publisher.publish(dict(zip(names, values, strict=True)))
    plain_to, sealed_to = ([target for target, _ in memory.sent[n::2]] for n in (0, 1))
    assert plain_to == sealed_to and len(set(plain_to)) == 3
    assert "ff0e:4:ffff:ffff:ffff:ffff:ffff:ffff" in plain_to
    assert [data[1] for _, data in memory.sent] == [0x11, 0x14] * 3


def test_a_seal_takes_its_room_from_the_largest_event(memory, plan):
    topic = Topic("notes", 4, (String("note"),))
    source = LeaseSource()
    source.lease = lambda *_: Terms(1, 4, ("note",), 100.0, 1.0, source.seal)
    with PublisherLease(source, "a6") as lease:
        publisher = Publisher(lease.begin(topic), "", memory, plan, "a6", lease=lease)
        room = MAX_PAYLOAD - 22 - len(origin_bytes(4, "a6")) - 2
        publisher.publish({"note": "x" * room})
        source.seal = FIRST
        lease.renew(publisher)
        with pytest.raises(Refused, match="at most 1180 bytes"):
            publisher.publish({"note": "x" * room})
        publisher.publish({"note": "x" * (room - SEAL_BYTES)})
        assert [len(data) for _, data in memory.sent] == [MAX_PAYLOAD, MAX_PAYLOAD]
