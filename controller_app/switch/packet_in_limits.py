"""Rate limits of the punted packets of each port.

A switch without meters forwards all packets of a host to a punted address. So the limit of a port is checked
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
"""Packets per second and per burst that are read from a port. This is half of the rate of the port's meter,
so that a flood is noticed in spite of the meter. A neighbour sends less than one probe per second."""

NO_PORT = 0
"""Number for all ports that the switch has not described; they share one bucket."""

_COOKIE = Struct("!Q")
_COOKIE_AT, _FIRST_FIELD_AT = 16, 28
_IN_PORT = Struct("!II")
_IN_PORT_HEADER = 0x80000004


class PacketOrigin(Enum):
    """Entry that punted a packet, by its cookie; each kind has its own rate limit."""

    SIGNAL = "signal"
    """The punt of control messages."""
    PROBE = "probe"
    """A punt of discovery frames, or an entry that the switch does not name."""
    FOREIGN = "foreign"
    """An entry of another owner, for example a table-miss entry that punts everything."""


class PacketIns:
    """Checks the packet-ins of a switch; `ports` are those that the switch has described."""

    def __init__(self, ports: Container[int], clock: Callable[[], float] = monotonic) -> None:
        self._ports = ports
        self._shares = Buckets[tuple[int, PacketOrigin]](RATE, BURST, clock)
        self._dropped: Counter[tuple[int, PacketOrigin]] = Counter()

    def admits(self, frame: bytes) -> bool:
        """Return whether a packet-in of at least 28 bytes is within the rate limit of its port."""
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
        """Forget a port that was removed from its switch."""
        for origin in PacketOrigin:
            self._shares.forget((port, origin))

    def _port(self, frame: bytes) -> int:
        """Return the ingress port, which switches write as the first field of the match."""
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
