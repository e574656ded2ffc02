"""Hosts that speak for themselves: control messages over real switches, and what they come to."""

import dataclasses
import shutil
import tempfile
from contextlib import ExitStack, contextmanager
from pathlib import Path

import control_world as world
import pytest
from test_real_switches import HOSTS, Platform

from controlplane.control.models import Request
from controlplane.network.models import Host
from controlplane.registry.models import Advertisement, Subscription
from tercast.addressing import AddressPlan
from tercast.client.inband import Signaller
from tercast.client.publisher import Publisher
from tercast.client.subscriber import Subscriber
from tercast.client.transports import FabricPort
from tercast.eventspace import Topic
from tercast.signalling.messages import PORT, Status

pytestmark = pytest.mark.fabric

TOPIC = Topic.from_json({"name": "quotes", "code": 4, "attributes": world.ATTRIBUTES, "indexed": ["low"]})
PATIENCE = 60.0


@pytest.fixture
def platform(transactional_db, settings):
    folder = Path(tempfile.mkdtemp(prefix="tc-", dir="/tmp"))
    running = Platform(folder)
    settings.ENV = dataclasses.replace(settings.ENV, state_dir=folder / "state")
    try:
        running.start()
        world.line(3)
        final = ("active", "failed")
        running.until(lambda: not Request.objects.exclude(state__in=final).exists(), "the network")
        yield running
    finally:
        running.stop()
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def at(platform, name, port=7373, ip=None, mac=None):
    """The host's port of the fabric."""
    host = HOSTS[name]
    with FabricPort(platform.fabric.host_socket(name), ip or host["ip"], mac or host["mac"], port) as way:
        yield way


def test_a_host_subscribes_another_advertises_and_both_withdraw(platform):
    with ExitStack() as stack:
        asks = {
            name: Signaller(stack.enter_context(at(platform, name, PORT)), HOSTS[name]["ip"])
            for name in ("h1", "h3")
        }
        wanted = asks["h3"].subscribe("quotes", "low < 512", PATIENCE)
        assert (wanted.status, wanted.code, wanted.unmatched) == (Status.DONE, 4, True)
        announced = asks["h1"].advertise("quotes", "true", PATIENCE)
        assert (announced.name, announced.code) == (f"a{Advertisement.objects.get().pk}", 4)
        assert platform.own_entries() == {"s1": 1, "s2": 1, "s3": 1}

        subscription = Subscription.objects.get()
        assert (subscription.filter, subscription.state, subscription.by_dz) == ("low < 512", "active", False)
        assert (subscription.subscriber.host.name, subscription.subscriber.origin) == ("h3", "in-band")

        receiver = Subscriber({wanted.name: "low < 512"}, TOPIC, stack.enter_context(at(platform, "h3")))
        sender = stack.enter_context(at(platform, "h1"))
        publisher = Publisher(TOPIC, "true", sender, AddressPlan.default("ipv6"), announced.name)
        seq = publisher.publish({"low": 92})
        delivery = receiver.receive(30)
        assert (delivery.event.seq, delivery.event.values) == (seq, {"low": 92})

        assert asks["h3"].withdraw(wanted.name, PATIENCE).status is Status.DONE
        assert asks["h1"].withdraw(announced.name, PATIENCE).status is Status.DONE
    assert platform.own_entries() == {"s1": 0, "s2": 0, "s3": 0}
    assert Host.objects.count() == 3
