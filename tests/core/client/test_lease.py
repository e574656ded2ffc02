"""Leases: a publisher follows the encoding of the platform, and stops without an answer in time."""

import threading

import pytest

from tercast.client.lease import MARGIN_S, PublisherLease, Terms
from tercast.client.publisher import Publisher
from tercast.eventspace.address_plan import AddressPlan
from tercast.eventspace.topic import Topic
from tercast.wire.errors import ApiError, LeaseLapsed

PAIR = Topic.from_json(
    {
        "name": "pairs",
        "code": 4,
        "attributes": [{"name": name, "type": "int", "min": 0, "max": 3} for name in "xy"],
        "indexed": ["x"],
    }
)
FIRST, SECOND = (1, 4, ("x",)), (2, 5, ("y",))


class Platform:
    """A source with one encoding and leases of 10 seconds; it records the requests."""

    def __init__(self):
        self.encoding = FIRST
        self.asked = []
        self.released = []
        self.away = False
        self.answered = threading.Event()

    def lease(self, advertisement, holder, version):
        if self.away:
            raise ApiError("it does not answer")
        self.asked.append((advertisement, holder, version))
        self.answered.set()
        return Terms(*self.encoding, 10.0, 0.01)

    def release(self, advertisement, holder):
        self.released.append((advertisement, holder))


class Way:
    def __init__(self):
        self.sent = []

    def send(self, target, payload):
        self.sent.append(target)


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def kept():
    """Return a publisher with a lease, which only the test renews."""
    platform, way, clock = Platform(), Way(), Clock()
    lease = PublisherLease(platform, "a1", clock)
    publisher = Publisher(lease.begin(PAIR), "", way, AddressPlan.default("ipv6"), "a1", lease=lease)
    return platform, way, clock, lease, publisher


def test_it_changes_over_and_confirms_before_it_asks_no_more(kept):
    platform, way, _, lease, publisher = kept
    publisher.publish({"x": 3, "y": 0})
    platform.encoding = SECOND
    lease.renew(publisher)
    publisher.publish({"x": 3, "y": 0})
    assert way.sent == ["ff0e:4:c000::", "ff0e:5::"]
    assert [version for _, _, version in platform.asked] == [None, 1, 2]
    assert len({holder for _, holder, _ in platform.asked}) == 1
    assert lease.version == 2 and publisher.topic.indexed == ("y",)


def test_nothing_is_sent_when_the_lease_is_over_and_again_when_it_is_not(kept):
    platform, way, clock, lease, publisher = kept
    clock.now += 10.0 - MARGIN_S
    publisher.publish({"x": 0, "y": 0})
    clock.now += 0.01
    with pytest.raises(LeaseLapsed, match="the lease of a1 has expired"):
        publisher.publish({"x": 0, "y": 0})
    platform.away = True
    with pytest.raises(ApiError):
        lease.renew(publisher)
    with pytest.raises(LeaseLapsed):
        publisher.publish({"x": 0, "y": 0})
    platform.away = False
    lease.renew(publisher)
    publisher.publish({"x": 0, "y": 0})
    assert len(way.sent) == 2


def test_the_time_of_a_lease_begins_with_the_question(kept):
    platform, _, clock, lease, publisher = kept
    answer = platform.lease

    def slowly(*asked):
        clock.now += 9.0
        return answer(*asked)

    platform.lease = slowly
    lease.renew(publisher)
    clock.now += 0.6
    with pytest.raises(LeaseLapsed):
        publisher.publish({"x": 0, "y": 0})


def test_a_thread_keeps_it_until_it_is_closed():
    platform, way = Platform(), Way()
    with PublisherLease(platform, "a1") as lease:
        publisher = Publisher(lease.begin(PAIR), "", way, AddressPlan.default("ipv6"), "a1", lease=lease)
        lease.keep(publisher)
        platform.away = True
        platform.encoding = SECOND
        platform.answered.clear()
        platform.away = False
        followed = threading.Event()
        follow = publisher.follow

        def known(topic):
            follow(topic)
            followed.set()

        publisher.follow = known
        assert followed.wait(30)
    assert publisher.topic.code == 5
    assert platform.released == [("a1", platform.asked[0][1])]
    with pytest.raises(LeaseLapsed):
        publisher.publish({"x": 0, "y": 0})
    assert way.sent == []
