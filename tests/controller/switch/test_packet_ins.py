"""The rate limit of a port's packets: by ingress port, with a separate limit for control messages."""

from __future__ import annotations

import struct
from collections import Counter

import pytest

from controller_app.openflow.flow_mods import EntryKind
from controller_app.switch.packet_in_limits import BURST, RATE, PacketIns, PacketOrigin

LLDP, SIGNAL, TABLE_MISS = EntryKind.LLDP.cookie, EntryKind.PUNT.cookie, 0


def packet_in(port: int | None, cookie: int = LLDP) -> bytes:
    fields = b"" if port is None else struct.pack("!II", 0x80000004, port)
    match = struct.pack("!HH", 1, 4 + len(fields)) + fields
    head = struct.pack("!BBHIIHBBQ", 4, 10, 0, 0, 0xFFFFFFFF, 60, 1, 0, cookie)
    return head + match + bytes(-len(match) % 8) + bytes(62)


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def packets(clock: Clock) -> PacketIns:
    return PacketIns({1: None, 2: None}, clock)


def admitted(packets: PacketIns, frame: bytes, number: int = 1000) -> int:
    return sum(packets.admits(frame) for _ in range(number))


def test_a_port_has_its_burst_then_its_rate(packets: PacketIns, clock: Clock) -> None:
    assert admitted(packets, packet_in(1)) == BURST
    clock.now += 0.5
    assert admitted(packets, packet_in(1)) == RATE / 2
    clock.now += 3600
    assert admitted(packets, packet_in(1)) == BURST


@pytest.mark.parametrize(
    "other",
    [packet_in(2), packet_in(1, SIGNAL), packet_in(1, TABLE_MISS), packet_in(9), packet_in(None)],
)
def test_flood_keeps_the_share_of_other_ports(packets: PacketIns, other: bytes) -> None:
    admitted(packets, packet_in(1))
    assert admitted(packets, other) == BURST


def test_unknown_ports_share_one_bucket(packets: PacketIns) -> None:
    assert sum(packets.admits(packet_in(port)) for port in range(3, 2000)) == BURST
    assert not packets.admits(packet_in(None)) and packets.admits(packet_in(1))


def test_dropped_messages_are_counted_by_port_and_kind(packets: PacketIns) -> None:
    admitted(packets, packet_in(1))
    admitted(packets, packet_in(1, EntryKind.LLDP_PORT.cookie), 1)
    admitted(packets, packet_in(2, SIGNAL), 110)
    admitted(packets, packet_in(2, TABLE_MISS), 120)
    admitted(packets, packet_in(2, 0xFFFFFFFFFFFFFFFF), 130)  # no cookie: the switch names no entry
    dropped = {
        (1, PacketOrigin.PROBE): 901,
        (2, PacketOrigin.SIGNAL): 10,
        (2, PacketOrigin.FOREIGN): 20,
        (2, PacketOrigin.PROBE): 30,
    }
    assert packets.take_dropped() == Counter(dropped)
    assert not packets.take_dropped()


def test_a_port_that_came_again_begins_with_its_burst(packets: PacketIns) -> None:
    admitted(packets, packet_in(1))
    packets.forget(1)
    assert admitted(packets, packet_in(1)) == BURST


@pytest.mark.parametrize("length", range(28, 45))
def test_a_packet_that_is_cut_counts_for_no_port(packets: PacketIns, length: int) -> None:
    assert packets.admits(packet_in(1)[:length])
