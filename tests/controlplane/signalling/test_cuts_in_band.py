"""In-band publishers of a topic with cuts: they read the cuts in parts, and change to new ones."""

import random

import pytest

from controlplane.deployment import session
from controlplane.network.models import Host
from controlplane.registry import topics
from controlplane.registry.encoding import core_topic
from controlplane.registry.models import Advertisement, Topic
from controlplane.registry.transitions.models import Encoding, Lease, Move
from controlplane.requestlog.models import OutboxEvent
from controlplane.signalling import handler
from controlplane.signalling.host_datagram import HostDatagram
from tercast.client import inband_lease
from tercast.client.inband import Signaller
from tercast.client.inband_lease import InBandLeaseSource
from tercast.client.lease import PublisherLease
from tercast.client.publisher import Publisher
from tercast.eventspace.address_plan import AddressPlan
from tercast.signalling.codec import decode_answer, decode_message
from tercast.signalling.messages import MAX_PART, CutReader, RunningPublisher
from tercast.wire.errors import ApiError
from tests.support.controlplane import network_world as world
from tests.support.controlplane.topic_migrations import lapse, reindex, state, times  # noqa: F401 - a fixture
from tests.support.queued_transport import QueuedTransport

PLAN = AddressPlan.default("ipv6")


class HostLink(QueuedTransport):
    """Sends the messages of h1 to the platform, and stores the answers; no network between them."""

    def __init__(self):
        super().__init__()
        self.asked, self.answered, self.events = [], [], []
        self.before_answer = lambda: None

    def send(self, dst_ip, payload):
        if payload[1] != 0x12:
            self.events.append(dst_ip)
            return
        self.asked.append(decode_message(payload).message.body)
        self.before_answer()
        where = {"dpid": world.dpid(1), "port": 3, "mac": "02:00:00:00:00:01", "ip": "fd00::1"}
        out = handler.handle(HostDatagram(**where, udp_port=7374, payload=payload))
        if out is not None:
            self.waiting.append(out["payload"])
            self.answered.append(decode_answer(out["payload"]).answer)
            session.run()


@pytest.fixture
def link(network, times):
    return HostLink()


