"""Frames around events: headers and checksums, computed again in a slow way; and other frames."""

import ipaddress
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercast.eventspace.address_plan import multicast_mac
from tercast.wire import packets
from tercast.wire.packets import Ignored, event_payload, group_mac, pack_ip, pack_mac, udp_frame

MACS = (pack_mac("02:00:00:00:00:01"), pack_mac("02:00:00:00:00:02"))
PORTS = (7373, 7373)
V6 = (pack_ip("fd00::1"), pack_ip("fd00::2"))
V4 = (pack_ip("10.0.0.1"), pack_ip("10.0.0.2"))


def slow_sum(data: bytes) -> int:
    """RFC 1071, word by word with end-around carry."""
    total = 0
    for (word,) in struct.iter_unpack(">H", data + b"\0" * (len(data) % 2)):
        total += word
        total = (total & 0xFFFF) + (total >> 16)
    return total


def good_udp(frame: bytes) -> bool:
    if frame[12:14] == b"\x86\xdd":
        datagram = frame[54:]
        pseudo = frame[22:54] + struct.pack(">II", len(datagram), 17)
    else:
        datagram = frame[34:]
        pseudo = frame[26:34] + struct.pack(">BBH", 0, 17, len(datagram))
    return datagram[6:8] != b"\0\0" and slow_sum(pseudo + datagram) == 0xFFFF


def test_the_textbook_ipv4_header_has_its_textbook_checksum():
    header = bytes.fromhex("45000073000040004011") + bytes(2) + bytes.fromhex("c0a80001c0a800c7")
    assert packets.checksum(header) == 0xB861


@pytest.mark.parametrize("ends", [V6, V4], ids=["ipv6", "ipv4"])
@given(payload=st.binary(max_size=1300))
def test_a_frame_has_right_checksums_and_reads_back(ends, payload):
    frame = udp_frame(MACS, *ends, payload, PORTS)
    assert good_udp(frame)
    if ends is V4:
        assert slow_sum(frame[14:34]) == 0xFFFF
    assert event_payload(frame, ends[1], 7373) == payload
    assert event_payload(frame + bytes(20), ends[1], 7373) == payload  # padding of short Ethernet frames


@pytest.mark.parametrize(
    ("ends", "frame"),
    [
        (
            ("fd00::1", "ff0e:4:1400::"),
            "3333000000000200000000 0186dd 600e7f8d000d1140 fd000000000000000000000000000001"
            "ff0e000414000000 0000000000000000 1ccd1ccd000d7740 6576656e74",
        ),
        (
            ("10.0.0.1", "225.144.0.0"),
            "01005e100000020000000001 0800 4500002154924000 4011faa8 0a000001 e1900000"
            "1ccd1ccd000d9bc3 6576656e74",
        ),
    ],
)
def test_the_checksums_are_those_of_linux(ends, frame):
    """Frames that Linux sent from a UDP socket with checksum offload switched off."""
    known = bytes.fromhex(frame.replace(" ", ""))
    source, target = map(pack_ip, ends)
    own = udp_frame((MACS[0], group_mac(target)), source, target, b"event", PORTS)
    assert own[-13:] == known[-13:]
    assert own[:14] == known[:14]
    assert event_payload(known, target, 7373) == b"event"


def test_the_ipv6_header_is_plain_udp_with_hop_limit_64():
    frame = udp_frame(MACS, *V6, b"hello", PORTS)
    assert frame[:14] == MACS[1] + MACS[0] + b"\x86\xdd"
    assert frame[14:22] == bytes.fromhex("60000000" + "000d" + "11" + "40")
    assert frame[54:60] == struct.pack(">HHH", 7373, 7373, 13)


def test_the_ipv4_header_is_plain_udp_with_ttl_64():
    frame = udp_frame(MACS, *V4, b"hello", PORTS)
    assert frame[12:24] == bytes.fromhex("0800" + "4500" + "0021" + "0000" + "4000" + "4011")


