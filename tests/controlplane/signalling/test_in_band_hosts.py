"""Hosts that speak for themselves: control messages over real switches, and what they come to."""

import dataclasses
import json
import signal
import sys
import time
from base64 import b64encode
from contextlib import ExitStack, contextmanager

import pytest

from controlplane.network.models import Host, Port
from controlplane.registry.models import Advertisement, Subscription
from controlplane.requestlog import checkpoints
from controlplane.requestlog.models import OutboxEvent, Request
from controlplane.signalling import keys
from controlplane.signalling.models import HostSignals, RefusedCount
from controlplane.signalling.poll_loop import DROPPED
from tercast.client.host_key import HostKey
from tercast.client.inband import Signaller
from tercast.client.inband_lease import InBandLeaseSource
from tercast.client.lease import PublisherLease
from tercast.client.publisher import Publisher
from tercast.client.subscriber import Subscriber
from tercast.client.transports import FabricPort
from tercast.eventspace.address_plan import SIGNALLING, AddressPlan
from tercast.eventspace.topic import Topic
from tercast.signalling.codec import encode_message
from tercast.signalling.messages import PORT, ControlMessage, FilterText, MessageType, ReplyStatus
from tercast.signalling.seal import Seal
from tests.support.controlplane import network_world as world
from tests.support.controlplane.platform_on_switches import HOSTS, running
from tests.support.controlplane.topic_migrations import reindex, state
from tests.support.controlplane.worker_processes import Process, worker

pytestmark = pytest.mark.fabric

TOPIC = Topic.from_json({"name": "quotes", "code": 4, "attributes": world.ATTRIBUTES, "indexed": ["low"]})
PATIENCE = 180.0


@pytest.fixture
def platform(transactional_db, settings):
    with running() as platform:
        settings.ENV = dataclasses.replace(settings.ENV, state_dir=platform.folder / "state")
        world.line(3)
        final = ("active", "failed")
        platform.until(lambda: not Request.objects.exclude(state__in=final).exists(), "the network")
        yield platform


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
        assert (wanted.status, wanted.code, wanted.unmatched) == (ReplyStatus.DONE, 4, True)
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

        assert asks["h3"].withdraw(wanted.name, PATIENCE).status is ReplyStatus.DONE
        assert asks["h1"].withdraw(announced.name, PATIENCE).status is ReplyStatus.DONE
    assert platform.own_entries() == {"s1": 0, "s2": 0, "s3": 0}
    assert Host.objects.count() == 3


@pytest.mark.full
def test_an_in_band_publisher_changes_to_cuts_without_a_lost_event(platform):
    cuts = [["low", 92], 3, ["low", 200], 5, ["low", 512], 1, 1]
    with ExitStack() as stack:
        asks = {
            name: Signaller(stack.enter_context(at(platform, name, PORT)), HOSTS[name]["ip"])
            for name in ("h1", "h3")
        }
        wanted = asks["h3"].subscribe("quotes", "low in [92, 199]", PATIENCE)
        announced = asks["h1"].advertise("quotes", "true", PATIENCE)
        receiver = Subscriber(
            {wanted.name: "low in [92, 199]"}, TOPIC, stack.enter_context(at(platform, "h3"))
        )
        sender = stack.enter_context(at(platform, "h1"))
        lease = stack.enter_context(PublisherLease(InBandLeaseSource(asks["h1"], TOPIC), announced.name))
        plan = AddressPlan.default("ipv6")
        publisher = Publisher(lease.begin(TOPIC), "true", sender, plan, announced.name, lease=lease)
        request = reindex("low", topic="quotes", cuts=cuts)

        def changed() -> bool:
            seq = publisher.publish({"low": 92})
            delivery = receiver.receive(30)
            assert delivery is not None and delivery.event.seq == seq
            lease.renew(publisher)
            return state(request) == "active"

        platform.until(changed, "the change")
        assert lease.version == 2 and publisher.topic.cuts.to_json(TOPIC.attributes) == cuts
        assert changed() and not reasons()
    assert platform.own_entries() == {"s1": 1, "s2": 1, "s3": 1}


def reasons():
    return dict(RefusedCount.objects.values_list("reason", "count"))


def subscribe(number, text, seal=None, confirm=False):
    return encode_message(
        ControlMessage(MessageType.SUBSCRIBE, number, FilterText("quotes", text), confirm), seal
    )


def counted(platform, n, reason):
    platform.until(lambda: reasons().get(reason, 0) >= n, f"the {n}th {reason}")


