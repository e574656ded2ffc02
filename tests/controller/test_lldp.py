"""Discovery frames: well-formed for everybody, credible only with the seal."""

from __future__ import annotations

from importlib import import_module

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller_app import ryu_api
from controller_app.lldp import Probe, build, parse

other_lldp = import_module(f"{ryu_api.LIBRARY}.lib.packet.lldp")
packet = import_module(f"{ryu_api.LIBRARY}.lib.packet.packet")

KEY, OTHER = b"k" * 32, b"o" * 32
MAC = bytes.fromhex("020000a10001")
probes = st.builds(
    Probe, st.integers(1, (1 << 64) - 1), st.integers(1, 0xFFFFFF00), st.integers(1, (1 << 32) - 1)
)


@given(probes)
def test_a_probe_reads_back(probe: Probe) -> None:
    assert parse(KEY, build(KEY, probe, MAC)) == probe


@given(probes)
def test_a_frame_of_another_run_is_foreign(probe: Probe) -> None:
    assert parse(KEY, build(OTHER, probe, MAC)) is None


@given(probes, st.data())
def test_a_changed_bit_in_what_is_sealed_is_foreign(probe: Probe, data) -> None:
    frame = bytearray(build(KEY, probe, MAC))
    at = data.draw(st.integers(len(frame) - 34, len(frame) - 3))
    frame[at] ^= 1 << data.draw(st.integers(0, 7))
    assert parse(KEY, bytes(frame)) is None


@given(probes, st.integers(0, 200))
def test_a_frame_that_is_cut_is_foreign(probe: Probe, length: int) -> None:
    frame = build(KEY, probe, MAC)
    assert length >= len(frame) - 2 or parse(KEY, frame[:length]) is None


@given(st.binary(max_size=120))
def test_any_bytes_are_foreign(data: bytes) -> None:
    assert parse(KEY, data) is None
    assert parse(KEY, bytes(12) + b"\x88\xcc" + data) is None


@pytest.mark.parametrize("number", [1, (1 << 64) - 1])
def test_other_readers_understand_the_frame(number: int) -> None:
    read = packet.Packet(build(KEY, Probe(number, 7, 1), MAC)).get_protocol(other_lldp.lldp)
    chassis, port, ttl, own, end = read.tlvs
    assert chassis.chassis_id == f"{number:016x}".encode()
    assert (port.port_id, ttl.ttl) == (b"7", 120)
    assert own.oui == bytes.fromhex("7ec0a5")
    assert isinstance(end, other_lldp.End)
