"""The meaning of masks of subscribers and advertisers at a switch: entries and exports.

At any cell of a topic, S is the mask of bits that subscribe: hosts that subscribe here, and link ports with
subscribers beyond. A is the mask of bits that advertise, in the same way. The table, and all that neighbours
need, follow from S and A.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

PortMask = int
"""A set of link ports and hosts of one switch."""

PortBit = int
"""One link port or host."""

InPort = tuple[int, PortMask, PortMask]
"""For packets from a port: the port, the outputs elsewhere, and the hosts on the port itself."""

NO_ENTRY_NEEDED: Final = -1
"""Instead of outputs: a shorter entry covers the cell, no packet matches it here, and none is needed."""

MEMO_LIMIT: Final = 20_000
"""Largest number of cached results: the masks of a busy switch, a few MB."""


CellState = tuple[PortMask, PortMask, tuple[InPort, ...], PortMask]
"""State of a cell at a switch: outputs, exports, ingress ports, suppressed outputs.

Outputs are those of its plain entry (0: no entry, or NO_ENTRY_NEEDED). Exports are the link ports over which
the subscription is exported. Ingress ports are those with own entries. Suppressed outputs lead back to the
only port from which packets match the plain entry. A plain tuple is the fastest to compare.
"""

NOTHING: Final[CellState] = (0, 0, (), 0)


def advertisement_exports(a: PortMask, links: PortMask) -> PortMask:
    """Return the ports of `links` that export an advertisement: another port advertises it."""
    if not a:
        return 0
    return links if a & a - 1 else links & ~a


class PortSemantics:
    """The meaning of masks while the bits of a switch do not change.

    Args:
        links: The bits of link ports.
        hosts: The bits of hosts.
        mates: For each bit the bits on the same port.
        ports: The numbers of the ports of hosts, by the bits on them.
    """

    __slots__ = ("_hosts", "_links", "_memo", "_ports", "is_shared", "mates")

    def __init__(
        self,
        links: PortMask,
        hosts: PortMask,
        mates: Mapping[PortBit, PortMask],
        ports: Mapping[PortMask, int],
    ) -> None:
        self._links = links
        self._hosts = hosts
        self._ports = ports
        self._memo: dict[tuple[PortMask, PortMask, PortMask, PortMask], CellState] = {}
        self.mates = mates
        self.is_shared = len(mates) > links.bit_count() + len(ports)

    def state(self, s0: PortMask, a0: PortMask, s1: PortMask, a1: PortMask) -> CellState:
        """Return the state of a cell with masks S1 and A1, whose nearest ancestors have S0 and A0."""
        key = (s0, a0, s1, a1)
        state = self._memo.get(key)
        if state is None:
            if len(self._memo) >= MEMO_LIMIT:
                self._memo.clear()
            state = self._memo[key] = self._state(*key)
        return state

    def same_below(self, a0: PortMask, a1: PortMask, seen: PortMask) -> bool:
        """Return whether A0 and A1 are equivalent for all cells below with only bits of `seen` in S."""
        if not seen:
            return True
        changed = a0 ^ a1
        if changed & self._links:
            return False
        ports = False
        while changed:
            mates = self.mates[changed & -changed]
            changed &= ~mates
            if bool(a0 & mates) != bool(a1 & mates):
                if seen & mates:
                    return False
                ports = True
        return not ports or (self._is_open_below(a0, seen) and self._is_open_below(a1, seen))

    def _state(self, s0: PortMask, a0: PortMask, s1: PortMask, a1: PortMask) -> CellState:
        exports = self._subscription_exports(s1, a1) & ~self._subscription_exports(s0, a0)
        in_ports: tuple[InPort, ...] = ()
        if s1 & a1 & self._hosts or self.is_shared:
            above = self._in_ports(s0, a0)
            in_ports = tuple(found for found in self._in_ports(s1, a1) if found not in above)
        outputs, suppressed = self._entry(s0, a0, s1, a1)
        return outputs, exports, in_ports, suppressed

    def _entry(self, s0: PortMask, a0: PortMask, s1: PortMask, a1: PortMask) -> tuple[PortMask, PortMask]:
        """Return the outputs of a plain entry, and the suppressed ones among them.

        The entry is for packets from ports without own entries. If these have the same outputs as above, no
        entry is needed. Otherwise one is needed: if a port is now the only such port, it loses itself as an
        output, but then hosts on the other ports subscribe to more here than above.

        Outputs only grow down the trie, which aggregation requires. Without the suppressed outputs they do
        not.
        """
        over, here = self._served(s0, a0), self._served(s1, a1)
        if here == over:
            return 0, 0
        if here == NO_ENTRY_NEEDED:
            return (NO_ENTRY_NEEDED if over > 0 else 0), 0
        outputs = s1 & ~self._excluded(a1)
        return outputs, outputs & ~here

    def _served(self, s: PortMask, a: PortMask) -> PortMask:
        """Return the outputs for ports without own entries; NO_ENTRY_NEEDED: no packets arrive."""
        if not a:
            return 0
        a = self._open_ports(s, a)
        if not a:
            return NO_ENTRY_NEEDED
        mates = self.mates[a & -a]
        return s if a & ~mates else s & ~mates

    def _open_ports(self, s: PortMask, a: PortMask) -> PortMask:
        """Return A without ports that have own entries, where hosts both advertise and subscribe."""
        hosts = a & self._hosts
        if not self.is_shared:
            return a & ~(hosts & s)
        while hosts:
            mates = self.mates[hosts & -hosts]
            hosts &= ~mates
            if s & mates:
                a &= ~mates
        return a

    def _is_open_below(self, a: PortMask, seen: PortMask) -> bool:
        """Return whether one port more or less without subscribers changes nothing at cells below.

        This is so with two other such ports, or with one whose own bits no cell there has.
        """
        free = self._open_ports(seen, a)
        mates = self.mates[free & -free] if free else 0
        return bool(free) and (bool(free & ~mates) or not seen & mates)

    def _excluded(self, a: PortMask) -> PortMask:
        """Return the bits that receive nothing of A (which is not 0): those of its only port."""
        mates = self.mates[a & -a]
        return 0 if a & ~mates else mates

    def _subscription_exports(self, s: PortMask, a: PortMask) -> PortMask:
        """Return the link ports that export a subscription: advertised beyond, subscribed here."""
        if not s:
            return 0
        links = a & self._links
        return links if s & s - 1 else links & ~s

    def _in_ports(self, s: PortMask, a: PortMask) -> tuple[InPort, ...]:
        """Return the outputs of packets from each port with both publishers and subscribers."""
        found: list[InPort] = []
        hosts = s & self._hosts
        while hosts:
            mates = self.mates[hosts & -hosts]
            if a & mates:
                found.append((self._ports[mates], s & ~mates, s & mates))
            hosts &= ~mates
        return tuple(sorted(found))
