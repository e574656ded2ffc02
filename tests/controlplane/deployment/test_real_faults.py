"""Faults on real Open vSwitch: after each of them, the switches have the planned entries."""

import signal
import sys
from pathlib import Path

import pytest

from controlplane.deployment import session_cache
from controlplane.deployment.audits.models import Check, Drift
from controlplane.network.models import Host, InstalledEntry, Link, Switch
from controlplane.registry.models import Advertisement
from controlplane.requestlog.models import OutboxEvent, Request
from mininet_labs.fabric import FrameSocket
from mininet_labs.fabric.probe import event_frame
from tests.support.controlplane import network_world as world
from tests.support.controlplane.platform_on_switches import HOSTS, next_event, running
from tests.support.controlplane.switch_faults import FOREIGN, OWN, done, entries, settled
from tests.support.controlplane.worker_processes import CELERY, Process, worker

pytestmark = pytest.mark.fabric

NOBODY = "tcp:127.0.0.1:1"
"""A controller that is not there: without any, Open vSwitch would empty its tables."""

CELLS = ("000", "001", "010", "011", "1")


@pytest.fixture
def options():
    """Options of the controller."""
    return ()


@pytest.fixture
def platform(transactional_db, options):
    """A line of three: h1 publishes all, and h3 subscribes to the first cell."""
    with running(*options) as platform:
        world.line(3, budget=50)
        world.advertise("h1", [""])
        world.subscribe("h3", [CELLS[0]])
        done(platform, "the first subscription")
        platform.until(lambda: Switch.objects.filter(connected=True).count() == 3, "the connections")
        yield platform


def is_reported(text: str) -> bool:
    rows = OutboxEvent.objects.filter(kind="alarm").values_list("payload", flat=True)
    return any(text in payload["text"] for payload in rows)


def audit(platform, *options: str) -> tuple[int, str]:
    log = platform.folder / "audit.log"
    log.unlink(missing_ok=True)
    with Process([sys.executable, "manage.py", "audit", *options], platform.env, log) as process:
        return process.died(), log.read_text()


def ages(platform) -> dict[tuple[str, str], int]:
    """Return the packets of every own entry; an entry that is written again starts at zero."""
    return {
        (switch, str(sorted(flow.match.items())) + flow.actions): flow.packets
        for switch in ("s1", "s2", "s3")
        for flow in platform.fabric.dump_flows(switch)
        if flow.cookie == 0x7EC0A57E00000001
    }


@pytest.mark.parametrize("options", [("--poll-interval", "300")], ids=["no audits after signs"])
def test_an_audit_reports_foreign_changes_and_repairs_only_these(platform):
    assert platform.event("000", b"one") == b"one"
    platform.fabric.ofctl("s1", "add-flow", FOREIGN)
    before = ages(platform)
    status, text = audit(platform)
    assert status == 0 and "s2: equal" in text, text
    assert ages(platform) == before and set(before.values()) == {1}  # nothing was written

    (planned,) = world.installed()["s2"]
    at = f"{OWN},priority={planned[2]},ipv6,ipv6_dst={planned[0]}"
    platform.fabric.ofctl("s2", "add-flow", f"{at},actions=output:3")
    platform.fabric.ofctl("s3", "del-flows", f"{OWN}/-1")
    strange = f"{OWN},priority=30,ipv6,ipv6_dst=ff0e:4:f000::/36,actions=output:1"
    platform.fabric.ofctl("s3", "add-flow", strange)
    platform.fabric.ofctl("s3", "del-flows", "cookie=0x7ec0a57e00000002/-1")
    assert platform.event("000", b"lost") is None
    status, text = audit(platform, "--dry-run")
    assert status == 1, text
    rows = Drift.objects.values_list("check_of__switch", "kind", "what")
    assert {row[:2] for row in rows} == {("s2", "different"), ("s3", "missing"), ("s3", "strange")}
    assert {row[2] for row in rows if row[2]} == {
        "the drop entry for ff0e::/16",
        "the drop entry for 225.128.0.0/9",
    }
    assert platform.event("000", b"still lost") is None
    status, text = audit(platform)
    assert status == 0 and "s2: repaired" in text and "s3: repaired" in text and "s1: equal" in text, text
    assert platform.event("000", b"repaired") == b"repaired"
    assert "cookie=0x99" in platform.fabric.ofctl("s1", "dump-flows")
    settled(platform)
    status, text = audit(platform)
    assert status == 0 and "repaired" not in text, text


@pytest.mark.full
def test_an_audit_while_a_switch_is_away_calls_it_unreachable(platform):
    platform.fabric.set_controller(NOBODY, switch="s2")
    platform.until(lambda: not Switch.objects.get(name="s2").connected, "s2 to go")
    status, text = audit(platform)
    assert status == 1 and "s2: unreachable" in text and "s1: equal" in text, text
    assert Check.objects.get(switch="s2").missing == 0 and not Drift.objects.exists()
    assert InstalledEntry.objects.filter(switch__name="s2").count() == 1


