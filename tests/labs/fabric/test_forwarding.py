"""A fabric forwards, rewrites and counts by its entries; its ports have the numbers of the topology."""

import socket
import tempfile
from itertools import count
from pathlib import Path

import pytest

from mininet_labs.fabric import Fabric, FabricError, FrameSocket
from mininet_labs.fabric.probe import carry, event_frame, event_payload, static_route
from tests.waiting import wait_until

pytestmark = pytest.mark.fabric

# Ports with gaps, ids with special characters, two hosts at one port, one host with a standby port.
TOPOLOGY = {
    "switches": [
        {"id": "left:1", "dpid": "00000000000000aa"},
        {"id": "the middle one", "dpid": "ffffffffffffffff"},
        {"id": "right/1", "dpid": "8000000000000000", "name": "Right", "lat": 1.5, "lon": -2},
    ],
    "links": [
        {"a": "left:1", "a_port": 3, "b": "the middle one", "b_port": 70},
        {"a": "the middle one", "a_port": 2, "b": "right/1", "b_port": 900},
    ],
    "hosts": [
        {"id": "h1", "switch": "left:1", "port": 11, "ip": "fd00::1", "mac": "02:00:00:00:00:01"},
        {
            "id": "h2",
            "switch": "right/1",
            "port": 200,
            "ip": "fd00::2",
            "mac": "02:00:00:00:00:02",
            "standby": [{"switch": "left:1", "port": 65279}],
        },
        {"id": "h3", "switch": "right/1", "port": 200, "ip": "fd00::3", "mac": "02:00:00:00:00:03"},
    ],
}
HOSTS = {host["id"]: host for host in TOPOLOGY["hosts"]}
ROUTE = "ff0e:4::/32"
ADDRESS = "ff0e:4:1900::"


@pytest.fixture(scope="module")
def fabric():
    with (
        tempfile.TemporaryDirectory(dir="/tmp", prefix="tf-") as folder,
        Fabric(Path(folder) / "run", TOPOLOGY) as running,
    ):
        yield running


@pytest.fixture
def routed(fabric):
    """The fabric with only a route from h1 to h2."""
    for switch in ("left:1", "the middle one", "right/1"):
        fabric.ofctl(switch, "del-flows")
    for switch, flow in static_route(TOPOLOGY, "h1", "h2", ROUTE).items():
        fabric.ofctl(switch, "add-flow", flow)
    return fabric


@pytest.fixture
def ends(routed):
    with FrameSocket(routed.host_socket("h1")) as sender, FrameSocket(routed.host_socket("h2")) as receiver:
        yield sender, receiver


def frame(number: int, size: int = 40) -> bytes:
    return event_frame(HOSTS["h1"], ADDRESS, number.to_bytes(4, "big").ljust(size, b"."))


def number(received: bytes | None) -> int:
    """Return the number in a frame that h2 received, after a check of its destination and checksum."""
    assert received is not None, "nothing came"
    payload = event_payload(HOSTS["h2"], received)
    assert isinstance(payload, bytes), payload
    return int.from_bytes(payload[:4], "big")


def test_ports_have_the_numbers_of_the_topology(fabric):
    numbers = {switch["id"]: set(fabric.port_stats(switch["id"])) for switch in TOPOLOGY["switches"]}
    assert numbers == {"left:1": {3, 11, 65279}, "the middle one": {70, 2}, "right/1": {900, 200}}


@pytest.mark.parametrize("switch", TOPOLOGY["switches"], ids=lambda switch: switch["dpid"])
def test_a_switch_has_its_datapath_id_and_speaks_openflow_13(fabric, switch):
    output = fabric.ofctl(switch["id"], "show")
    assert f"(OF1.3) (xid=0x2): dpid:{switch['dpid']}" in output


def test_without_entries_nothing_is_forwarded(fabric):
    for switch in ("left:1", "the middle one", "right/1"):
        fabric.ofctl(switch, "del-flows")
    with FrameSocket(fabric.host_socket("h1")) as sender, FrameSocket(fabric.host_socket("h2")) as receiver:
        before = fabric.port_stats("left:1")[11].rx_packets
        sender.send(frame(1))
        while fabric.port_stats("left:1")[11].rx_packets == before:
            pass
        assert receiver.recv(0.05) is None


def test_an_event_reaches_the_host_with_its_address_and_a_right_checksum(ends):
    sender, receiver = ends
    sender.send(frame(92))
    received = receiver.recv(10)
    assert number(received) == 92
    assert received[:6] == bytes.fromhex("020000000002")
    assert received[6:12] == bytes.fromhex("020000000001")


@pytest.mark.parametrize("size", [4, 1200])
def test_hundreds_of_events_arrive_in_order_and_none_is_lost(ends, size):
    sender, receiver = ends
    received = carry(sender, receiver, [frame(n, size) for n in range(800)])
    assert [number(each) for each in received] == list(range(800))
    assert receiver.recv(0.05) is None


def test_a_reader_that_does_not_read_loses_without_harm_to_the_sender(ends):
    """A host that does not read: the switch stores about 380 small frames for it, and may store fewer."""
    sender, receiver = ends
    for n in range(800):
        sender.send(frame(n))
    kept = 0
    while receiver.recv(0.5) is not None:
        kept += 1
    assert 100 < kept < 800
    assert [number(each) for each in carry(sender, receiver, [frame(9)])] == [9]


