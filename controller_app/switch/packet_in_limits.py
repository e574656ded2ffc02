"""How many punted packets of each port are read: the others are dropped by their header.

A switch without meters hands on all that a host sends to a punted address. So the share of a port is judged
before the OpenFlow library reads a packet, and the ports of a switch do not affect each other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container
from enum import Enum
from struct import Struct
from time import monotonic

from controller_app.openflow.flow_mods import OWNER, OWNER_MASK, WHOLE_COOKIE, EntryKind
from controller_app.token_buckets import Buckets

RATE, BURST = 100.0, 100.0
"""Packets a second of a port, and at once, that are read: half of what its meter lets through in the switch,
so that a flood is seen in spite of the meter. A neighbour sends less than one probe a second."""

NO_PORT = 0
"""Stands for all ports that the switch has not described; they share one bucket."""

_COOKIE = Struct("!Q")
_COOKIE_AT, _FIRST_FIELD_AT = 16, 28
_IN_PORT = Struct("!II")
_IN_PORT_HEADER = 0x80000004


class PacketOrigin(Enum):
    """Which entry brought a packet here, by its cookie; each kind has a share of its own."""

    SIGNAL = "signal"
    """The punt of control messages."""
    PROBE = "probe"
    """A punt of discovery frames, or the switch names no entry."""
    FOREIGN = "foreign"
    """Another owner's entry, for example a table-miss entry that punts everything."""


class PacketIns:
    """Judges the packet-ins of one switch; `ports` are those that it has described."""

    def __init__(self, ports: Container[int], clock: Callable[[], float] = monotonic) -> None:
        self._ports = ports
        self._shares = Buckets[tuple[int, PacketOrigin]](RATE, BURST, clock)
        self._dropped: Counter[tuple[int, PacketOrigin]] = Counter()

    def admits(self, frame: bytes) -> bool:
        """Return whether a packet-in, of at least 28 bytes, is within the share of its port."""
        key = (self._port(frame), _origin(_COOKIE.unpack_from(frame, _COOKIE_AT)[0]))
        if self._shares.take(key):
            return True
        self._dropped[key] += 1
        return False

    def take_dropped(self) -> Counter[tuple[int, PacketOrigin]]:
        """Return the packets dropped since the last call, by port and origin."""
        dropped, self._dropped = self._dropped, Counter()
        return dropped

    def forget(self, port: int) -> None:
        """A port is gone from its switch."""
        for origin in PacketOrigin:
            self._shares.forget((port, origin))

    def _port(self, frame: bytes) -> int:
        """Return the ingress port that the match begins with, as switches write it."""
        if len(frame) < _FIRST_FIELD_AT + _IN_PORT.size:
            return NO_PORT
        header, port = _IN_PORT.unpack_from(frame, _FIRST_FIELD_AT)
        return port if header == _IN_PORT_HEADER and port in self._ports else NO_PORT


def _origin(cookie: int) -> PacketOrigin:
    if cookie == EntryKind.PUNT.cookie:
        return PacketOrigin.SIGNAL
    return (
        PacketOrigin.PROBE if cookie & OWNER_MASK == OWNER or cookie == WHOLE_COOKIE else PacketOrigin.FOREIGN
    )