@pytest.mark.parametrize("ends", [V6, V4], ids=["ipv6", "ipv4"])
def test_a_checksum_of_zero_is_sent_as_all_ones(ends):
    """For some two-byte payload the sum is zero, which must not be sent as 'no checksum'."""
    bare = udp_frame(MACS, *ends, b"\0\0", PORTS)
    at = 60 if ends is V6 else 40
    payload = bare[at : at + 2]  # adding the checksum itself makes the sum all ones, its complement zero
    frame = udp_frame(MACS, *ends, payload, PORTS)
    assert frame[at : at + 2] == b"\xff\xff"
    assert event_payload(frame, ends[1], 7373) == payload


def test_an_ipv4_header_checksum_of_zero_is_zero():
    """Unlike the checksum of UDP, zero has no other meaning here."""
    plain = udp_frame(MACS, *V4, b"payload", PORTS)
    lacking = int.from_bytes(
        plain[24:26], "big"
    )  # the ones' complement of the sum: adding it results in all ones
    host = int.from_bytes(V4[0][2:], "big") + lacking
    source = V4[0][:2] + ((host & 0xFFFF) + (host >> 16)).to_bytes(2, "big")
    frame = udp_frame(MACS, source, V4[1], b"payload", PORTS)
    assert frame[24:26] == b"\0\0"
    assert slow_sum(frame[14:34]) == 0xFFFF
    assert event_payload(frame, V4[1], 7373) == b"payload"


@pytest.mark.parametrize("ends", [V6, V4], ids=["ipv6", "ipv4"])
def test_any_flipped_bit_behind_the_addresses_is_noticed(ends):
    frame = udp_frame(MACS, *ends, b"payload", PORTS)
    for position in range(54 if ends is V6 else 34, len(frame)):
        for bit in range(8):
            broken = bytearray(frame)
            broken[position] ^= 1 << bit
            assert isinstance(event_payload(bytes(broken), ends[1], 7373), Ignored), (position, bit)


def test_a_wrong_ipv4_header_checksum_is_noticed():
    frame = bytearray(udp_frame(MACS, *V4, b"payload", PORTS))
    frame[22] -= 1  # a changed time to live without a new checksum
    assert event_payload(bytes(frame), V4[1], 7373) is Ignored.BAD_CHECKSUM


def test_no_checksum_is_fine_on_ipv4_and_not_on_ipv6():
    four, six = (bytearray(udp_frame(MACS, *ends, b"payload", PORTS)) for ends in (V4, V6))
    four[40:42] = six[60:62] = b"\0\0"
    assert event_payload(bytes(four), V4[1], 7373) == b"payload"
    assert event_payload(bytes(six), V6[1], 7373) is Ignored.BAD_CHECKSUM


@pytest.mark.parametrize("ends", [V6, V4], ids=["ipv6", "ipv4"])
def test_every_truncation_is_ignored(ends):
    frame = udp_frame(MACS, *ends, b"payload", PORTS)
    for length in range(len(frame)):
        assert isinstance(event_payload(frame[:length], ends[1], 7373), Ignored), length


def patched(frame: bytes, at: int, value: bytes) -> bytes:
    return frame[:at] + value + frame[at + len(value) :]


def resummed(frame: bytes) -> bytes:
    """The IPv4 frame with a corrected header checksum."""
    bare = patched(frame, 24, b"\0\0")
    return patched(frame, 24, (0xFFFF ^ slow_sum(bare[14 : 14 + (frame[14] & 15) * 4])).to_bytes(2, "big"))


SIX = udp_frame(MACS, *V6, b"payload", PORTS)
FOUR = udp_frame(MACS, *V4, b"payload", PORTS)


