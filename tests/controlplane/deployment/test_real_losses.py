"""Entries that vanish from real Open vSwitch come back within seconds of the sign, under traffic."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from controlplane.deployment.audits.models import Audit, AuditTrigger
from controlplane.network.models import Link, Switch
from mininet_labs.fabric import FrameSocket
from mininet_labs.fabric.probe import event_frame
from tests.support.controlplane import network_world as world
from tests.support.controlplane.platform_on_switches import HOSTS, next_event, running
from tests.support.controlplane.switch_faults import FOREIGN, done, entries, settled
from tests.support.controlplane.worker_processes import wait_until, worker

pytestmark = [pytest.mark.fabric, pytest.mark.full]

WITHIN = 5.0
"""Seconds from the sign to the repair, as required."""

OWN = "cookie=0x7ec0a57e00000000/0xffffffff00000000"
CONTENT, DROPS = "cookie=0x7ec0a57e00000001", "cookie=0x7ec0a57e00000002"
PUNTS, PROBES = "cookie=0x7ec0a57e00000003", "cookie=0x7ec0a57e00000004"


@pytest.fixture
def platform(transactional_db):
    """As `make run` has it, with its periods, and an audit of all tables once an hour."""
    options = ("--poll-interval", "2", "--probe-interval", "5")
    with running(*options, env={"TERCAST_AUDIT_SECONDS": "3600"}) as platform:
        world.line(3, budget=50)
        world.advertise("h1", [""])
        for cell in ("00", "010", "11"):
            world.subscribe("h3", [cell])
        done(platform, "the subscriptions")
        platform.until(lambda: Switch.objects.filter(connected=True).count() == 3, "the connections")
        platform.until(lambda: len(Link.objects.exclude(discovered_at=None)) == 2, "the links")
        platform.until(lambda: entries_of(platform, PUNTS) == 2, "punts at the port of h2 alone")
        platform.fabric.ofctl("s2", "add-flow", FOREIGN)
        yield platform


def entries_of(platform, cookie: str) -> int:
    return platform.fabric.ofctl("s2", "dump-flows", f"{cookie}/-1").count("cookie=")


@contextmanager
def traffic(platform) -> Iterator[None]:
    """h1 publishes all the time."""
    over = threading.Event()

    def publish() -> None:
        with FrameSocket(platform.fabric.host_socket("h1")) as sender:
            while not over.wait(0.02):
                sender.send(event_frame(HOSTS["h1"], "ff0e:4::", b"all the time"))

    thread = threading.Thread(target=publish)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def held(platform, switch: str) -> list[str]:
    """What a switch holds, without what it has counted; all owners' entries."""
    text = platform.fabric.ofctl(switch, "dump-flows", "--no-stats")
    return sorted(line.strip() for line in text.splitlines() if "cookie=" in line)


def repaired(platform, before: list[str], text: str) -> None:
    """The switch holds again what it held, by an audit that follows a sign; prints how long that took."""
    start = time.monotonic()
    known = Audit.objects.filter(trigger=AuditTrigger.SIGN).count()
    platform.until(lambda: Audit.objects.filter(trigger=AuditTrigger.SIGN).count() > known, "the sign")
    sign = time.monotonic()
    platform.until(lambda: held(platform, "s2") == before, "the repair")
    end = time.monotonic()
    print(f"{text}: sign after {sign - start:.2f} s, repaired {end - sign:.2f} s after it")
    assert end - sign < WITHIN
    settled(platform)


def test_entries_that_vanish_come_back_and_foreign_ones_stay(platform):
    before = held(platform, "s2")
    assert any("cookie=0x99" in flow for flow in before)
    (*_, last) = sorted(world.installed()["s2"])
    with traffic(platform), FrameSocket(platform.fabric.host_socket("h3")) as receiver:
        assert next_event(receiver) == b"all the time"
        for text, flows in (
            ("all own entries", OWN),
            ("one content entry", f"{CONTENT}/-1,ipv6,ipv6_dst={last[0]}"),
            ("all content entries", f"{CONTENT}/-1"),
            ("drop entries", f"{DROPS}/-1"),
            ("the punt of probes", f"{PROBES}/-1"),
            ("punts of control messages", f"{PUNTS}/-1"),
        ):
            platform.fabric.ofctl("s2", "del-flows", flows)
            assert held(platform, "s2") != before, text
            repaired(platform, before, text)
            assert next_event(receiver) == b"all the time", text
        extra = f"{CONTENT},priority=90,ipv6,ipv6_dst=ff0e:4:8800::/40,actions=output:3"
        platform.fabric.ofctl("s2", "add-flow", extra)
        repaired(platform, before, "one entry too many")


@pytest.mark.full
def test_a_loss_while_the_worker_restarts(platform):
    before = held(platform, "s2")
    platform.worker.popen.kill()
    platform.worker.died()
    platform.fabric.ofctl("s2", "del-flows", OWN)
    platform.worker = worker(platform.env, platform.folder / "worker.log")
    repaired(platform, before, "all own entries, while the worker was away")
    assert entries(platform, "s2") == len(world.installed()["s2"])


@pytest.mark.full
def test_a_loss_while_requests_come(platform):
    """The planner is at work all the time; nothing stays lost."""
    before = held(platform, "s1")
    rows = [world.subscribe("h3", [f"10{n:05b}"]) for n in range(32)]
    platform.fabric.ofctl("s2", "del-flows", OWN)
    done(platform, "the requests")
    wait_until(
        lambda: entries(platform, "s2") == len(world.installed()["s2"]) > 1, "the repair", platform.worker
    )
    settled(platform)
    assert len(rows) == 32 and len(held(platform, "s1")) > len(before)
