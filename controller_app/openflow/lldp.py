"""Discovery frames: LLDP that names the port of its sender and has a seal.

The seal is in an information field (organisation code `7e c0 a5`, subtype 2). The field has these parts:
datapath id, port, life of the port, run of the controller, a number that this run uses once, and the time of
sending on the monotonic clock of the run. Then 16 bytes of HMAC-SHA-256 over these parts follow.
"""

from __future__ import annotations

import hmac
from collections import OrderedDict
from dataclasses import dataclass
from enum import Enum
from struct import Struct, error, pack, unpack_from

from controller_app.openflow.oxm import LLDP_MAC, LLDP_TYPE

OUI = bytes.fromhex("7ec0a5")
"""A locally administered organisation code, for the information field with the seal."""

_SUBTYPE = b"\x02"
_SEALED = Struct("!QIIQQQ")
_SEAL_SIZE = 16
_LOCAL = 7
_TTL = 120


class ProbeFault(Enum):
    """Reason why a discovery frame does not count."""

    FOREIGN = "foreign"
    """It is LLDP of another system, or not LLDP: normal operation."""
    UNSEALED = "unsealed"
    """It has the form of this system's probes but no seal."""
    FORGED = "forged"
    """Its seal is wrong: another key made it, or the frame was changed."""
    STALE = "stale"
    """It was sent too long ago, or by an earlier run of the controller."""
    REPLAYED = "replayed"
    """The port has received the same probe before."""
    OUTDATED = "outdated"
    """One of its ports went down or was removed after it was sent."""
    RATE = "rate"
    """Its port sends more than its rate limit: it was dropped unread."""
    REFLECTED = "reflected"
    """It arrived at the port that sent it."""


@dataclass(frozen=True, slots=True)
class Probe:
    """Content of a discovery frame.

    Attributes:
        dpid: Datapath id of the switch that sent it.
        port: Port that it left by.
        life: Number of the period since the port last came up; the run uses it once.
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
    """Return the probe in a frame, or its fault.

    Args:
        key: Key with which the frame must be sealed.
    """
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

    It remembers an accepted probe only until the probe is too old to be accepted again.
    """

    def __init__(self, run: int, seconds: float) -> None:
        self._run = run
        self._length = round(seconds * 1000)
        self._accepted: OrderedDict[tuple[int, int, int], int] = OrderedDict()

    def fault(self, probe: Probe, receiver: tuple[int, int], now: int) -> ProbeFault | None:
        """Accept a probe at a port, or return why it is refused.

        Args:
            probe: A received probe with a correct seal.
            receiver: Datapath id and port that received it.
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
    """Return the own field without its organisation code, and whether the frame imitates one.

    A frame has this form if 16 hexadecimal digits name its chassis, or if it has any field with the
    organisation code.
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
