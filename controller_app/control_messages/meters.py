"""Meters that limit a port's control messages and discovery frames at the switch.

A meter has no field for its owner. So own meters have fixed numbers (the highest number minus the port
number) and a fixed rate. A meter with such a number and another rate belongs to another owner: it is neither
changed nor used. There is one exception: an own entry has used the meter since the meter was added. Such a
meter was never removed, because a switch removes the entries of a meter together with it. So another
controller has changed the meter, and it is corrected.
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
"""Packets per second that a meter passes. The controller's own limit per port is lower, and it counts what it
drops; the meter only protects the switch and its channel."""

BURST = 200

METERS = "meters"
"""Name of the capability."""

ALL_METERS = 0xFFFFFFFF
PER_PACKET, WITH_BURST = 1 << 1, 1 << 2
_ADD, _MODIFY, _DROP = 0, 1, 1
_DROP_TYPES, _CAPABLE = 1 << _DROP, PER_PACKET | WITH_BURST
_FEATURES = Struct("!III")
_CONFIG, _BAND = Struct("!HHI"), Struct("!HHII")
_BAND_SIZE = 16


@dataclass(slots=True)
class Meters:
    """Meters of a switch: the highest number (0: none), and the existing meters as read."""

    highest: int = 0
    standing: dict[int, bytes] = field(default_factory=dict)

    def number(self, port: int) -> int | None:
        """Return the number of a port's meter; None if there is none or another owner has it."""
        number = self.highest - port
        if port > self.highest // 2 or number < 1:
            return None
        return number if self.standing.get(number, _OWN) == _OWN else None

    def lacks(self, port: int) -> bool:
        """Whether the port's meter can be added and does not exist yet."""
        number = self.number(port)
        return number is not None and number not in self.standing

    def changed(self, before: Meters, used: Iterable[int]) -> list[int]:
        """Return the meters of `used` that were own ones and have changed since."""
        return [
            number
            for number in sorted(used)
            if before.standing.get(number) == _OWN and self.standing.get(number, _OWN) != _OWN
        ]

    def addition(self, port: int) -> OpenFlowMessage:
        """Return the message that adds a port's meter."""
        return _mod(_ADD, self.highest - port)

    def correction(self, number: int) -> OpenFlowMessage:
        """Return the message that restores a changed meter."""
        return _mod(_MODIFY, number)

    def correct(self, number: int) -> None:
        """Record that a meter has been restored."""
        self.standing[number] = _OWN

    def record_result(self, port: int, made: bool) -> None:
        """Record that a port's meter was added, or that the switch refused it."""
        self.standing[self.highest - port] = _OWN if made else b""


_OWN = _CAPABLE.to_bytes(2, "big") + _BAND.pack(_DROP, _BAND_SIZE, RATE, BURST) + bytes(4)
"""Flags and bands of an own meter."""


def _mod(command: int, number: int) -> OpenFlowMessage:
    return OpenFlowMessage(RequestType.METER_MOD, _CONFIG.pack(command, _CAPABLE, number) + _OWN[2:])


def read_meters(connection: Connection) -> Meters:
    """Read the meters of a switch; a switch that refuses the question has none.

    Raises:
        Unreachable: The connection ended, or the switch does not answer.
    """
    if not connection.features.get("meters"):
        return Meters()
    try:
        features = _request_data(connection, messages.multipart(Stats.METER_FEATURES))
        configs = _request_data(
            connection, messages.multipart(Stats.METER_CONFIG, messages.pack_meter(ALL_METERS))
        )
    except RequestRejected:
        return Meters()
    return Meters(_read_highest(features), read_configs(configs))


def _request_data(connection: Connection, question: OpenFlowMessage) -> bytes:
    return b"".join(raw.data for part in connection.request(question) for raw in part)


def _read_highest(data: bytes) -> int:
    """Return the highest number of a meter that drops by packets; 0 if there is none."""
    try:
        highest, types, capabilities = _FEATURES.unpack_from(data)
    except error:
        return 0
    able = types & _DROP_TYPES and capabilities & _CAPABLE == _CAPABLE
    return int(highest) if able else 0


def read_configs(data: bytes) -> dict[int, bytes]:
    """Return the flags and bands of the meters in a reply, by number."""
    found: dict[int, bytes] = {}
    offset = 0
    while offset + _CONFIG.size <= len(data):
        length, flags, number = _CONFIG.unpack_from(data, offset)
        if length < _CONFIG.size:
            break
        found[number] = flags.to_bytes(2, "big") + data[offset + _CONFIG.size : offset + length]
        offset += length
    return found
