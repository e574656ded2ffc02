"""Open vSwitch whose tables refuse what is beyond their budgets, under constant traffic."""

import random
import threading
import time

import pytest

from controlplane.deployment import replay_check
from controlplane.requestlog.models import OutboxEvent, Request
from mininet_labs.fabric import FrameSocket
from mininet_labs.fabric.probe import event_frame, event_payload
from tests.support.controlplane import network_world as world
from tests.support.controlplane.platform_on_switches import HOSTS, Platform, running
from tests.support.controlplane.worker_processes import wait_until

pytestmark = pytest.mark.fabric

BUDGET = 4
ONE = {"s1": {"quotes": {"plain": [{"dz": "0", "kept": []}]}}}
"""A single entry for all that is published."""

STABLE = "0000"
"""Wanted by h3 from the first to the last event."""

QUIET_SECONDS = 1.0
"""Without an event for so many seconds, none is in transit."""


class Stream:
    """Events of a region that h1 sends to h3, at a steady pace; each has its number."""

    def __init__(self, platform: Platform) -> None:
        self._socket = platform.fabric.host_socket
        self._stop = threading.Event()
        self.sent = 0
        self.got: list[int] = []
        self._threads = [threading.Thread(target=run) for run in (self._send, self._receive)]

    def __enter__(self) -> "Stream":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _send(self) -> None:
        address = f"ff0e:4:{int(STABLE.ljust(16, '0'), 2):x}::"
        with FrameSocket(self._socket("h1")) as sender:
            while not self._stop.is_set():
                sender.send(event_frame(HOSTS["h1"], address, str(self.sent).encode()))
                self.sent += 1
                time.sleep(0.003)  # the pace of a publisher

    def _receive(self) -> None:
        with FrameSocket(self._socket("h3")) as receiver:
            last = time.monotonic()
            while not self._stop.is_set() or time.monotonic() - last < QUIET_SECONDS:
                frame = receiver.recv(0.25)
                payload = None if frame is None else event_payload(HOSTS["h3"], frame)
                if isinstance(payload, bytes) and payload.isdigit():
                    self.got.append(int(payload))
                    last = time.monotonic()


@pytest.fixture(params=["bundles", pytest.param("single flow-mods", marks=pytest.mark.full)])
def platform(request, transactional_db):
    with running(*(() if request.param == "bundles" else ("--no-bundles",))) as platform:
        yield platform


def done(platform: Platform, what: str) -> None:
    """Wait until every request is active or failed."""
    final = ("active", "failed")
    wait_until(lambda: not Request.objects.exclude(state__in=final).exists(), what, platform.worker)


def reserved(platform: Platform, switch: str) -> int:
    """The entries that are none of the content."""
    return platform.fabric.ofctl(switch, "dump-flows").count("cookie=") - platform.own_entries()[switch]


def test_full_tables_change_while_events_flow(platform):
    world.line(3)
    world.log({"op": "set_aggregation", "method": "la"})
    for switch in ("s1", "s2", "s3"):
        world.log({"op": "set_budget", "switch": switch, "tcam_budget": BUDGET})
    world.advertise("h1", ["0"])
    world.subscribe("h3", [STABLE])
    done(platform, "the first subscription")
    for switch in ("s1", "s2", "s3"):
        platform.fabric.set_capacity(switch, BUDGET + reserved(platform, switch))
    with Stream(platform) as stream:
        wait_until(lambda: len(stream.got) > 50, "events", platform.worker)
        live = []
        for n in range(24):
            cell = f"0{n * 5 % 16:04b}{n % 2}"
            live.append(world.subscribe(f"h{2 + n % 2}", [cell]))
            if len(live) > 6:
                world.withdraw(live.pop(0))
            if n % 6 == 5:
                done(platform, f"the requests up to {n}")
        for budget in (2, 1, BUDGET):  # lowered and raised again
            world.log({"op": "set_budget", "switch": "s2", "tcam_budget": budget})
            done(platform, f"the budget {budget}")
            assert platform.own_entries()["s2"] <= budget
        for covers in (ONE, {"s1": {}}, ONE):  # as runs do, and back
            world.log({"op": "aggregate", "method": "fa-pb", "covers": covers})
            done(platform, "the covers")
            assert platform.own_entries()["s1"] <= BUDGET
        assert platform.own_entries()["s1"] == 1
    assert stream.sent > 300
    assert sorted(stream.got) == list(range(stream.got[0], stream.sent)), "nothing is lost or duplicated"
    assert not list(Request.objects.filter(state="failed"))
    texts = [event.payload["text"] for event in OutboxEvent.objects.filter(kind="alarm")]
    assert not [text for text in texts if "removes old entries" in text]
    before = platform.own_entries()
    assert all(n <= BUDGET for n in before.values())
    platform.fabric.restart_switches()  # a power cut: the limit stays, the tables are empty
    wait_until(lambda: platform.own_entries() == before, "the repair", platform.worker)
    assert platform.event(STABLE, b"after the cut") == b"after the cut"
    assert list(replay_check.differences()) == []


@pytest.fixture
def ring(transactional_db):
    """Three switches in a ring, without bundles: at s1 and s2 trees have different links."""
    with running("--no-bundles", links=[{"a": "s1", "a_port": 4, "b": "s3", "b_port": 4}]) as platform:
        yield platform


@pytest.mark.full
def test_full_tables_without_bundles_change_entry_by_entry_where_trees_differ(ring):
    """Changes that would lose events fail, and the tables refuse entries beyond the budget."""
    rng = random.Random(3)
    world.line(3)
    world.add_link("s1", 4, "s3", 4)
    world.log({"op": "set_aggregation", "method": "la"})
    for switch in ("s1", "s2", "s3"):
        world.log({"op": "set_budget", "switch": switch, "tcam_budget": BUDGET})
    world.advertise("h1", ["00", "11"])
    world.advertise("h2", ["01", "10"])
    world.subscribe("h3", [STABLE])
    done(ring, "the first subscription")
    assert len(world.trees()) == 2
    for switch in ("s1", "s2", "s3"):
        ring.fabric.set_capacity(switch, BUDGET + reserved(ring, switch))
    with Stream(ring) as stream:
        wait_until(lambda: len(stream.got) > 50, "events", ring.worker)
        live = []
        for n in range(40):
            cell = "".join(rng.choice("01") for _ in range(rng.randint(2, 5)))
            live.append(world.subscribe(f"h{rng.randint(1, 3)}", [cell]))
            if len(live) > 7:
                world.withdraw(live.pop(rng.randrange(len(live))))
            if n % 4 == 3:
                done(ring, f"the requests up to {n}")
    assert sorted(stream.got) == list(range(stream.got[0], stream.sent)), "nothing is lost or duplicated"
    failed = {row.problem["title"] for row in Request.objects.filter(state="failed", kind="subscribe")}
    assert failed <= {"A table is too small"}
    assert Request.objects.filter(state="active", kind="subscribe").count() > 20
    texts = [event.payload["text"] for event in OutboxEvent.objects.filter(kind="alarm")]
    assert not [text for text in texts if "removes old entries" in text or "than their budget" in text]
    assert set(ring.own_entries().values()) <= set(range(BUDGET + 1))
    assert list(replay_check.differences()) == []
