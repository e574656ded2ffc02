"""Hostile peers on real sockets: a limit disconnects each, and the northbound answers meanwhile."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.controller.controller_harness import Controller, dpid, eventually, running
from tests.support.controller.fake_switch import FLOW, PORT_DESC, PORT_STATS, FakeNetwork
from tests.waiting import LIMIT_SECONDS

A, B = 0xA1, 0xB2
HELLO = b"\x04\x00\x00\x08\x00\x00\x00\x01"
PARTS = 1000


@pytest.fixture(scope="module")
def controller(run_dir: Path) -> Iterator[Controller]:
    """A controller with small limits."""
    bounds = ("--answer-timeout", "4", "--max-ports", "8", "--max-handshakes", "6")
    with running(run_dir, "--reply-timeout", "3", "--max-connections-address", "5", *bounds) as started:
        yield started


@pytest.fixture
def network(controller: Controller) -> Iterator[FakeNetwork]:
    with FakeNetwork(controller.openflow) as fakes:
        yield fakes
    assert eventually(lambda: not controller.dpids())
    assert eventually(lambda: controller.descriptors() < 40)


def connect(controller: Controller) -> socket.socket:
    peer = socket.create_connection(("127.0.0.1", controller.openflow))
    peer.settimeout(60)
    return peer


def is_ended(peer: socket.socket) -> bool:
    """Read until the controller closes."""
    try:
        while peer.recv(4096):
            pass
    except ConnectionError:
        return True
    return True


def is_reported(controller: Controller, words: str) -> bool:
    return any(words in row["detail"] for row in controller.get("/v1/alarms"))


def memory(controller: Controller) -> int:
    """Return the resident MiB of the controller."""
    assert controller.process is not None
    status = Path(f"/proc/{controller.process.pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) >> 10


def port(number: int) -> bytes:
    return struct.pack("!I4x6s2x16sIIIIIIII", number, bytes(6), b"p", *[0] * 8)


@pytest.mark.parametrize("kind", [PORT_DESC, FLOW, PORT_STATS])
def test_an_answer_without_an_end_takes_no_memory_and_no_other_switch(network, controller, kind) -> None:
    network.add(B)
    controller.await_switches(dpid(B))
    before = memory(controller)
    fake = network.make(A)
    item = b"".join(map(port, range(1, 5))) if kind == PORT_DESC else bytes(112 * 500)
    fake.faults.endless = {kind: (item, 0.0)}
    fake.start()
    assert fake.closed.wait(LIMIT_SECONDS)
    assert eventually(lambda: is_reported(controller, "more than") or is_reported(controller, "did not end"))
    assert memory(controller) - before < 150
    assert controller.dpids() == {dpid(B)}


@pytest.mark.full
def test_slow_answer_has_a_time_limit(network, controller) -> None:
    fake = network.make(A)
    fake.faults.endless = {FLOW: (b"", 0.1)}
    fake.start()
    assert fake.closed.wait(LIMIT_SECONDS)
    assert eventually(lambda: is_reported(controller, "did not end within 4 s"))


@pytest.mark.full
def test_setup_has_a_time_limit(network, controller) -> None:
    """Each answer is in time, but there is always another question."""
    fake = network.make(A)
    fake.answer_after = 2.0
    fake.start()
    assert fake.closed.wait(LIMIT_SECONDS)
    assert eventually(lambda: is_reported(controller, "it took more than 8 s"))


def test_number_of_ports_is_limited(network, controller) -> None:
    fake = network.add(A, ports=range(1, 9))
    controller.await_switches(dpid(A))
    announcements = [struct.pack("!BBHI8x", 4, 12, 80, 0) + port(number) for number in range(9, 12)]
    fake.send_raw(b"".join(announcements))  # one write: the controller ends the connection at the first
    assert fake.closed.wait(LIMIT_SECONDS)
    assert eventually(lambda: is_reported(controller, "it has more than 8 ports"))


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"\x04\x00\x00\x0c\x00\x00\x00\x01\x00\x02\x00\x00", "malformed hello"),
        (HELLO + struct.pack("!BBHI", 4, 6, 24, 1) + bytes(16), "not OpenFlow 1.3"),
        (HELLO + struct.pack("!BBHI", 4, 2, 8, 1) * 2000, "messages in its handshake"),
    ],
)
def test_a_hostile_handshake_ends(network, controller, data: bytes, says: str) -> None:
    """An element of length 0 once blocked the whole controller."""
    peer = connect(controller)
    peer.sendall(data)
    assert is_ended(peer)
    assert eventually(lambda: is_reported(controller, says))
    assert controller.get("/v1/switches") == []


@pytest.mark.full
def test_slow_message_ends_its_connection_only(network, controller) -> None:
    network.add(B)
    controller.await_switches(dpid(B))
    with connect(controller) as peer:
        peer.sendall(HELLO + b"\x04\x06\x00\x20")
        assert is_ended(peer)
    assert controller.dpids() == {dpid(B)}


@pytest.mark.full
def test_handshakes_are_limited_by_address(network, controller) -> None:
    peers = [connect(controller) for _ in range(3)]
    assert eventually(lambda: controller.descriptors() >= 3)
    with connect(controller) as fourth:
        assert is_ended(fourth)
    assert eventually(lambda: is_reported(controller, "3 connections from one address in their handshake"))
    assert controller.get("/v1/switches") == []
    for peer in peers:
        assert is_ended(peer)  # each at its own time
        peer.close()
    assert eventually(lambda: is_reported(controller, "its handshake took more than 6 s"))
    network.add(A)
    controller.await_switches(dpid(A))


def test_connections_of_an_address_are_limited(network, controller) -> None:
    for number in range(1, 6):
        network.add(number)
        controller.await_switches(dpid(number))
    with connect(controller) as sixth:
        assert is_ended(sixth)
    assert eventually(lambda: is_reported(controller, "5 connections from one address"))
    assert controller.dpids() == {dpid(number) for number in range(1, 6)}


def test_bundle_replies_and_errors_that_nobody_awaits_take_no_memory(network, controller) -> None:
    fake = network.add(A)
    controller.await_switches(dpid(A))
    before = memory(controller)
    error = struct.pack("!HH", 1, 1) + bytes(60_000)
    control = struct.pack("!IIIHH", 0x4F4E4600, 2300, 1, 1, 0)
    for number in range(PARTS):
        fake._send(1, error, number)
        fake._send(4, control, number)
    fake.port_status(1, up=False)
    assert eventually(lambda: not controller.get("/v1/switches")[0]["ports"][0]["up"])
    assert controller.dpids() == {dpid(A)}
    assert memory(controller) - before < 60


def test_a_part_of_an_answer_that_is_cut_short_ends_the_connection(network, controller) -> None:
    """The library once logged all of its bytes, and continued to read."""
    fake = network.make(A)
    fake.faults.endless = {PORT_STATS: (bytes(112 * 500 + 7), 0.0)}
    fake.start()
    assert fake.closed.wait(LIMIT_SECONDS)
    assert eventually(lambda: is_reported(controller, "not OpenFlow 1.3"))
    assert controller.log_path.stat().st_size < 1 << 20


@pytest.mark.full
def test_a_first_connection_that_no_longer_answers_is_displaced(network, controller) -> None:
    first = network.add(A)
    controller.await_switches(dpid(A))
    epoch = controller.get("/v1/switches")[0]["epoch"]
    first.faults.deaf = True
    network.add(A)
    assert eventually(lambda: [row["epoch"] > epoch for row in controller.get("/v1/switches")] == [True])
    assert first.closed.wait(LIMIT_SECONDS)
    (alarm,) = [row for row in controller.get("/v1/alarms") if row["alarm"] == "duplicate_dpid"]
    assert "replaced the first, at 127.0.0.1:" in alarm["detail"]
    assert controller.get("/v1/switches")[0]["proof"] == "none"


def test_flapping_port_uses_constant_memory(network, controller) -> None:
    """The switch confirms nothing: one change per port waits, however often the port changes."""
    fake = network.add(A)
    controller.await_switches(dpid(A))
    before = memory(controller)
    fake.faults.silent_barriers = True
    for _ in range(3 * PARTS):
        fake.port_status(4, up=False, reason=1)
        fake.port_status(4, up=True, reason=0)
    fake.port_status(1, up=False)
    assert eventually(lambda: not controller.get("/v1/switches")[0]["ports"][0]["up"])
    assert memory(controller) - before < 30


def test_a_port_that_goes_down_and_then_away_leaves_no_entries(network, controller) -> None:
    fake = network.add(A)
    controller.await_switches(dpid(A))

    def entries_at(number: int) -> int:
        return sum(flow.match.get(0, (0, 0))[0] == number for flow in fake.table)

    assert eventually(lambda: entries_at(4))
    fake.port_status(4, up=False)
    fake.port_status(4, up=False, reason=1)
    assert eventually(lambda: not entries_at(4), 20)


def test_control_messages_of_unknown_ports_are_dropped(network, controller) -> None:
    fake = network.add(A)
    controller.await_switches(dpid(A))
    for number in range(1000, 1010):
        fake.packet_in(number, bytes(60), cookie=0x7EC0A57E00000003)
    assert eventually(lambda: controller.get("/v1/signals?after=0")["dropped"]["unknown_port"] >= 10)