@pytest.mark.full
def test_forged_replayed_cut_and_overlong_messages_change_nothing_over_any_kill(platform, tmp_path):
    """Over real switches; also after the worker and the controller are killed, and during a flood."""
    _, key = keys.give(Host.objects.get(name="h1"))
    (tmp_path / "key").write_text(b64encode(key).decode())
    (tmp_path / "key").chmod(0o600)
    with at(platform, "h1", PORT) as way, at(platform, "h2", PORT) as other:
        asks = Signaller(way, HOSTS["h1"]["ip"], HostKey(tmp_path / "key"))
        assert asks.subscribe("quotes", "low < 100", PATIENCE).status is ReplyStatus.DONE
        good = _subscribed_by_hand(platform, way, key)

        def hostile():
            later = Seal(bytes(32), 2**62)
            bad = [subscribe(2, "low < 300", later), subscribe(3, "low < 300")]
            bad.append(subscribe(4, "low < 300", later)[:-1])
            for payload in (*bad, b"T", good[:20], good + bytes(1200)):
                way.send(SIGNALLING["ipv6"], payload)
            other.send(SIGNALLING["ipv6"], good)  # the seal is another host's

        before = list(Request.objects.values_list("id", flat=True))
        hostile()
        counted(platform, 1, "no_key")
        for reason in ("forged", "seal_needed", "truncated"):
            counted(platform, 1, reason)

        platform.worker.popen.kill()
        assert platform.worker.died() == -signal.SIGKILL
        platform.controller.popen.kill()
        assert platform.controller.died() == -signal.SIGKILL
        platform.start_controller()
        platform.worker = worker(platform.env, platform.folder / "worker.log")
        replay = subscribe(9, "low < 400", Seal(key, HostSignals.objects.get(host__name="h1").counter))
        platform.until(lambda: _again(way, replay, "replayed"), "the replay to be refused")
        hostile()
        counted(platform, 2, "no_key")
        assert list(Request.objects.values_list("id", flat=True)) == before
        assert Subscription.objects.count() == 2
        assert OutboxEvent.objects.filter(kind="alarm").count() >= 1

        # a flood from one port; another port's host is served all the same
        for n in range(2000):
            way.send(SIGNALLING["ipv6"], subscribe(n, "low < 500"))
        served = Signaller(other, HOSTS["h2"]["ip"]).subscribe("quotes", "low < 7", PATIENCE)
        assert served.status is ReplyStatus.DONE
        assert sum(reasons().values()) < 400
        # and so is the flooded one, when it is over
        assert (
            asks.withdraw(f"q{Subscription.objects.order_by('id').first().pk}", PATIENCE).status
            is ReplyStatus.DONE
        )
    assert list(Request.objects.exclude(state="active")) == []


def _subscribed_by_hand(platform, way, key):
    """Send a second subscription every 10 s, with a new seal, until it is active; return the last message."""
    sent: list[tuple[float, bytes]] = []

    def subscribed() -> bool:
        if not sent or time.monotonic() - sent[-1][0] > 10:
            counter = HostSignals.objects.get(host__name="h1").counter + 1
            sent.append((time.monotonic(), subscribe(1, "low < 200", Seal(key, counter))))
            way.send(SIGNALLING["ipv6"], sent[-1][1])
        return Subscription.objects.filter(state="active").count() == 2

    platform.until(subscribed, "the subscription")
    return sent[-1][1]


def _again(way, payload, reason):
    """Sends it, and looks whether it has been refused for the reason."""
    way.send(SIGNALLING["ipv6"], payload)
    return reason in reasons()


NOBODIES = [
    {"mac": mac, "ip": "fd00::77"} for mac in ("ff:ff:ff:ff:ff:ff", "00:00:00:00:00:00", "33:33:00:00:00:01")
] + [{"mac": "02:00:00:00:00:77", "ip": ip} for ip in ("::", "ff02::1")]


def dropped(reason):
    return checkpoints.recall(DROPPED, {}).get("dropped", {}).get(reason)


@pytest.mark.full
def test_a_sender_whom_nobody_could_answer_keeps_no_host_from_its_answer(platform):
    for nobody in NOBODIES:
        with at(platform, "h1", PORT, **nobody) as way:
            way.send(SIGNALLING["ipv6"], subscribe(1, "low < 100"))
    with at(platform, "h2", PORT) as way:
        served = Signaller(way, HOSTS["h2"]["ip"]).subscribe("quotes", "low < 7", PATIENCE)
    assert served.status is ReplyStatus.DONE
    platform.until(lambda: dropped("sender_mac") == 3 and dropped("sender_address") == 2, "the counts")
    assert Host.objects.count() == 3 and Subscription.objects.count() == 1 and not reasons()


