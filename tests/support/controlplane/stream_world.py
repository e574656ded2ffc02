"""Publishers with leases and stable subscribers on a fabric that carries packets, during requests.

The planner session runs in the process of the test, between requests. Switches and controller are real.
"""

import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

from django.db import connection, transaction

from controlplane.deployment import session
from controlplane.network.controller_client import ControllerClient, NorthboundError
from controlplane.network.models import Host
from controlplane.registry.models import Advertisement, Publisher, Subscriber, Subscription, Topic
from controlplane.registry.transitions import leases
from controlplane.registry.transitions.models import Move
from controlplane.requestlog.append import LogEntry, submit
from controlplane.requestlog.models import FINAL_STATES, Request
from mininet_labs.fabric import Fabric
from tercast.client.lease import PublisherLease, Terms
from tercast.client.publisher import Publisher as Sender
from tercast.client.subscriber import Subscriber as Receiver
from tercast.client.transports import FabricPort
from tercast.eventspace.address_plan import AddressPlan
from tercast.eventspace.topic import Topic as CoreTopic
from tests import waiting as waits
from tests.support.controlplane import network_world as world
from tests.support.controlplane.worker_processes import Process, environment, wait_until
from tests.support.ports import free_port

SIZE = 8
ATTRIBUTES = [{"name": name, "type": "int", "min": 0, "max": SIZE - 1} for name in "xy"]
SWITCHES = range(1, 7)
RING = [("s1", 1, "s2", 2), ("s2", 1, "s3", 2), ("s3", 1, "s4", 2), ("s4", 1, "s1", 2), ("s1", 4, "s3", 4)]
STUB = [("s5", 1, "s6", 2)]
BRIDGES = [("s2", 5, "s5", 5), ("s4", 5, "s6", 5)]
"""Links between the two parts, which fail and recover."""

HOMES = {n: n for n in SWITCHES} | {7: 1, 8: 3, 9: 6}
"""The switch of each host; hosts 7 to 9 are added while events flow."""

PUBLISHERS = {"h1": "main", "h3": "main", "h5": "stub"}
STABLE = {"h2": ("main", "true"), "h4": ("main", "x < 4 and y < 6"), "h6": ("stub", "y >= 2")}
"""Subscriptions that stay, each with the part of the network that is always connected to its publishers."""

EVENTS_PER_SECOND = 60.0
QUIET_SECONDS = 1.5


def ip_of(n: int) -> str:
    return f"fd00::{n:x}"


def mac_of(n: int) -> str:
    return f"02:00:00:00:00:{n:02x}"


TOPOLOGY = {
    "switches": [{"id": f"s{n}", "dpid": world.dpid(n)} for n in SWITCHES],
    "links": [
        {"a": a, "a_port": a_port, "b": b, "b_port": b_port} for a, a_port, b, b_port in RING + STUB + BRIDGES
    ],
    "hosts": [
        {"id": f"h{n}", "switch": f"s{at}", "port": 20 + n, "ip": ip_of(n), "mac": mac_of(n)}
        for n, at in HOMES.items()
    ],
}


class LeaseSource:
    """Leases directly from the services of the control plane, requested often."""

    def lease(self, advertisement: str, holder: str, version: int | None) -> Terms:
        try:
            row = leases.hold(int(advertisement[1:]), holder, version)
        finally:
            connection.close()
        indexed, cuts = tuple(row["indexed"]), row["cuts"]
        return Terms(row["version"], row["code"], indexed, row["expires_in"], 0.1, cuts=cuts)

    def release(self, advertisement: str, holder: str) -> None:
        leases.release(int(advertisement[1:]), holder)
        connection.close()


