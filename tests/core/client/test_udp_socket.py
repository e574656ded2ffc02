"""A host's own UDP socket, for real, over the loopback interface."""

import socket
import struct
import threading

import pytest

from tercast.client.transports import UdpSocket
from tercast.wire.errors import TransportClosed, TransportError

IP_RECVTTL = 12  # of Linux; Python does not name it


@pytest.fixture(params=["::1", "127.0.0.1"])
def ip(request):
    return request.param


@pytest.fixture
def listening(ip):
    """A socket at a port that was free just now."""
    family = socket.AF_INET6 if ":" in ip else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        probe.bind((ip, 0))
        port = probe.getsockname()[1]
    with UdpSocket(ip, port=port) as opened:
        yield opened


def test_a_datagram_arrives(ip, listening):
    with UdpSocket(ip, port=listening.address()[1], listen=False) as sender:
        for payload in (b"event", b"", bytes(1200)):
            sender.send(ip, payload)
            assert listening.receive(5) == payload
        assert listening.receive(0) is None
        assert listening.receive(0.01) is None
        sender.send(ip, b"event")
        assert listening.receive(1e12) == b"event"
        assert sender.address()[1] != listening.address()[1]


def test_it_is_bound_to_the_own_address_only(ip, listening):
    assert listening.address()[0] == ip


def test_a_second_listener_at_the_address_is_refused_in_one_line(ip, listening):
    with pytest.raises(TransportError, match=rf"cannot open UDP port \d+ at {ip}: Address already in use"):
        UdpSocket(ip, port=listening.address()[1])


def test_ipv4_multicast_leaves_by_the_interface_named_with_64_hops():
    """A member of the group at the loopback interface sees what a switch behind it would."""
    group = "225.144.0.0"
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as member:
        member.bind((group, 0))
        join = struct.pack("=4s4si", socket.inet_aton(group), bytes(4), socket.if_nametoindex("lo"))
        member.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, join)
        member.setsockopt(socket.IPPROTO_IP, IP_RECVTTL, 1)
        member.settimeout(60)
        with UdpSocket("127.0.0.1", "lo", port=member.getsockname()[1], listen=False) as sender:
            sender.send(group, b"event")
        payload, extras, _, source = member.recvmsg(2000, 100)
        assert payload == b"event"
        assert source[0] == "127.0.0.1"
        assert [struct.unpack("@i", data)[0] for _, _, data in extras] == [64]


def test_ipv6_multicast_is_set_to_the_interface_named_and_64_hops():
    """The loopback interface has no IPv6 multicast, so the test reads the options of the socket."""
    with UdpSocket("::1", "lo", listen=False) as sender:
        with socket.socket(fileno=socket.dup(sender.fileno())) as same:
            assert same.getsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_HOPS) == 64
            index = same.getsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_IF)
            assert index == socket.if_nametoindex("lo")
        with pytest.raises(TransportError, match=r"cannot send 5 bytes to ff0e::1: .* unreachable"):
            sender.send("ff0e::1", b"event")


def test_what_cannot_be_opened_or_sent_is_one_line(ip):
    with pytest.raises(TransportError, match="no interface"):
        UdpSocket(ip, "no-such-if")
    with pytest.raises(TransportError, match="not an IP address"):
        UdpSocket("h1")
    with pytest.raises(TransportError, match="cannot open UDP port"):
        UdpSocket("fd00:dead::1" if ":" in ip else "203.0.113.7")
    with pytest.raises(TransportError, match="cannot open UDP port 70000"):
        UdpSocket(ip, port=70000)
    with UdpSocket(ip, listen=False) as opened:
        with pytest.raises(TransportError, match="cannot send 70000 bytes"):
            opened.send(ip, bytes(70000))
        with pytest.raises(TransportError, match="cannot send"):
            opened.send("no address", b"event")


def test_closing_wakes_the_thread_that_waits(listening):
    seen = []

    def wait():
        try:
            listening.receive(None)
        except TransportClosed as error:
            seen.append(error)

    thread = threading.Thread(target=wait)
    thread.start()
    listening.close()
    thread.join(60)
    assert len(seen) == 1
    with pytest.raises(TransportClosed):
        listening.send("::1", b"event")
