"""A host at a fabric port, against a server that speaks the framing as the switch does."""

import shutil
import socket
import tempfile
import threading
from pathlib import Path

import pytest

from tercast.client.transports import FabricPort
from tercast.wire.errors import TransportClosed, TransportError
from tercast.wire.framing import FrameStream
from tercast.wire.packets import EVENT_PORT, Ignored, event_payload, pack_ip, pack_mac, udp_frame

SWITCH, HOST = pack_mac("02:00:00:00:00:fe"), pack_mac("02:00:00:00:00:01")
PORTS = (EVENT_PORT, EVENT_PORT)
ADDRESSES = {"ipv6": ("fd00::1", "fd00::9", "ff0e:4:1400::"), "ipv4": ("10.0.0.1", "10.0.0.9", "225.144.0.0")}


@pytest.fixture
def listener():
    """A listening Unix socket and its path, short enough for the system."""
    folder = Path(tempfile.mkdtemp(dir="/tmp"))
    server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    server.bind(str(folder / "port"))
    server.listen()
    yield server, folder / "port"
    server.close()
    shutil.rmtree(folder)


@pytest.fixture(params=["ipv6", "ipv4"])
def connected(request, listener):
    server, path = listener
    own, peer, group = ADDRESSES[request.param]
    with FabricPort(path, own, "02:00:00:00:00:01") as port, FrameStream(server.accept()[0]) as switch:
        yield port, switch, pack_ip(own), pack_ip(peer), group


def test_an_event_leaves_as_a_multicast_frame_with_the_hosts_addresses(connected):
    port, switch, own, _, group = connected
    port.send(group, b"event")
    frame = switch.receive(5)
    mac = "33:33:00:00:00:00" if ":" in group else "01:00:5e:10:00:00"
    assert frame[:12] == pack_mac(mac) + HOST
    assert own in frame and pack_ip(group) in frame
    assert event_payload(frame, pack_ip(group), EVENT_PORT) == b"event"


def test_what_comes_to_the_host_is_received_and_all_else_counted(connected):
    port, switch, own, peer, _ = connected
    good = udp_frame((SWITCH, HOST), peer, own, b"event", PORTS)
    for frame in (
        udp_frame((SWITCH, HOST), own, peer, b"for another", PORTS),
        udp_frame((SWITCH, HOST), peer, own, b"another port", (EVENT_PORT, 53)),
        good[:-1] + b"T",
        good[:30],
        good[:12] + b"\x81\x00\x00\x05" + good[12:],
        b"",
        bytes(12) + b"\x88\xcc" + bytes(46),
    ):
        switch.send(frame)
    switch.send(good)
    assert port.receive(5) == b"event"
    assert port.receive(0) is None
    assert port.ignored == {
        Ignored.OTHER_ADDRESS: 1,
        Ignored.OTHER_PORT: 1,
        Ignored.BAD_CHECKSUM: 1,
        Ignored.TRUNCATED: 2,
        Ignored.NOT_UDP: 2,
    }


def test_frames_for_others_do_not_stretch_the_timeout(connected):
    port, switch, own, peer, _ = connected
    stop = threading.Event()

    def flood():
        while not stop.is_set():
            switch.send(udp_frame((SWITCH, HOST), own, peer, b"for another", PORTS))

    thread = threading.Thread(target=flood)
    thread.start()
    try:
        assert port.receive(0.05) is None
    finally:
        stop.set()
        while port.receive(0.05) is not None or thread.is_alive():
            pass  # let the flood's last frame through
        thread.join()


def test_frames_cut_in_pieces_are_put_together(connected):
    port, switch, own, peer, _ = connected
    frame = udp_frame((SWITCH, HOST), peer, own, b"event" * 200, PORTS)
    stuff = len(frame).to_bytes(2, "big") + frame
    raw = socket.socket(fileno=socket.dup(switch.fileno()))
    with raw:
        for begin in range(0, len(stuff), 7):
            raw.sendall(stuff[begin : begin + 7])
    assert port.receive(5) == b"event" * 200


def test_a_switch_that_disconnects_is_reported(connected):
    port, switch, _, _, group = connected
    switch.close()
    with pytest.raises(TransportClosed):
        port.receive(5)
    with pytest.raises(TransportClosed):
        port.send(group, b"event")


def test_only_groups_of_the_own_family_can_be_sent_to(connected):
    port, _, _, _, group = connected
    with pytest.raises(TransportError, match="not a multicast address"):
        port.send("fd00::7" if ":" in group else "10.0.0.7", b"event")
    with pytest.raises(TransportError, match="other IP family"):
        port.send("225.128.0.1" if ":" in group else "ff0e::1", b"event")
    with pytest.raises(TransportError, match="not an IP address"):
        port.send("h2", b"event")


@pytest.mark.parametrize(
    ("ip", "mac"), [("h1", "02:00:00:00:00:01"), ("fd00::1", "02:00"), ("fd00::1/64", "")]
)
def test_a_bad_own_address_is_refused_before_connecting(listener, ip, mac):
    with pytest.raises(TransportError, match="is not a"):
        FabricPort(listener[1], ip, mac)
