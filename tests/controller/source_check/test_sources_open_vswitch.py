"""The source check on real Open vSwitch: permitted senders at a host port, while events flow."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

from mininet_labs.fabric import Fabric, FrameSocket, probe
from tercast.signalling.messages import PORT as SIGNALLING_PORT
from tercast.wire import packets
from tests.support.controller.controller_harness import (
    TOKEN,
    Controller,
    dpid,
    entry,
    eventually,
    free_port,
    key,
    output,
    running,
    set_dst,
)
from tests.waiting import LIMIT_SECONDS

pytestmark = pytest.mark.fabric

OWN = 0x7EC0A57E
H1 = {"id": "h1", "switch": "s1", "port": 3, "ip": "fd00::1", "mac": "02:00:00:00:00:01"}
H2 = {"id": "h2", "switch": "s2", "port": 3, "ip": "fd00::2", "mac": "02:00:00:00:00:02"}
TOPOLOGY: dict[str, Any] = {
    "switches": [{"id": f"s{n}", "dpid": dpid(n)} for n in (1, 2)],
    "links": [{"a": "s1", "a_port": 1, "b": "s2", "b_port": 1}],
    "hosts": [H1, H2],
}


@pytest.fixture(scope="module")
def controller(run_dir: Path) -> Iterator[Controller]:
    with running(run_dir) as started:
        yield started


@pytest.fixture(scope="module")
def fabric(run_dir: Path, controller: Controller) -> Iterator[Fabric]:
    with Fabric(run_dir / "f", TOPOLOGY, [controller.target], links="joined") as started:
        controller.await_switches(dpid(1), dpid(2))
        yield started


def checked(*hosts: dict[str, Any], version: str = "v1", widen: bool = False, on: bool = True) -> Any:
    """Return the source check of s1: port 1 is a link, `hosts` are at port 3."""
    sources = [{"port": 3, "ip": host["ip"], "mac": host["mac"]} for host in hosts]
    check = {"dpid": dpid(1), "version": version, "check": on, "links": [1], "sources": sources}
    return {"switches": [check], "widen": widen}


class Checked:
    """Switch s1 with an entry for events from port 3 to host h2, and frames that enter there."""

    def __init__(self, fabric: Fabric, controller: Controller) -> None:
        self.fabric, self.controller = fabric, controller
        self.sender = FrameSocket(fabric.host_socket("h1"))
        self.receiver = FrameSocket(fabric.host_socket("h2"))

    def put(self, body: Any) -> None:
        status, answer = self.controller.call("POST", "/v1/sources", body)
        assert (status, answer["switches"][0]["state"]) == (200, "confirmed"), answer

    def send(self, host: dict[str, Any], payload: bytes, to: str = "ff0e:4::1") -> None:
        self.sender.send(probe.event_frame(host, to, payload))

    def received(self, last: bytes, host: dict[str, Any] = H2) -> list[bytes]:
        """Return the payloads that h2 gets, up to `last`; `host` has its addresses."""
        found: list[bytes] = []
        while last not in found:
            frame = self.receiver.recv(LIMIT_SECONDS)
            assert frame is not None, found
            payload = probe.event_payload(host, frame)
            if isinstance(payload, bytes):
                found.append(payload)
        return found

    def dropped(self) -> int:
        rows = self.controller.get("/v1/counters")["sources"]
        return sum(row["dropped_packets"] for row in rows if (row["dpid"], row["port"]) == (dpid(1), 3))

    def version(self) -> str | None:
        return {row["dpid"]: row["sources"] for row in self.controller.get("/v1/switches")}[dpid(1)]


@pytest.fixture
def check(fabric: Fabric, controller: Controller) -> Iterator[Checked]:
    to_h2 = [set_dst(H2["ip"], H2["mac"]), output(3)]
    controller.change(
        {"dpid": dpid(1), "add": [entry("ff0e:4::/32", 18, output(1))]},
        {"dpid": dpid(2), "add": [entry("ff0e:4::/32", 18, *to_h2)]},
    )
    one = Checked(fabric, controller)
    yield one
    one.put(checked(on=False, version="off"))
    assert fabric.ofctl("s1", "dump-flows", SOURCES).count("cookie=") == 0
    one.sender.close()
    one.receiver.close()


SOURCES = f"cookie=0x{OWN:x}00000005/-1"


def test_only_events_of_the_host_at_the_port_pass(check: Checked, controller: Controller) -> None:
    assert check.version() == "off"
    check.send(H2, b"forged before")
    check.put(checked(H1))
    assert check.version() == "v1"
    other_mac, other_ip = {**H1, "mac": H2["mac"]}, {**H1, "ip": H2["ip"]}
    for forged in (H2, other_mac, other_ip):
        check.send(forged, b"forged")
    check.send(H1, b"own")
    assert check.received(b"own") == [b"forged before", b"own"]
    assert eventually(lambda: check.dropped() == 3)
    assert f'source_dropped_packets_total{{dpid="{dpid(1)}",port="3"}} 3.0' in metrics_of(controller)
    found = controller.get(f"/v1/switches/{dpid(1)}/entries")
    assert (len(found["entries"]), found["missing"], found["strange"]) == (1, [], 0)
    assert eventually(lambda: counted(controller)["entries"] == 1)
    assert eventually(lambda: counted(controller)["reserved"] == counted(controller)["reserved_wanted"])


DEEPEST = "ff0e:4:abcd:ef01:2345:6789:abcd:ef01"
H4 = {**H1, "ip": "10.0.0.1"}
FAR4 = {**H2, "ip": "10.0.0.2"}


@pytest.mark.parametrize(
    ("to", "deepest", "own", "far"),
    [(DEEPEST, f"{DEEPEST}/128", H1, H2), ("225.131.17.3", "225.131.17.3/32", H4, FAR4)],
    ids=["ipv6", "ipv4"],
)
def test_events_of_the_largest_depth_pass_in_both_families(
    check: Checked, controller: Controller, to: str, deepest: str, own: dict[str, Any], far: dict[str, Any]
) -> None:
    to_far = [set_dst(far["ip"], far["mac"]), output(3)]
    there = [entry(deepest, 60000, output(1)), entry(deepest, 60000, *to_far)]
    controller.change({"dpid": dpid(1), "add": there[:1]}, {"dpid": dpid(2), "add": there[1:]})
    check.put(checked(own))
    for forged in (far, {**own, "mac": far["mac"]}):
        check.send(forged, b"forged", to)
    check.send(own, b"own", to)
    assert check.received(b"own", far) == [b"own"]
    drops = [flow for flow in check.fabric.dump_flows("s1") if flow.priority == 61000]
    assert sum(flow.packets for flow in drops if flow.match["in_port"] == "3") == 2
    controller.change(
        {"dpid": dpid(1), "remove": [key(there[0])]}, {"dpid": dpid(2), "remove": [key(there[1])]}
    )


def metrics_of(controller: Controller) -> str:
    connection = HTTPConnection("127.0.0.1", controller.northbound, timeout=LIMIT_SECONDS)
    connection.request("GET", "/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
    return connection.getresponse().read().decode()


def counted(controller: Controller) -> dict[str, Any]:
    rows = controller.get("/v1/counters")["tables"]
    return next((row for row in rows if row["dpid"] == dpid(1)), {})


def test_control_messages_and_foreign_traffic_pass_from_everybody(
    check: Checked, fabric: Fabric, controller: Controller
) -> None:
    check.put(checked(H1))
    fabric.ofctl("s1", "add-flow", "priority=5,ipv6,ipv6_dst=ff05::/16,actions=output:1")
    fabric.ofctl("s2", "add-flow", f"priority=5,ipv6,ipv6_dst=ff05::/16,actions={TO_H2}")
    check.send(H2, b"foreign", to="ff05::1")
    assert check.received(b"foreign") == [b"foreign"]
    for switch in ("s1", "s2"):
        fabric.ofctl(switch, "del-flows", "ipv6,ipv6_dst=ff05::/16")
    after = controller.get("/v1/signals")["newest"]
    check.sender.send(control_frame(H2))
    found = controller.get(f"/v1/signals?after={after}&wait=30")["signals"]
    assert [row["ip"] for row in found] == [H2["ip"]]


TO_H2 = f"set_field:{H2['ip']}->ipv6_dst,set_field:{H2['mac']}->eth_dst,output:3"


def control_frame(host: dict[str, Any]) -> bytes:
    group = packets.pack_ip("ff1e::25")
    ends = (packets.pack_mac(host["mac"]), packets.group_mac(group))
    return packets.udp_frame(ends, packets.pack_ip(host["ip"]), group, b"hello", (5000, SIGNALLING_PORT))


def test_lost_entries_of_the_check_are_named_and_come_back(check: Checked, controller: Controller) -> None:
    check.put(checked(H1))
    before = sorted(check.fabric.ofctl("s1", "dump-flows", SOURCES, "--no-stats").splitlines())
    check.fabric.ofctl("s1", "del-flows", SOURCES)
    missing = controller.get(f"/v1/switches/{dpid(1)}/entries")["missing"]
    assert len(missing) == 3 and any(H1["ip"] in name for name in missing)
    done = controller.call("POST", f"/v1/switches/{dpid(1)}/repair")[1]
    assert (sorted(done["restored"]), done["refused"]) == (sorted(missing), [])
    assert sorted(check.fabric.ofctl("s1", "dump-flows", SOURCES, "--no-stats").splitlines()) == before


def test_no_event_is_lost_or_comes_twice_while_it_goes_on_and_off(check: Checked) -> None:
    over = threading.Event()
    sent: list[bytes] = []

    def publish() -> None:
        while not over.wait(0.002):
            sent.append(f"event {len(sent)}".encode())
            check.send(H1, sent[-1])

    got: list[bytes] = []
    thread = threading.Thread(target=publish)
    reader = threading.Thread(target=lambda: got.extend(check.received(b"last")))
    reader.start()
    thread.start()
    for turn in range(20):
        count = len(sent)
        check.put(checked(H2, H1, version=f"on {turn}", widen=True))
        check.put(checked(H1, version=f"on {turn}"))
        check.put(checked(on=False, version="off"))
        assert eventually(lambda count=count: len(sent) > count)
    over.set()
    thread.join()
    check.send(H1, b"last")
    reader.join()
    assert len(sent) > 20 and got == [*sent, b"last"]


def test_a_moving_host_may_send_from_both_ports_until_it_is_closed(check: Checked) -> None:
    check.put(checked(H1))
    check.put(checked(H2, version="v2", widen=True))
    assert check.version() is None
    for host, payload in ((H1, b"old"), (H2, b"new")):
        check.send(host, payload)
    assert check.received(b"new") == [b"old", b"new"]
    check.put(checked(H2, version="v2"))
    check.send(H1, b"old")
    check.send(H2, b"last")
    assert check.received(b"last") == [b"last"] and check.version() == "v2"


@pytest.mark.full
def test_the_check_survives_a_killed_controller(run_dir: Path) -> None:
    """The entries stay; the next controller reports that it does not know their version."""
    topology = {**TOPOLOGY, "switches": TOPOLOGY["switches"][:1], "links": [], "hosts": [H1]}
    openflow = free_port()
    with Fabric(run_dir / "k", topology, [f"tcp:127.0.0.1:{openflow}"]) as fabric:
        with running(run_dir, openflow=openflow) as first:
            first.await_switches(dpid(1))
            assert first.call("POST", "/v1/sources", checked(H1))[0] == 200
            before = fabric.ofctl("s1", "dump-flows", SOURCES, "--no-stats")
            first.stop(signal.SIGKILL)
        assert before and fabric.ofctl("s1", "dump-flows", SOURCES, "--no-stats") == before
        with running(run_dir, openflow=openflow) as second:
            second.await_switches(dpid(1))
            assert second.get("/v1/switches")[0]["sources"] is None
            assert second.call("POST", "/v1/sources", checked(on=False, version="off"))[0] == 200
            assert second.get("/v1/switches")[0]["sources"] == "off"
        assert "cookie" not in fabric.ofctl("s1", "dump-flows", SOURCES)
