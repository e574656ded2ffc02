"""A switch for the planner: its ports and hosts as bits of masks, and its number of entries.

Variables call this object a site. Every link port that a tree uses and every attached host has a bit.
`port_semantics` describes the meaning of masks.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

from tercast.routing.port_semantics import MEMO_LIMIT, PortBit, PortMask, PortSemantics
from tercast.routing.table_overlay import TableOverlay
from tercast.tables.entries import IN_PORT, Action, Output, SetDst

__all__ = ["PortBit", "PortMask", "Socket", "SwitchPorts"]


@dataclass(frozen=True, slots=True)
class Socket:
    """The meaning of a bit: a port, and the host on it (None: a link)."""

    port: int
    host: str | None


class SwitchPorts:
    """The bits of one switch, and its number of exact entries.

    `version` grows whenever a bit is assigned or dropped, and `semantics` is replaced then. If `overlay` is
    set, aggregation decides which entries are installed instead of the exact ones.
    """

    __slots__ = (
        "_actions",
        "_by_port",
        "_free",
        "_retired",
        "_sockets",
        "_width",
        "budget",
        "count",
        "host_bits",
        "hosts",
        "id",
        "link_bits",
        "links",
        "marked",
        "overlay",
        "semantics",
        "version",
    )

    def __init__(self, switch: str, budget: int | None = None) -> None:
        self.id = switch
        self.budget = budget
        self.count = 0
        self.marked = False
        self.overlay: TableOverlay | None = None
        self.links: PortMask = 0
        self.hosts: PortMask = 0
        self.link_bits: dict[int, PortBit] = {}
        self.host_bits: dict[str, PortBit] = {}
        self._sockets: dict[PortBit, Socket] = {}
        self._by_port: dict[int, PortMask] = {}
        self._width = 0
        self.version = 0
        self.semantics = PortSemantics(0, 0, {}, {})
        self._free: list[PortBit] = []
        self._retired: list[PortBit] = []
        self._actions: dict[PortMask | tuple[PortMask, PortMask], tuple[Action, ...]] = {}

    @property
    def width(self) -> int:
        """The largest number of bits that were in use simultaneously."""
        return self._width

    @property
    def has_retired(self) -> bool:
        """Whether bits were dropped and not released, so that a host may have had another bit."""
        return bool(self._retired)

    @property
    def installed(self) -> int:
        """The number of installed entries: those of the overlay, if there is one."""
        return self.count if self.overlay is None else self.overlay.count

    def link_bit(self, port: int) -> PortBit:
        """Return the bit of a link port, assigned at the first call."""
        bit = self.link_bits.get(port)
        if bit is None:
            bit = self.link_bits[port] = self._new_bit(Socket(port, None))
            self.links |= bit
            self._regroup()
        return bit

    def host_bit(self, host: str, port: int) -> PortBit:
        """Return the bit of a host attached at `port`, assigned at the first call."""
        bit = self.host_bits.get(host)
        if bit is None:
            bit = self.host_bits[host] = self._new_bit(Socket(port, host))
            self.hosts |= bit
            self._regroup()
        return bit

    def drop_host(self, host: str) -> None:
        """Drop the bit of a host, if it has one; no mask of any topic may have it."""
        bit = self.host_bits.pop(host, None)
        if bit is not None:
            self.hosts ^= bit
            self._retire(bit)

    def drop_link(self, port: int) -> None:
        """Drop the bit of a link port, if it has one; no mask of any topic may have it."""
        bit = self.link_bits.pop(port, None)
        if bit is not None:
            self.links ^= bit
            self._retire(bit)

    def release_retired(self) -> None:
        """Allow dropped bits to be assigned again, after nothing refers to their former owners."""
        for bit in self._retired:
            del self._sockets[bit]
        if self._retired:
            self._free += self._retired
            self._retired = []
            self._actions.clear()

    def socket(self, bit: PortBit) -> Socket:
        """Return the current or the last meaning of `bit`."""
        return self._sockets[bit]

    def hosts_on(self, port: int) -> PortMask:
        """Return the bits of the hosts attached at a port."""
        return self._by_port.get(port, 0)

    def actions(self, outputs: PortMask, back: PortMask = 0) -> tuple[Action, ...]:
        """Return the actions for a mask of outputs, and for a mask of hosts on the ingress port.

        Outputs to switches are first, because the next switch does not forward an event with another
        destination.
        """
        key = (outputs, back) if back else outputs
        actions = self._actions.get(key)
        if actions is None:
            if len(self._actions) >= MEMO_LIMIT:
                self._actions.clear()
            actions = self._actions[key] = self._make_actions(outputs, back)
        return actions

    def _make_actions(self, outputs: PortMask, back: PortMask) -> tuple[Action, ...]:
        actions: list[Action] = [
            Output(socket.port) for socket in self._sockets_of(outputs) if socket.host is None
        ]
        for mask, turns in ((outputs, False), (back, True)):
            for socket in self._sockets_of(mask):
                if socket.host is not None:
                    actions += (SetDst(socket.host), Output(IN_PORT if turns else socket.port))
        return tuple(actions)

    def _sockets_of(self, mask: PortMask) -> list[Socket]:
        sockets: list[Socket] = []
        while mask:
            bit = mask & -mask
            mask ^= bit
            sockets.append(self._sockets[bit])
        return sorted(sockets, key=lambda socket: (socket.port, socket.host or ""))

    def _new_bit(self, socket: Socket) -> PortBit:
        if self._free:
            bit = self._free.pop()
        else:
            bit = 1 << self._width
            self._width += 1
        self._sockets[bit] = socket
        return bit

    def _retire(self, bit: PortBit) -> None:
        self._retired.append(bit)
        self._regroup()

    def _regroup(self) -> None:
        """Find the bits that share a port; the meaning of masks may have changed."""
        self.version += 1
        mates = {bit: bit for bit in self.link_bits.values()}
        self._by_port = {}
        by_port = sorted(self.host_bits.values(), key=lambda bit: self._sockets[bit].port)
        for port, group in groupby(by_port, key=lambda bit: self._sockets[bit].port):
            bits = list(group)
            mask = self._by_port[port] = sum(bits)
            mates.update(dict.fromkeys(bits, mask))
        ports = {mask: port for port, mask in self._by_port.items()}
        self.semantics = PortSemantics(self.links, self.hosts, mates, ports)