@pytest.mark.full
def test_away_while_requests_change_and_back_with_stale_entries_or_with_none(platform):
    platform.fabric.set_controller(NOBODY, switch="s2")
    platform.until(lambda: not Switch.objects.get(name="s2").connected, "s2 to go")
    late = world.subscribe("h2", [CELLS[1]])
    first = world.subscribe("h3", [CELLS[2]])
    world.withdraw(first)
    away = f"{OWN},priority=19,ipv6,ipv6_dst=ff0e:4:8000::/33,actions=output:3"
    platform.fabric.ofctl("s2", "add-flow", away)  # as it was once, for a subscription that is gone
    platform.until(lambda: Request.objects.get(pk=late.request_id).state == "deploying", "the waiting")
    assert platform.event("000", b"goes on") == b"goes on"
    platform.fabric.set_controller(f"tcp:127.0.0.1:{platform.openflow}", switch="s2")
    done(platform, "the late requests")
    settled(platform)
    assert entries(platform, "s2") == 2
    platform.fabric.restart_switches()
    platform.until(lambda: entries(platform, "s2") == 2, "the repair of empty tables")
    settled(platform)
    assert platform.event("000", b"after") == b"after"


@pytest.mark.full
def test_a_table_full_below_its_budget(platform):
    punts = "cookie=0x7ec0a57e00000003/-1"
    platform.until(lambda: len(Link.objects.exclude(discovered_at=None)) == 2, "the links")
    platform.until(
        lambda: platform.fabric.ofctl("s2", "dump-flows", punts).count("cookie=") == 2, "punts at h2 alone"
    )
    held = platform.fabric.ofctl("s2", "dump-flows").count("cookie=") - entries(platform, "s2")
    platform.fabric.set_capacity("s2", held + 3)
    rows = [world.subscribe("h3", [cell + bits]) for cell in CELLS[1:] for bits in ("00", "11")]
    done(platform, "what fits, and what does not")
    for row in rows:
        row.refresh_from_db()
    states = [row.state for row in rows]
    assert (states.count("active"), states.count("failed")) == (2, 6)
    request = Request.objects.filter(state="failed").first()
    assert "switch s2 has a capacity of 3 entries" in request.problem["detail"]
    assert is_reported("switch s2 is full with 3 entries")
    assert Switch.objects.get(name="s2").capacity == 3
    settled(platform)
    world.log({"op": "set_aggregation", "method": "la"})
    more = world.subscribe("h3", [CELLS[1] + "00"])
    done(platform, "the merging")
    more.refresh_from_db()
    assert more.state == "active" and entries(platform, "s2") <= 3
    assert platform.event("00100", b"merged") == b"merged"
    settled(platform)
    platform.fabric.restart_switches()  # it reports its capacity when it connects
    platform.until(lambda: entries(platform, "s2") > 0, "the repair")
    settled(platform)
    assert Switch.objects.get(name="s2").capacity == 3
    platform.fabric.set_capacity("s2", None)
    platform.fabric.restart_switches()
    platform.until(lambda: Switch.objects.get(name="s2").capacity is None, "the capacity to be forgotten")
    settled(platform)


@pytest.mark.full
def test_duplicates_and_old_switches_are_refused_and_the_first_delivers(platform):
    def bridge(name: str, dpid: str, protocols: str) -> None:
        platform.fabric.vsctl(
            *("add-br", name, "--", "set", "Bridge", name, "datapath_type=dummy", "fail_mode=secure"),
            *(f"other_config:datapath-id={dpid}", f"protocols={protocols}"),
        )
        platform.fabric.vsctl("set-controller", name, f"tcp:127.0.0.1:{platform.openflow}")

    epochs = dict(Switch.objects.values_list("name", "epoch"))
    bridge("twin", world.dpid(2), "OpenFlow13")
    bridge("old", world.dpid(0x10), "OpenFlow10")
    platform.until(lambda: is_reported("duplicate_dpid raised"), "the alarm of the second switch")
    platform.until(lambda: is_reported("openflow_version raised"), "the alarm of the old one")
    assert platform.event("000", b"first") == b"first"
    late = world.subscribe("h3", [CELLS[1]])
    done(platform, "a change over the first")
    late.refresh_from_db()
    assert late.state == "active"
    assert dict(Switch.objects.values_list("name", "epoch")) == epochs
    settled(platform)
    assert platform.fabric.ofctl("s2", "dump-flows", f"{OWN}/-1").count("cookie=") == 2


@pytest.mark.full
def test_the_control_plane_is_down_while_the_network_changes(platform, monkeypatch):
    """Worker and beat are killed; switches restart, a link goes, requests come; then they are back."""
    for process in (platform.worker, platform.beat):
        process.popen.kill()
        assert process.died() == -signal.SIGKILL
    late = world.subscribe("h3", [CELLS[1]])
    assert platform.event("000", b"nobody is needed") == b"nobody is needed"
    platform.fabric.restart_switches()
    platform.fabric.set_link("s2", 1, False)
    monkeypatch.setattr(session_cache, "_kept", None)
    platform.worker = worker(platform.env, platform.folder / "worker.log")
    beat = [*CELERY, "beat", "--pidfile", "", "--loglevel", "warning"]
    platform.beat = Process(beat, platform.env, platform.folder / "beat.log")
    platform.until(lambda: Link.objects.filter(up=False).exists(), "the link to be seen down")
    platform.fabric.set_link("s2", 1, True)
    platform.until(lambda: not Link.objects.filter(up=False).exists(), "the link to be seen up")
    done(platform, "what was asked meanwhile")
    late.refresh_from_db()
    assert late.state == "active"
    settled(platform)
    for cell in ("000", "001"):
        assert platform.event(cell, cell.encode()) == cell.encode()


