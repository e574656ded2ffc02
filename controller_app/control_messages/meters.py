"""Meters that hold back a port's control messages and discovery frames at the switch, where it has any.

A meter bears no owner's mark. So own ones have fixed numbers (counted down from the highest, by port) and a
fixed rate, and one that stands there with another rate is somebody else's: it is left alone and not used.
But one that an own entry went through all the time since it was made was never taken away, as its entries
would have gone with it: somebody changed it, and it is put right.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from struct import Struct, error

from controller_app.errors import RequestRejected
from controller_app.openflow import messages
from controller_app.openflow.messages import OpenFlowMessage, RequestType, Stats
from controller_app.switch.connection import Connection

RATE = 200
"""Packets a second that a meter lets through: well above what one port is allowed, to spare the switch and
its channel; the controller's own limit is the finer one, and counts what it holds back."""

BURST = 200

METERS = "meters"
"""The capability's name."""

ALL_METERS = 0xFFFFFFFF
PER_PACKET, WITH_BURST = 1 << 1, 1 << 2
_ADD, _MODIFY, _DROP = 0, 1, 1
_DROP_TYPES, _CAPABLE = 1 << _DROP, PER_PACKET | WITH_BURST
_FEATURES = Struct("!III")
_CONFIG, _BAND = Struct("!HHI"), Struct("!HHII")
_BAND_SIZE = 16


@dataclass(slots=True)
class Meters:
    """What a switch has of meters: the highest number (0 for none), and those that stand, as they are."""

    highest: int = 0
    standing: dict[int, bytes] = field(default_factory=dict)

    def number(self, port: int) -> int | None:
        """The number of the meter for a port; None where there is no room, or somebody else's stands."""
        number = self.highest - port
        if port > self.highest // 2 or number < 1:
            return None
        return number if self.standing.get(number, _OWN) == _OWN else None

    def lacks(self, port: int) -> bool:
        """Whether the port's meter can be made, and does not stand yet."""
        number = self.number(port)
        return number is not None and number not in self.standing

    def changed(self, before: Meters, used: Iterable[int]) -> list[int]:
        """Those of the meters `used` by own entries that were own ones before, and are not as they were."""
        return [
            number
            for number in sorted(used)
            if before.standing.get(number) == _OWN and self.standing.get(number, _OWN) != _OWN
        ]

    def addition(self, port: int) -> OpenFlowMessage:
        """The message that makes the meter of a port that lacks it."""
        return _mod(_ADD, self.highest - port)

    def correction(self, number: int) -> OpenFlowMessage:
        """The message that makes a changed meter as it was."""
        return _mod(_MODIFY, number)

    def correct(self, number: int) -> None:
        """The meter is as it was."""
        self.standing[number] = _OWN

    def note(self, port: int, made: bool) -> None:
        """The meter stands now, or was refused and is not to be used."""
        self.standing[self.highest - port] = _OWN if made else b""


_OWN = _CAPABLE.to_bytes(2, "big") + _BAND.pack(_DROP, _BAND_SIZE, RATE, BURST) + bytes(4)
"""Flags and bands of an own meter."""


def _mod(command: int, number: int) -> OpenFlowMessage:
    return OpenFlowMessage(RequestType.METER_MOD, _CONFIG.pack(command, _CAPABLE, number) + _OWN[2:])


def read_meters(connection: Connection) -> Meters:
    """Asks for meters; a switch that refuses has none. Raises Unreachable."""
    if not connection.features.get("meters"):
        return Meters()
    try:
        features = _ask(connection, messages.multipart(Stats.METER_FEATURES))
        configs = _ask(connection, messages.multipart(Stats.METER_CONFIG, messages.pack_meter(ALL_METERS)))
    except RequestRejected:
        return Meters()
    return Meters(_read_highest(features), read_configs(configs))


def _ask(connection: Connection, question: OpenFlowMessage) -> bytes:
    return b"".join(raw.data for part in connection.request(question) for raw in part)


def _read_highest(data: bytes) -> int:
    """The highest number of a meter that drops by packets; 0 where there is none."""
    try:
        highest, types, capabilities = _FEATURES.unpack_from(data)
    except error:
        return 0
    able = types & _DROP_TYPES and capabilities & _CAPABLE == _CAPABLE
    return int(highest) if able else 0


def read_configs(data: bytes) -> dict[int, bytes]:
    """Flags and bands of the meters in one part, by number."""
    found: dict[int, bytes] = {}
    offset = 0
    while offset + _CONFIG.size <= len(data):
        length, flags, number = _CONFIG.unpack_from(data, offset)
        if length < _CONFIG.size:
            break
        found[number] = flags.to_bytes(2, "big") + data[offset + _CONFIG.size : offset + length]
        offset += length
    return found