class Stage:
    """The fabric and its controller; requests are logged and carried out here."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.openflow, self.northbound = free_port(), free_port()
        self.url = f"http://127.0.0.1:{self.northbound}"
        target = f"tcp:127.0.0.1:{self.openflow}"
        self.fabric = Fabric(folder / "f", TOPOLOGY, controllers=[target], links="joined")
        self.env = environment(folder / "state", self.url)
        self.folder, self.options = folder, options
        self.controller: Process | None = None

    def start(self) -> None:
        self.fabric.start()
        where = ["--openflow", f"127.0.0.1:{self.openflow}", "--northbound", f"127.0.0.1:{self.northbound}"]
        token = ["--token-file", str(self.folder / "state/secrets/northbound-token")]
        arguments = [sys.executable, "-m", "controller_app", *where, *token, *self.options]
        self.controller = Process(arguments, self.env, self.folder / "controller.log")
        wait_until(self._connected, "all switches to connect", self.controller)

    def _connected(self) -> bool:
        try:
            with ControllerClient() as northbound:
                return len(northbound.switches()) == len(SWITCHES)
        except NorthboundError:
            return False

    def stop(self) -> None:
        if self.controller is not None:
            self.controller.__exit__()
        self.fabric.stop()

    def build(self) -> None:
        """Create all switches, the two parts of the network, a topic, and stable subscribers."""
        for n in SWITCHES:
            world.add_switch(n)
        for ends in RING + STUB:
            world.add_link(*ends)
        for n in SWITCHES:
            world.add_host(n, f"s{n}", 20 + n)
        add_topic()
        for host in PUBLISHERS:
            announce("advertise", host, "true")
        for host, (_, wanted) in STABLE.items():
            announce("subscribe", host, wanted)
        self.settled("the network")

    def work(self) -> None:
        session.run()

    def settled(self, what: str) -> None:
        """Run sessions until no request waits."""
        waiting = Request.objects.exclude(state__in=FINAL_STATES)

        def is_done() -> bool:
            self.work()
            return not waiting.exists()

        def rows() -> str:
            return f"{what}: {list(waiting.values_list('pk', 'kind', 'state', 'waits_for', 'problem'))}"

        waits.wait_until(rows, is_done)


@transaction.atomic
def add_topic() -> Topic:
    topic = {"name": "points", "code": 4, "indexed": ["x", "y"], "attributes": ATTRIBUTES}
    (request,) = submit([LogEntry({"op": "add_topic", "topic": topic})])
    return Topic.objects.create(
        name="points", code=4, attributes=ATTRIBUTES, indexed=["x", "y"], request=request
    )


@transaction.atomic
def announce(op: str, host: str, wanted: str) -> Any:
    model: Any = Advertisement if op == "advertise" else Subscription
    people: Any = Publisher if op == "advertise" else Subscriber
    who, _ = people.objects.get_or_create(name=f"{op}-{host}", defaults={"host": Host.objects.get(name=host)})
    pk = (model.objects.order_by("-pk").values_list("pk", flat=True).first() or 0) + 1
    name = f"{'a' if op == 'advertise' else 'q'}{pk}"
    payload = {"op": op, "id": name, "host": host, "topic": "points", "filter": wanted}
    (request,) = submit([LogEntry(payload)])
    owner = {"publisher" if op == "advertise" else "subscriber": who}
    topic = Topic.objects.get(name="points")
    return model.objects.create(pk=pk, filter=wanted, dz=[], topic=topic, request=request, **owner)


class Stream:
    """Events of all publishers at a steady rate, and their deliveries to all hosts."""

    def __init__(self, stage: Stage, seed: int) -> None:
        topic = Topic.objects.get(name="points")
        self.topic = CoreTopic.from_json(
            {"name": topic.name, "code": topic.code, "attributes": ATTRIBUTES, "indexed": topic.indexed}
        )
        self.random = Random(seed)
        self.ports = {
            f"h{n}": FabricPort(str(stage.fabric.host_socket(f"h{n}")), ip_of(n), mac_of(n)) for n in HOMES
        }
        self.sent: list[tuple[str, int, dict[str, int]]] = []
        self.times: dict[tuple[str, int], float] = {}
        self.got: dict[str, Counter[tuple[str, int]]] = {host: Counter() for host in self.ports}
        self.codes: Counter[int] = Counter()
        self._stop, self._ended = threading.Event(), threading.Event()
        self._heard = time.monotonic()

    @contextmanager
    def flowing(self) -> Iterator["Stream"]:
        """Run the block while events flow; afterwards all sent events have arrived."""
        readers = [threading.Thread(target=self._read, args=(host,)) for host in self.ports]
        sender = threading.Thread(target=self._send)
        for thread in (*readers, sender):
            thread.start()
        try:
            yield self
        finally:
            self._stop.set()
            sender.join()
            while time.monotonic() - self._heard < QUIET_SECONDS:
                time.sleep(0.05)
            self._ended.set()
            for thread in readers:
                thread.join()
            for port in self.ports.values():
                port.close()

    def _send(self) -> None:
        ads = {row.publisher.host.name: row.planner_id for row in self._advertisements()}
        connection.close()
        senders = []
        for host in PUBLISHERS:
            lease = PublisherLease(LeaseSource(), ads[host])
            plan = AddressPlan.default("ipv6")
            sender = Sender(lease.begin(self.topic), "true", self.ports[host], plan, ads[host], lease=lease)
            lease.keep(sender)
            senders.append((host, sender, lease))
        due = time.monotonic()
        turn = 0
        while not self._stop.is_set():
            host, sender, _ = senders[turn % len(senders)]
            turn += 1
            values = {name: self.random.randrange(SIZE) for name in "xy"}
            now = time.time()
            self.sent.append((host, sender.publish(values), values))
            self.times[host, self.sent[-1][1]] = now
            self.codes[sender.topic.code] += 1
            due = max(due + 1 / EVENTS_PER_SECOND, time.monotonic() - 0.5)
            self._stop.wait(max(0.0, due - time.monotonic()))
        for _, _, lease in senders:
            lease.close()

    @staticmethod
    def _advertisements() -> Any:
        rows = Advertisement.objects.filter(publisher__host__name__in=PUBLISHERS).order_by("pk")
        return rows.select_related("publisher__host")[: len(PUBLISHERS)]

    def _read(self, host: str) -> None:
        receiver = Receiver({}, self.topic, self.ports[host])
        while not self._ended.is_set():
            delivery = receiver.receive_any(0.2)
            if delivery is not None:
                self.got[host][delivery.event.publisher, delivery.event.seq] += 1
                self._heard = time.monotonic()

    def under_way(self, lost: list[tuple[str, int, str]]) -> list[str]:
        """Return what happened when events were lost, to find the reason."""
        times = [self.times[sender, seq] for sender, seq, _ in lost]
        span = [datetime.fromtimestamp(at, UTC) for at in (min(times) - 0.5, max(times) + 0.5)]
        rows = Request.objects.filter(computed_at__lt=span[1]).exclude(confirmed_at__lt=span[0])
        lines = [f"{len(lost)} lost, from {min(times):.3f} to {max(times):.3f}"]
        lines += [f"{sender} to {host}: {self.times[sender, seq]:.3f}" for sender, seq, host in lost[:20]]
        for row in rows:
            end = row.confirmed_at and row.confirmed_at.timestamp()
            lines.append(f"{row.pk} {row.payload} {row.state} {row.computed_at.timestamp():.3f} to {end}")
        for move in Move.objects.filter(told_at__lt=span[1]).exclude(finish__confirmed_at__lt=span[0]):
            lines.append(f"move for {move.request_id}: reported {move.told_at}, followed {move.followed_at}")
        return lines

    def lost(self) -> list[tuple[str, int, str]]:
        """Return events that a stable subscription did not get although its publisher was connected."""
        names = dict(zip(PUBLISHERS, ("a1", "a2", "a3"), strict=True))
        wants = {
            "h2": lambda values: True,
            "h4": lambda values: values["x"] < 4 and values["y"] < 6,
            "h6": lambda values: values["y"] >= 2,
        }
        return [
            (sender, seq, host)
            for sender, seq, values in self.sent
            for host, (part, _) in STABLE.items()
            if PUBLISHERS[sender] == part and wants[host](values) and not self.got[host][names[sender], seq]
        ]

    def doubled(self) -> list[tuple[str, tuple[str, int], int]]:
        """Return events that a host got more than once."""
        return [(host, key, n) for host, got in self.got.items() for key, n in got.items() if n > 1]