@pytest.mark.full
def test_a_dead_link_is_counted_a_switch_comes_live_and_a_host_moves(platform):
    platform.until(lambda: not Link.objects.filter(gap=None).exists(), "the first counters")
    platform.fabric.set_link("s2", 1, False)
    for n in range(20):  # until the tables have changed these are sent into the dead link
        send(platform, str(n).encode())
    platform.until(lambda: Link.objects.filter(up=False).exists(), "the link to be seen down")
    platform.until(lambda: Link.objects.filter(lost__gt=0).exists(), "the loss to be counted")
    assert is_reported("went down") and Link.objects.get(up=False).lost <= 40

    platform.fabric.add_switch({"id": "s4", "dpid": world.dpid(4)})
    for port, switch in enumerate(("s1", "s3"), 1):
        platform.fabric.add_link({"a": switch, "a_port": 7, "b": "s4", "b_port": port})
    world.add_switch(4)
    world.add_link("s1", 7, "s4", 1)
    world.add_link("s4", 2, "s3", 7)
    platform.until(lambda: Switch.objects.get(name="s4").connected, "the new switch")
    done(platform, "the way around")
    platform.until(lambda: entries(platform, "s4") == 1, "the new switch's entry")
    assert platform.event("000", b"around") == b"around"

    platform.fabric.set_link("s2", 1, True)
    platform.until(lambda: not Link.objects.filter(up=False).exists(), "the link to come back")
    done(platform, "the original path")
    world.log({"op": "host_move", "host": "h3", "switch": "s2", "port": 9})
    done(platform, "the move")
    assert Host.objects.get(name="h3").port == 9
    settled(platform)
    assert entries(platform, "s3") == 0


def send(platform, payload: bytes) -> None:
    with FrameSocket(platform.fabric.host_socket("h1")) as sender:
        sender.send(event_frame(HOSTS["h1"], "ff0e:4::", payload))


@pytest.mark.full
def test_a_switch_that_comes_and_goes_leaves_no_descriptor(platform):
    """The control plane sees all of it, and the tables are right each time."""
    descriptors = Path(f"/proc/{platform.controller.popen.pid}/fd")
    before = len(list(descriptors.iterdir()))
    for n in range(10):
        platform.fabric.set_controller(NOBODY, switch="s2")
        platform.until(lambda: not Switch.objects.get(name="s2").connected, f"s2 to go, {n}")
        platform.fabric.ofctl("s2", "del-flows", f"{OWN}/-1")
        platform.fabric.set_controller(f"tcp:127.0.0.1:{platform.openflow}", switch="s2")
        platform.until(lambda: entries(platform, "s2") == 1, f"s2 to be repaired, {n}")
    settled(platform)
    few = before + 2
    platform.until(lambda: len(list(descriptors.iterdir())) <= few, "descriptors to be closed")


@pytest.mark.full
def test_a_ring_restarts_without_a_controller_and_a_publisher_comes_back_elsewhere(platform):
    """No event loops without a controller; with one, all hosts receive again, also after a move."""
    platform.fabric.add_link({"a": "s3", "a_port": 7, "b": "s1", "b_port": 7})
    world.add_link("s3", 7, "s1", 7)
    done(platform, "the ring")
    assert platform.event("000", b"before") == b"before"
    platform.controller.popen.kill()
    platform.controller.died()
    platform.fabric.restart_switches()
    assert platform.event("000", b"nobody") is None  # no entry, so no way, and no flood
    sent = [platform.fabric.port_stats(switch)[7].tx_packets for switch in ("s1", "s3")]
    assert sent == [0, 0]
    platform.start_controller()
    platform.until(lambda: all(entries(platform, name) for name in ("s1", "s3")), "the repair")
    settled(platform)
    assert platform.event("000", b"after") == b"after"

    advertisement = Advertisement.objects.get()
    world.withdraw(advertisement)
    world.log({"op": "host_move", "host": "h1", "switch": "s2", "port": 9})
    world.advertise("h1", [""])
    done(platform, "the move of the publisher")
    settled(platform)
    moved = {**HOSTS["h1"], "id": "moved", "switch": "s2", "port": 9, "mac": "02:00:00:00:00:09"}
    moved["ip"] = "fd00::9"
    platform.fabric.add_host(moved)
    with (
        FrameSocket(platform.fabric.host_socket("moved")) as sender,
        FrameSocket(platform.fabric.host_socket("h3")) as receiver,
    ):
        sender.send(event_frame(moved, "ff0e:4::", b"from elsewhere"))
        assert next_event(receiver) == b"from elsewhere"
        assert next_event(receiver, 0.5) is None  # once
