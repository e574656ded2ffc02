"""Links that fail, switches that restart, and a network that changes while it runs."""

import contextlib
import socket
import struct
import tempfile
from pathlib import Path

import pytest

from mininet_labs.fabric import Fabric, FabricError, FrameSocket
from mininet_labs.fabric.probe import carry, event_frame, event_payload, static_route
from mininet_labs.topologies.generate import ring

pytestmark = pytest.mark.fabric

TOPOLOGY = ring(3)
HOSTS = {host["id"]: host for host in TOPOLOGY["hosts"]}
ROUTE = "ff0e:4::/32"
HELLO, ECHO_REQUEST, ECHO_REPLY, PORT_STATUS = 0, 2, 3, 12
LINK_DOWN = 1


@pytest.fixture
def folder():
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="tf-") as path:
        yield Path(path)


@pytest.fixture(params=["patch", "joined"])
def fabric(request, folder):
    with Fabric(folder / "run", TOPOLOGY, links=request.param) as running:
        yield running


@pytest.fixture
def joined(folder):
    with Fabric(folder / "run", TOPOLOGY, links="joined") as running:
        route(running)
        yield running


def route(fabric: Fabric, source: str = "h1", target: str = "h2") -> None:
    for switch, flow in static_route(TOPOLOGY, source, target, ROUTE).items():
        fabric.ofctl(switch, "add-flow", flow)


@contextlib.contextmanager
def ends(fabric: Fabric, source: str = "h1", target: str = "h2"):
    with (
        FrameSocket(fabric.host_socket(source)) as sender,
        FrameSocket(fabric.host_socket(target)) as receiver,
    ):
        yield sender, receiver


def frame(number: int) -> bytes:
    return event_frame(HOSTS["h1"], "ff0e:4::", number.to_bytes(4, "big"))


def number(received: bytes | None, host: str = "h2") -> int:
    assert received is not None, "nothing came"
    payload = event_payload(HOSTS[host], received)
    assert isinstance(payload, bytes), payload
    return int.from_bytes(payload, "big")