@pytest.mark.full
def test_a_replay_at_another_port_moves_no_host_that_has_a_key_while_its_own_is_down(platform):
    _, key = keys.give(Host.objects.get(name="h1"))
    good = subscribe(1, "low < 200", Seal(key, 1))
    with at(platform, "h1", PORT) as way:
        way.send(SIGNALLING["ipv6"], good)
        platform.until(lambda: Subscription.objects.filter(state="active").exists(), "the subscription")
    platform.fabric.ofctl("s1", "mod-port", "3", "down")
    platform.until(
        lambda: Port.objects.filter(switch__name="s1", number=3, up=False).exists(), "the port to be down"
    )
    with at(platform, "h3", PORT, HOSTS["h1"]["ip"], HOSTS["h1"]["mac"]) as thief:
        thief.send(SIGNALLING["ipv6"], good)
        counted(platform, 1, "replayed")
    row = Host.objects.get(name="h1")
    assert (row.switch.name, row.port) == ("s1", 3)
    assert not Request.objects.filter(kind="host_move").exists()


def test_the_commands_announce_in_band_without_the_api(platform, tmp_path):
    """By an unregistered host, at a port of its own, and by one with a key."""
    scenario = tmp_path / "net.json"
    topic = {**TOPIC.to_json(), "code": 40}  # the platform sends its code in band
    scenario.write_text(json.dumps({"format": "scenario/1", "topics": [topic], "topology": {"hosts": []}}))
    _, key = keys.give(Host.objects.get(name="h1"))
    (tmp_path / "key").write_text(b64encode(key).decode())
    (tmp_path / "key").chmod(0o600)

    def command(name, host, ip, mac, *more):
        where = ["--fabric-port", str(platform.fabric.host_socket(host)), "--as", f"{ip},{mac}"]
        common = ["--scenario", str(scenario), "--in-band", "--topic", "quotes", "--patience", "60"]
        return [sys.executable, "-m", "tercast.client", name, *where, *common, *more]

    stranger = ("h3", "fd00::77", "02:00:00:00:00:77")
    listener = Process(
        command("listen", *stranger, "--filter", "low < 100", "--json", "--count", "1"),
        platform.env,
        tmp_path / "listen.log",
    )
    with listener:
        platform.until(lambda: Subscription.objects.filter(state="active").exists(), "the subscription")
        sealed = ["--key-file", str(tmp_path / "key"), "--value", "low=92"]
        owner = (HOSTS["h1"]["ip"], HOSTS["h1"]["mac"])
        with Process(
            command("publish", "h1", *owner, *sealed), platform.env, tmp_path / "publish.log"
        ) as publisher:
            assert publisher.died() == 0, publisher.log.read_text()
        assert listener.died() == 0, listener.log.read_text()
    name = f"a{Advertisement.objects.get().pk}"
    assert f"published 1 event of {name} from fd00::1" in (tmp_path / "publish.log").read_text()
    (event,) = [line for line in listener.log.read_text().splitlines() if '"values"' in line]
    assert (json.loads(event)["values"], json.loads(event)["publisher"]) == ({"low": 92}, name)
    row = Host.objects.get(ip="fd00::77")
    assert (row.name, row.switch.name, row.port, row.signals.in_band) == ("host-020000000077", "s3", 3, True)
    platform.until(lambda: not any(platform.own_entries().values()), "the withdrawals")
    assert {*Advertisement.objects.values_list("state", flat=True)} == {"withdrawn"}

    with Process(
        command("listen", *stranger, "--filter", "high < 1"), platform.env, tmp_path / "bad.log"
    ) as bad:
        assert bad.died() == 2 and "high" in bad.log.read_text()
    wrong = [*sealed[:1], str(tmp_path / "other"), *sealed[2:]]
    (tmp_path / "other").write_text(b64encode(bytes(32)).decode())
    (tmp_path / "other").chmod(0o600)
    quick = ["--patience", "3"]
    with Process(
        command("publish", "h1", *owner, *wrong, *quick), platform.env, tmp_path / "wrong.log"
    ) as refused:
        assert refused.died() == 2 and "check the key" in refused.log.read_text()
