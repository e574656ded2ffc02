"""Discovery frames: LLDP that names the port it left by, under a seal that only this installation writes.

The own information field (organisation code `7e c0 a5`, subtype 2) holds the datapath id, the port, the life
of the port, the run of the controller, a number that this run uses once, and the time of sending on the run's
monotonic clock, then 16 bytes of HMAC-SHA-256 over them.
"""

from __future__ import annotations

import hmac
from collections import OrderedDict
from dataclasses import dataclass
from enum import Enum
from struct import Struct, error, pack, unpack_from

from controller_app.openflow.oxm import LLDP_MAC, LLDP_TYPE

OUI = bytes.fromhex("7ec0a5")
"""A locally administered organisation code: the information field that carries the seal."""

_SUBTYPE = b"\x02"
_SEALED = Struct("!QIIQQQ")
_SEAL_SIZE = 16
_LOCAL = 7
_TTL = 120


class ProbeFault(Enum):
    """Why a discovery frame counts for nothing."""

    FOREIGN = "foreign"
    """LLDP of another system, or no LLDP at all: nobody's fault."""
    UNSEALED = "unsealed"
    """It has this system's form, and no seal."""
    FORGED = "forged"
    """Its seal does not fit: it is another key's, or the frame was changed."""
    STALE = "stale"
    """It was sent longer ago than a probe counts, or by an earlier run of the controller."""
    REPLAYED = "replayed"
    """The port has received this very probe before."""
    OUTDATED = "outdated"
    """One of its ports went down, or is gone, since it was sent."""
    RATE = "rate"
    """Its port sends more than its share: it was dropped unread."""
    REFLECTED = "reflected"
    """It came back to the port that it left by."""


@dataclass(frozen=True, slots=True)
class Probe:
    """Content of a discovery frame.

    Attributes:
        dpid: Datapath id of the switch that sent it.
        port: Port that it left by.
        life: Number of the port's time in service since it last came up; the run uses it once.
        run: Random number of the controller's run.
        number: Number of the probe, which the run uses once.
        sent: Milliseconds on the run's monotonic clock.
    """

    dpid: int
    port: int
    life: int
    run: int
    number: int
    sent: int


def build(key: bytes, probe: Probe, mac: bytes) -> bytes:
    """Return the Ethernet frame of a probe, from the port's own MAC address, sealed with `key`."""
    sealed = _SEALED.pack(probe.dpid, probe.port, probe.life, probe.run, probe.number, probe.sent)
    return b"".join(
        (
            LLDP_MAC,
            mac,
            pack("!H", LLDP_TYPE),
            _tlv(1, bytes((_LOCAL,)) + f"{probe.dpid:016x}".encode()),
            _tlv(2, bytes((_LOCAL,)) + str(probe.port).encode()),
            _tlv(3, pack("!H", _TTL)),
            _tlv(127, OUI + _SUBTYPE + sealed + _seal(key, sealed)),
            _tlv(0, b""),
        )
    )


def parse(key: bytes, frame: bytes) -> Probe | ProbeFault:
    """Return the probe of a frame that was sealed with `key`, or what is wrong with it."""
    try:
        (eth_type,) = unpack_from("!H", frame, 12)
    except error:
        return ProbeFault.FOREIGN
    if eth_type != LLDP_TYPE:
        return ProbeFault.FOREIGN
    own, imitated = _own_field(frame[14:])
    if own is None:
        return ProbeFault.UNSEALED if imitated else ProbeFault.FOREIGN
    if len(own) != _SEALED.size + _SEAL_SIZE:
        return ProbeFault.UNSEALED
    sealed, seal = own[: _SEALED.size], own[_SEALED.size :]
    if not hmac.compare_digest(seal, _seal(key, sealed)):
        return ProbeFault.FORGED
    return Probe(*_SEALED.unpack(sealed))


class SealWindow:
    """Accepts each probe of a run once at each port, for `seconds` after it was sent.

    Remembers what it accepted for as long as the same probe could be accepted again, and no longer.
    """

    def __init__(self, run: int, seconds: float) -> None:
        self._run = run
        self._length = round(seconds * 1000)
        self._accepted: OrderedDict[tuple[int, int, int], int] = OrderedDict()

    def fault(self, probe: Probe, receiver: tuple[int, int], now: int) -> ProbeFault | None:
        """Accept a probe at a port, or return why it is refused.

        Args:
            probe: What came in, its seal being right.
            receiver: Datapath id and port where it came in.
            now: Milliseconds on the run's monotonic clock.
        """
        self._forget(now)
        if probe.run != self._run or not 0 <= now - probe.sent <= self._length:
            return ProbeFault.STALE
        key = (probe.number, *receiver)
        if key in self._accepted:
            return ProbeFault.REPLAYED
        self._accepted[key] = now
        return None

    def __len__(self) -> int:
        return len(self._accepted)

    def _forget(self, now: int) -> None:
        while self._accepted and now - next(iter(self._accepted.values())) > self._length:
            self._accepted.popitem(last=False)


def _own_field(data: bytes) -> tuple[bytes | None, bool]:
    """Return the own field without its organisation code, and whether the frame has this system's form.

    The form: a chassis that is named by 16 hexadecimal digits, or another field with the organisation code.
    """
    offset, imitated = 0, False
    while offset + 2 <= len(data):
        (header,) = unpack_from("!H", data, offset)
        kind, length = header >> 9, header & 0x1FF
        value = data[offset + 2 : offset + 2 + length]
        if kind == 0 or len(value) < length:
            break
        if kind == 127 and value.startswith(OUI + _SUBTYPE):
            return value[4:], True
        imitated |= kind == 127 and value.startswith(OUI)
        imitated |= kind == 1 and _is_datapath_id(value)
        offset += 2 + length
    return None, imitated


def _is_datapath_id(value: bytes) -> bool:
    text = value[1:]
    return value[:1] == bytes((_LOCAL,)) and len(text) == 16 and all(c in b"0123456789abcdef" for c in text)


def _tlv(kind: int, value: bytes) -> bytes:
    return pack("!H", kind << 9 | len(value)) + value


def _seal(key: bytes, sealed: bytes) -> bytes:
    return hmac.digest(key, sealed, "sha256")[:_SEAL_SIZE]