@pytest.mark.parametrize(
    ("frame", "own", "why"),
    [
        (SIX, V6[0], Ignored.OTHER_ADDRESS),
        (FOUR, V4[0], Ignored.OTHER_ADDRESS),
        (SIX, V4[1], Ignored.OTHER_ADDRESS),
        (udp_frame(MACS, *V6, b"x", (7373, 7374)), V6[1], Ignored.OTHER_PORT),
        (udp_frame(MACS, *V4, b"x", (7373, 53)), V4[1], Ignored.OTHER_PORT),
        (SIX[:12] + b"\x81\x00\x00\x05" + SIX[12:], V6[1], Ignored.NOT_UDP),  # a VLAN tag
        (patched(SIX, 20, b"\x00"), V6[1], Ignored.NOT_UDP),  # hop-by-hop options
        (patched(SIX, 20, b"\x2c"), V6[1], Ignored.NOT_UDP),  # a fragment
        (patched(SIX, 20, b"\x06"), V6[1], Ignored.NOT_UDP),  # TCP
        (resummed(patched(FOUR, 23, b"\x06")), V4[1], Ignored.NOT_UDP),
        (resummed(patched(FOUR, 20, b"\x20\x00")), V4[1], Ignored.NOT_UDP),  # more fragments
        (resummed(patched(FOUR, 20, b"\x00\x10")), V4[1], Ignored.NOT_UDP),  # a later fragment
        (resummed(patched(FOUR, 14, b"\x44")), V4[1], Ignored.TRUNCATED),  # a header of 16 bytes
        (patched(FOUR, 14, b"\x4f"), V4[1], Ignored.TRUNCATED),  # options longer than the packet
        (patched(SIX, 14, b"\x40"), V6[1], Ignored.NOT_UDP),  # version 4 in an IPv6 frame
        (patched(SIX, 58, b"\x00\x07"), V6[1], Ignored.TRUNCATED),  # UDP length below its header
        (patched(SIX, 58, b"\xff\xff"), V6[1], Ignored.TRUNCATED),  # UDP length beyond the packet
        (patched(SIX, 18, b"\x00\x03"), V6[1], Ignored.TRUNCATED),  # no space for a UDP header
        (MACS[1] + MACS[0] + b"\x08\x06" + bytes(28), V4[1], Ignored.NOT_UDP),  # ARP
        (MACS[1] + MACS[0] + b"\x88\xcc" + bytes(60), V6[1], Ignored.NOT_UDP),  # LLDP
        (b"", V6[1], Ignored.TRUNCATED),
    ],
)
def test_what_is_not_for_this_host_is_distinguished(frame, own, why):
    assert event_payload(frame, own, 7373) is why


def test_ipv4_options_are_skipped():
    plain = FOUR
    options = b"\x94\x04\x00\x00"  # router alert
    longer = plain[:34] + options + plain[34:]
    longer = patched(longer, 14, b"\x46")
    longer = resummed(patched(longer, 16, (len(longer) - 14).to_bytes(2, "big")))
    assert event_payload(longer, V4[1], 7373) == b"payload"


@given(
    st.binary(max_size=120),
    st.sampled_from([V6[1], V4[1]]),
    st.sampled_from([b"\x86\xdd\x60", b"\x08\x00\x45"]),
)
def test_no_bytes_raise(noise, own, start):
    event_payload(noise, own, 7373)
    event_payload(bytes(12) + start + noise, own, 7373)


@given(st.integers(0, (1 << 120) - 1).map(lambda low: str(ipaddress.IPv6Address(0xFF << 120 | low))))
def test_ipv6_group_addresses_are_the_addressing_modules(address):
    assert group_mac(pack_ip(address)).hex(":") == multicast_mac(address)


@given(st.integers(0, (1 << 28) - 1).map(lambda low: str(ipaddress.IPv4Address(0xE << 28 | low))))
def test_ipv4_group_addresses_are_the_addressing_modules(address):
    assert group_mac(pack_ip(address)).hex(":") == multicast_mac(address)


@pytest.mark.parametrize("text", ["", "fd00::1::2", "1.2.3", "1.2.3.4.5", "fd00::1%lo", "h1", "1.2.3.4\0"])
def test_what_is_no_address_is_a_value_error(text):
    with pytest.raises(ValueError, match="not an IP address"):
        pack_ip(text)


@pytest.mark.parametrize(
    "text",
    ["", "02:00:00:00:00", "2:0:0:0:0:1", "02-00-00-00-00-01", "02:00:00:00:00:0g", "02:00:00:00:00:+1"],
)
def test_what_is_no_mac_is_a_value_error(text):
    with pytest.raises(ValueError):
        pack_mac(text)


@pytest.mark.parametrize("address", ["fd00::1", "10.0.0.1"])
def test_only_groups_have_a_group_address(address):
    with pytest.raises(ValueError, match="not a multicast"):
        group_mac(pack_ip(address))
