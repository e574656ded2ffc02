"""Discovery frames: well-formed for all receivers, valid only with the seal, and for a short time."""

from __future__ import annotations

from importlib import import_module

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller_app import ryu_api
from controller_app.openflow.lldp import Probe, ProbeFault, SealWindow, build, parse

other_lldp = import_module(f"{ryu_api.LIBRARY}.lib.packet.lldp")
packet = import_module(f"{ryu_api.LIBRARY}.lib.packet.packet")

KEY, OTHER = b"k" * 32, b"o" * 32
MAC = bytes.fromhex("020000a10001")
words = st.integers(1, (1 << 64) - 1)
probes = st.builds(
    Probe, words, st.integers(1, 0xFFFFFF00), st.integers(1, (1 << 32) - 1), words, words, words
)
RUN, SECONDS = 77, 10.0


def sent(number: int, at: int, run: int = RUN) -> Probe:
    return Probe(0xA1, 3, 1, run, number, at)


@given(probes)
def test_a_probe_reads_back(probe: Probe) -> None:
    assert parse(KEY, build(KEY, probe, MAC)) == probe


@given(probes)
def test_a_frame_under_another_key_is_forged(probe: Probe) -> None:
    assert parse(KEY, build(OTHER, probe, MAC)) is ProbeFault.FORGED


@given(probes, st.data())
def test_a_changed_bit_in_what_is_sealed_or_in_the_seal_is_forged(probe: Probe, data) -> None:
    frame = bytearray(build(KEY, probe, MAC))
    at = data.draw(st.integers(len(frame) - 58, len(frame) - 3))
    frame[at] ^= 1 << data.draw(st.integers(0, 7))
    assert parse(KEY, bytes(frame)) is ProbeFault.FORGED


@given(probes, st.integers(0, 200))
def test_a_frame_that_is_cut_is_no_probe(probe: Probe, length: int) -> None:
    frame = build(KEY, probe, MAC)
    assert length >= len(frame) - 2 or parse(KEY, frame[:length]) in (ProbeFault.FOREIGN, ProbeFault.UNSEALED)


@given(st.binary(max_size=120))
def test_any_bytes_are_foreign(data: bytes) -> None:
    assert parse(KEY, data) is ProbeFault.FOREIGN
    assert isinstance(parse(KEY, bytes(12) + b"\x88\xcc" + data), ProbeFault)


@pytest.mark.parametrize("number", [1, (1 << 64) - 1])
def test_other_readers_understand_the_frame(number: int) -> None:
    read = packet.Packet(build(KEY, Probe(number, 7, 1, 2, 3, 4), MAC)).get_protocol(other_lldp.lldp)
    chassis, port, ttl, own, end = read.tlvs
    assert chassis.chassis_id == f"{number:016x}".encode()
    assert (port.port_id, ttl.ttl) == (b"7", 120)
    assert own.oui == bytes.fromhex("7ec0a5")
    assert isinstance(end, other_lldp.End)


CHASSIS, PORT, TTL, END = "0211073030303030303030303030303030306131", "04020733", "06020078", "0000"
OTHERS = {
    "by MAC address, as most switches send it": "0207040000000000b2" + "0407033030303031" + TTL + END,
    "by a local name": "0206077377697463" + PORT + TTL + END,
    "with another organisation's field": "0207040000000000b2" + PORT + TTL + "fe060080c2010001" + END,
    "with a local name of 16 other characters": "021107" + b"switch-in-rack-4".hex() + PORT + TTL + END,
}
IMITATIONS = {
    "no own field": CHASSIS + PORT + TTL + END,
    "the field of an earlier release": CHASSIS + PORT + TTL + "fe247ec0a501" + "00" * 32 + END,
    "a field without a seal": CHASSIS + PORT + TTL + "fe2c7ec0a502" + "00" * 40 + END,
    "the field alone": "fe2c7ec0a502" + "00" * 40 + END,
}


@pytest.mark.parametrize("fields", OTHERS.values(), ids=OTHERS)
def test_frames_of_other_systems_are_foreign_and_no_attempt(fields: str) -> None:
    assert parse(KEY, bytes(12) + b"\x88\xcc" + bytes.fromhex(fields)) is ProbeFault.FOREIGN


@pytest.mark.parametrize("fields", IMITATIONS.values(), ids=IMITATIONS)
def test_imitations_are_unsealed(fields: str) -> None:
    assert parse(KEY, bytes(12) + b"\x88\xcc" + bytes.fromhex(fields)) is ProbeFault.UNSEALED


@pytest.mark.parametrize(
    ("probe", "now", "fault"),
    [
        (sent(1, 5000), 5000, None),
        (sent(1, 5000), 15_000, None),
        (sent(1, 5000), 15_001, ProbeFault.STALE),
        (sent(1, 5000), 4999, ProbeFault.STALE),
        (sent(1, 5000, run=78), 5001, ProbeFault.STALE),
    ],
)
def test_a_probe_counts_for_a_while_and_in_its_run_only(
    probe: Probe, now: int, fault: ProbeFault | None
) -> None:
    assert SealWindow(RUN, SECONDS).fault(probe, (1, 1), now) is fault


def test_a_probe_counts_once_at_each_port() -> None:
    window = SealWindow(RUN, SECONDS)
    assert window.fault(sent(1, 0), (1, 1), 10) is None
    assert window.fault(sent(1, 0), (1, 2), 10) is None
    assert window.fault(sent(1, 0), (1, 1), 10_000) is ProbeFault.REPLAYED
    assert window.fault(sent(2, 0), (1, 1), 10_000) is None
    assert window.fault(sent(1, 0), (1, 1), 10_011) is ProbeFault.STALE


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 3000)), max_size=60))
def test_no_probe_counts_twice_and_little_is_remembered(steps: list[tuple[int, int]]) -> None:
    window, now, accepted = SealWindow(RUN, SECONDS), 0, set()
    for number, pause in steps:
        now += pause
        fault = window.fault(sent(number, 500 * number), (1, 1), now)
        assert (fault is None) == (number not in accepted and 0 <= now - 500 * number <= 10_000)
        accepted |= {number} if fault is None else set()
    window.fault(sent(99, 0), (1, 1), now + 20_001)
    assert len(window) == 0