class Controller:
    """A controller that only reads port status."""

    def __init__(self, server: socket.socket) -> None:
        self.connection, _ = server.accept()
        self.connection.settimeout(60)
        self.connection.sendall(struct.pack(">BBHI", 4, HELLO, 8, 1))
        assert self.message()[0] == HELLO

    def message(self) -> tuple[int, bytes]:
        """Return the type and body of the next message."""
        _, kind, length, xid = struct.unpack(">BBHI", self._exactly(8))
        body = self._exactly(length - 8)
        if kind == ECHO_REQUEST:
            self.connection.sendall(struct.pack(">BBHI", 4, ECHO_REPLY, length, xid) + body)
        return kind, body

    def await_port_status(self, port: int, up: bool) -> None:
        """Wait for a port status of this port with its link up or down."""
        while True:
            kind, body = self.message()
            if kind == PORT_STATUS:
                number, state = struct.unpack_from(">I", body, 8)[0], struct.unpack_from(">I", body, 44)[0]
                if number == port and up == (not state & LINK_DOWN):
                    return

    def _exactly(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            part = self.connection.recv(count - len(data))
            assert part, "the switch closed the connection"
            data += part
        return data


def test_both_kinds_of_links_forward_and_lose_nothing(fabric):
    route(fabric)
    with ends(fabric) as (sender, receiver):
        received = carry(sender, receiver, [frame(n) for n in range(500)])
        assert [number(each) for each in received] == list(range(500))


def test_a_link_that_is_down_carries_nothing_and_one_that_is_up_again_does(joined):
    with ends(joined) as (sender, receiver):
        joined.set_link("s1", 1, up=False)
        for n in range(3):
            sender.send(frame(n))
        assert receiver.recv(0.2) is None
        joined.set_link("s2", 1, up=True)
        sender.send(frame(7))
        assert number(receiver.recv(10)) == 7, "what was sent while it was down must not come later"
        joined.set_link("s1", 2, up=False)  # another link
        sender.send(frame(8))
        assert number(receiver.recv(10)) == 8


def test_both_switches_report_the_port_status(joined):
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(60)
        target = f"tcp:127.0.0.1:{server.getsockname()[1]}"
        joined.set_controller(target, switch="s1")
        near = Controller(server)
        joined.set_controller(target, switch="s2")
        far = Controller(server)
        with near.connection, far.connection:
            for up in (False, True, False):
                joined.set_link("s1", 1, up=up)
                near.await_port_status(1, up)
                far.await_port_status(1, up)


def test_a_patch_link_cannot_be_taken_down_and_says_so(folder):
    with Fabric(folder, TOPOLOGY) as fabric:
        with pytest.raises(FabricError) as caught:
            fabric.set_link("s1", 1, up=False)
        assert str(caught.value) == (
            's1:1 to s2:1: is a patch link, which cannot be taken down; create the fabric with links="joined"'
        )


def test_a_port_without_a_link_cannot_be_taken_down(joined):
    with pytest.raises(FabricError, match="s1:3: no link at this port; ports with links: 1, 2"):
        joined.set_link("s1", 3, up=False)


def test_switches_come_back_empty_after_a_restart_with_links_as_they_were(joined):
    joined.set_link("s1", 1, up=False)
    joined.restart_switches()
    assert joined.dump_flows("s1") == []
    for target in ("h2", "h3"):
        route(joined, "h1", target)
        with ends(joined, "h1", target) as (sender, receiver):
            sender.send(frame(1))
            if target == "h3":
                assert number(receiver.recv(10), "h3") == 1
            else:
                assert receiver.recv(0.2) is None
    assert "LINK_DOWN" in joined.ofctl("s1", "dump-ports-desc", "1")


def test_a_switch_a_link_and_a_host_are_added_and_removed_live(fabric):
    fabric.add_switch({"id": "s4", "dpid": f"{4:016x}"})
    fabric.add_link({"a": "s1", "a_port": 9, "b": "s4", "b_port": 8})
    host = {"id": "h4", "switch": "s4", "port": 5, "ip": "fd00::4", "mac": "02:00:00:00:00:04"}
    fabric.add_host(host)
    fabric.ofctl("s1", "add-flow", "ipv6,actions=output:9")
    fabric.ofctl("s4", "add-flow", "in_port=8,actions=output:5")
    with ends(fabric, "h1", "h4") as (sender, receiver):
        sender.send(frame(1))
        assert receiver.recv(10) == frame(1)
    socket_path = fabric.host_socket("h4")
    fabric.remove_host("h4")
    assert not socket_path.exists()
    fabric.remove_switch("s4")
    assert "s4" not in fabric.vsctl("list-br").split()
    assert set(fabric.port_stats("s1")) == {1, 2, 3}
    fabric.add_switch({"id": "s4", "dpid": f"{4:016x}"})
    fabric.add_link({"a": "s1", "a_port": 9, "b": "s4", "b_port": 8})
    assert set(fabric.port_stats("s4")) == {8}


def test_a_host_moves_to_another_port(fabric):
    fabric.remove_host("h2")
    fabric.add_host({**HOSTS["h2"], "switch": "s1", "port": 4})
    fabric.ofctl("s1", "add-flow", "ipv6,actions=output:4")
    with ends(fabric) as (sender, receiver):
        sender.send(frame(1))
        assert receiver.recv(10) == frame(1)
    assert set(fabric.port_stats("s2")) == {1, 2}


def test_a_removed_link_is_gone_at_both_ends(fabric):
    fabric.remove_link("s2", 1)
    assert set(fabric.port_stats("s1")) == {2, 3}
    assert set(fabric.port_stats("s2")) == {2, 3}
    fabric.add_link({"a": "s1", "a_port": 1, "b": "s2", "b_port": 1})
    route(fabric)
    with ends(fabric) as (sender, receiver):
        sender.send(frame(1))
        assert number(receiver.recv(10)) == 1


def test_an_added_switch_connects_to_the_fabrics_controllers(folder):
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(60)
        target = f"tcp:127.0.0.1:{server.getsockname()[1]}"
        with Fabric(folder, {"switches": []}, [target]) as fabric:
            fabric.add_switch({"id": "s1", "dpid": f"{1:016x}"})
            Controller(server).connection.close()
