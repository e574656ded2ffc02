"""Discovery frames: LLDP that names the port it left by, sealed so that only this run's own ones count."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2s
from hmac import compare_digest
from struct import Struct, error, pack, unpack_from

from controller_app.openflow import LLDP_MAC, LLDP_TYPE

OUI = bytes.fromhex("7ec0a5")
"""A locally administered organisation code: the information field that carries the seal."""

_SEALED = Struct("!QII")
_SEAL_SIZE = 16
_LOCAL = 7
_TTL = 120


@dataclass(frozen=True, slots=True)
class Probe:
    """What a discovery frame says: which port sent it, and in which life of that port."""

    dpid: int
    port: int
    life: int


def build(key: bytes, probe: Probe, mac: bytes) -> bytes:
    """The Ethernet frame of a probe, from the port's own MAC address, sealed with `key`."""
    sealed = _SEALED.pack(probe.dpid, probe.port, probe.life)
    return b"".join(
        (
            LLDP_MAC,
            mac,
            pack("!H", LLDP_TYPE),
            _tlv(1, bytes((_LOCAL,)) + f"{probe.dpid:016x}".encode()),
            _tlv(2, bytes((_LOCAL,)) + str(probe.port).encode()),
            _tlv(3, pack("!H", _TTL)),
            _tlv(127, OUI + b"\x01" + sealed + _seal(key, sealed)),
            _tlv(0, b""),
        )
    )


def parse(key: bytes, frame: bytes) -> Probe | None:
    """The probe of a frame that this run sealed, or None for every other frame, whatever its shape."""
    try:
        (eth_type,) = unpack_from("!H", frame, 12)
        own = _own_field(frame[14:]) if eth_type == LLDP_TYPE else None
    except error:
        return None
    if own is None or len(own) != _SEALED.size + _SEAL_SIZE:
        return None
    sealed, seal = own[: _SEALED.size], own[_SEALED.size :]
    if not compare_digest(seal, _seal(key, sealed)):
        return None
    return Probe(*_SEALED.unpack(sealed))


def _own_field(data: bytes) -> bytes | None:
    """The value of the own information field, without its organisation code."""
    offset = 0
    while offset + 2 <= len(data):
        (header,) = unpack_from("!H", data, offset)
        kind, length = header >> 9, header & 0x1FF
        value = data[offset + 2 : offset + 2 + length]
        if kind == 0 or len(value) < length:
            return None
        if kind == 127 and value.startswith(OUI + b"\x01"):
            return value[4:]
        offset += 2 + length
    return None


def _tlv(kind: int, value: bytes) -> bytes:
    return pack("!H", kind << 9 | len(value)) + value


def _seal(key: bytes, sealed: bytes) -> bytes:
    return blake2s(sealed, key=key, digest_size=_SEAL_SIZE).digest()