def many_cuts(count, seed=7):
    """Draw a tree of about so many cuts over `low`, 0 to 1023."""
    rng = random.Random(seed)

    def tree(low, high, left):
        if left <= 0 or high - low < 2:
            return [rng.randrange(1000)]
        at = rng.randrange(low + (high - low + 2) // 3, high - (high - low) // 3)
        return [["low", at], *tree(low, at, (left - 1) // 2), *tree(at, high, left - 1 - (left - 1) // 2)]

    return tree(0, 1024, count)


def advertised(link, text=""):
    """Advertise in band as h1; return the publisher's lease."""
    asks = Signaller(link, "fd00::1")
    name = asks.advertise("quotes", text).name
    return PublisherLease(InBandLeaseSource(asks, core_topic(Topic.objects.get(name="quotes"))), name)


def publisher_of(lease, link):
    topic = lease.begin(core_topic(Topic.objects.get(name="quotes")).with_cuts([]))
    return Publisher(topic, "true", link, PLAN, lease.advertisement, lease=lease)


def sends_as_planned(publisher, link):
    """Whether events go to the addresses of the planned topic, at every seventh value."""
    planned = core_topic(Topic.objects.get(name="quotes")).with_code(publisher.topic.code)
    for low in range(0, 1024, 7):
        publisher.publish({"low": low})
        assert link.events[-1] == PLAN.event_address(
            planned.code, planned.event_dz({"low": low}, PLAN.dz_room)
        )
    return True


def test_a_publisher_reads_the_cuts_in_parts(link):
    cuts = many_cuts(400)
    request = reindex("low", topic="quotes", cuts=cuts)
    session.run()
    assert state(request) == "active"
    lease = advertised(link)
    publisher = publisher_of(lease, link)
    parts = [answer.cuts for answer in link.answered if answer.cuts is not None]
    assert len(parts) > 2 and [part.position for part in parts] == list(range(0, parts[0].size, MAX_PART))
    assert publisher.topic.cuts.to_json(publisher.topic.attributes) == cuts
    assert sends_as_planned(publisher, link)
    before = len(link.asked)
    assert lease.renew(publisher) > 0
    assert len(link.asked) == before + 1 and link.answered[-1].cuts is None  # nothing is sent twice
    lease.close()
    assert not Lease.objects.exists()


def test_a_running_publisher_changes_to_new_cuts_and_back(link):
    lease = advertised(link)
    publisher = publisher_of(lease, link)
    assert Lease.objects.get().reads_cuts
    for number, cuts in enumerate((many_cuts(200), many_cuts(90, seed=8), []), 2):
        request = reindex("low", topic="quotes", cuts=cuts)
        session.run()
        assert state(request) == "deploying" and Move.objects.latest("pk").stage == "telling"
        lease.renew(publisher)
        session.run()
        assert state(request) == "active" and lease.version == number
        assert publisher.topic.cuts.to_json(publisher.topic.attributes) == cuts
        assert sends_as_planned(publisher, link)


def test_cuts_that_change_while_they_are_read_are_read_again(link):
    first, second = many_cuts(400), many_cuts(300, seed=9)
    topic = Topic.objects.get(name="quotes")
    fields = {"version": 2, "code": 5, "indexed": ["low"], "cuts": first}
    lease = advertised(link)
    Encoding.objects.update_or_create(topic=topic, defaults=fields)
    seen = []

    def change():
        if isinstance(link.asked[-1], CutReader) and link.asked[-1].position and not seen:
            seen.append(Encoding.objects.update(version=3, code=4, cuts=second))

    link.before_answer = change
    publisher = publisher_of(lease, link)
    assert seen and lease.version == 3
    assert publisher.topic.cuts.to_json(publisher.topic.attributes) == second


def test_a_publisher_asks_again_for_cuts_after_a_silence(link, monkeypatch):
    """A platform of an earlier release does not answer; a topic with cuts shows that this one does."""
    monkeypatch.setattr(inband_lease, "TRIAL_PATIENCE", 0.0)
    lease = advertised(link)
    publisher = publisher_of(lease, link)
    assert isinstance(link.asked[-1], RunningPublisher) and not Lease.objects.get().reads_cuts
    topic = Topic.objects.get(name="quotes")
    cuts = many_cuts(5)
    Encoding.objects.update_or_create(
        topic=topic, defaults={"version": 2, "code": 5, "indexed": ["low"], "cuts": cuts}
    )
    lease.renew(publisher)
    assert lease.version == 2 and publisher.topic.cuts.to_json(publisher.topic.attributes) == cuts
    assert isinstance(link.asked[-1], CutReader) and Lease.objects.get().reads_cuts


def test_a_publisher_with_other_attributes_gets_an_error_and_no_cuts(link):
    reindex("low", topic="quotes", cuts=many_cuts(5))
    session.run()
    other = core_topic(Topic.objects.get(name="quotes")).to_json()
    other = {**other, "attributes": [{**other["attributes"][0], "max": 3}], "cuts": []}
    asks = Signaller(link, "fd00::1")
    source = InBandLeaseSource(asks, type(core_topic(Topic.objects.get())).from_json(other))
    name = asks.advertise("quotes", "").name
    with pytest.raises(ApiError, match="same attributes"):
        source.lease(name, "me", None)


def test_only_running_publishers_that_do_not_read_cuts_prevent_them(link):
    row = Topic.objects.get(name="quotes")
    lease = advertised(link)
    publisher_of(lease, link)
    assert topics.publishers_without_cuts(row) == 0
    Lease.objects.update(reads_cuts=False)
    assert topics.publishers_without_cuts(row) == 1
    lapse()
    assert topics.publishers_without_cuts(row) == 0
    lease.close()
    assert topics.publishers_without_cuts(row) == 0
    assert Advertisement.objects.get().state == "active" and Host.objects.count() == 3
    assert not OutboxEvent.objects.filter(kind="alarm").exists()