def test_entries_and_ports_count(routed, ends):
    sender, receiver = ends
    before = routed.port_stats("right/1")[200].tx_packets
    for n in range(5):
        sender.send(frame(n))
        receiver.recv(10)
    (flow,) = routed.dump_flows("right/1")
    assert (flow.packets, flow.bytes) == (5, 5 * len(frame(0)))
    assert flow.match == {"ipv6": "", "ipv6_dst": ROUTE}
    assert flow.actions == "set_field:fd00::2->ipv6_dst,set_field:02:00:00:00:00:02->eth_dst,output:200"
    assert routed.port_stats("right/1")[200].tx_packets == before + 5


def test_a_table_change_takes_effect_and_stays(routed, ends):
    """On a busy machine, a frame right after the barrier can still match the old entry; later ones cannot."""
    sender, receiver = ends
    route = static_route(TOPOLOGY, "h1", "h2", ROUTE)["right/1"]
    drop = f"ipv6,ipv6_dst={ROUTE},actions=drop"
    number_of = count()

    def passes() -> bool:
        """Whether a new frame arrives; frames before it are ignored."""
        sent = next(number_of)
        sender.send(frame(sent))
        while (received := receiver.recv(0.1)) is not None:
            if number(received) == sent:
                return True
        return False

    for n in range(20):
        routed.ofctl("right/1", "add-flow", drop if n % 2 else route)
        wait_until("the change takes effect", lambda n=n: passes() == (n % 2 == 0))
        if n % 2:
            assert not passes()
        else:
            wait_until("the route stays", passes)


def test_hosts_of_one_port_share_the_socket_and_each_connection_gets_every_frame(routed, ends):
    assert routed.host_socket("h2") == routed.host_socket("h3")
    sender, receiver = ends
    with FrameSocket(routed.host_socket("h3")) as second:
        sender.send(frame(1))
        assert number(receiver.recv(10)) == 1
        assert event_payload(HOSTS["h3"], second.recv(10)).value == "other_address"
    sender.send(frame(2))
    assert number(receiver.recv(10)) == 2


def test_a_standby_attachment_has_a_socket_of_its_own(routed):
    standby = routed.host_socket("h2", 1)
    assert standby != routed.host_socket("h2")
    assert routed.host_sockets()["h2"] == (routed.host_socket("h2"), standby)
    routed.ofctl("left:1", "add-flow", f"priority=40000,ipv6,ipv6_dst={ROUTE},actions=output:65279")
    with FrameSocket(standby) as receiver, FrameSocket(routed.host_socket("h1")) as sender:
        sender.send(frame(3))
        assert receiver.recv(10) == frame(3)


def test_a_host_that_dies_in_the_middle_of_a_frame_harms_nobody(routed, ends):
    _, receiver = ends
    with socket.socket(socket.AF_UNIX) as broken:
        broken.connect(str(routed.host_socket("h1")))
        broken.sendall(b"\x00\x40half a frame")
    with FrameSocket(routed.host_socket("h1")) as sender:
        sender.send(frame(4))
        assert number(receiver.recv(10)) == 4


def test_a_table_can_be_full(routed):
    routed.set_capacity("right/1", 3)
    try:
        for port in (1, 2):
            routed.ofctl("right/1", "add-flow", f"in_port={port},actions=drop")
        with pytest.raises(FabricError, match="OFPFMFC_TABLE_FULL"):
            routed.ofctl("right/1", "add-flow", "in_port=4,actions=drop")
    finally:
        routed.set_capacity("right/1", None)
    routed.ofctl("right/1", "add-flow", "in_port=4,actions=drop")
    assert len(routed.dump_flows("right/1")) == 4


def test_many_entries_go_in_through_standard_input(routed):
    flows = "".join(f"ipv6,ipv6_dst=ff0e:5:{n:x}::/48,actions=drop\n" for n in range(2000))
    routed.ofctl("left:1", "add-flows", "-", input=flows)
    found = routed.dump_flows("left:1")
    assert len(found) == 2001
    assert {flow.match["ipv6_dst"] for flow in found} >= {"ff0e:5::/48", "ff0e:5:7cf::/48"}


def test_switches_connect_to_the_configured_controller(fabric):
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(60)
        fabric.set_controller(f"tcp:127.0.0.1:{server.getsockname()[1]}")
        connections = [server.accept()[0] for _ in range(3)]
        for connection in connections:
            connection.settimeout(60)
            assert connection.recv(2) == b"\x04\x00"  # version 1.3, hello
        fabric.set_controller()
        for connection in connections:
            with connection:
                while connection.recv(4096):
                    pass


def test_a_wrong_command_is_an_error_with_the_tools_words(fabric):
    with pytest.raises(FabricError, match=r"ovs-ofctl .* add-flow .*: failed with status 1 \(.*nonsense"):
        fabric.ofctl("left:1", "add-flow", "nonsense=1,actions=drop")
    with pytest.raises(FabricError, match="s9: no such switch in the fabric; use one of left:1"):
        fabric.ofctl("s9", "show")
