"""Compiled version of `tercast.routing.port_semantics`; a switch is a row of numbers."""

from __future__ import annotations

from tercast.encoding.kernels.refinement_tree import bits_of
from tercast.runtime.compiler import compile_kernel
from tercast.runtime.growable_array import Ints

MAX_BITS = 60
"""Largest number of bits of a switch that compiled code supports."""

ROOT = 0
LINKS = 1
HOSTS = 2
SHARED = 3
KEPT = 4
"""The root of its trie; the bits of link ports and of hosts; whether hosts share a port; whether the table of
the trie is stored in dictionaries."""
MATES = 5
PEER = MATES + MAX_BITS
PEER_BIT = PEER + MAX_BITS
PEER_LINK = PEER_BIT + MAX_BITS
MET = PEER_LINK + MAX_BITS
MORE = MET + 1
COLUMNS = MORE + 1
"""From MATES on, by the number of a bit: the bits of its port; the switch, bit and link at the other end. The
last two are used during a propagation: whether it changed the table, and the increase of plain entries."""

NONE = -1
NO_ENTRY_NEEDED = -1


@compile_kernel
def place_of(bit: int) -> int:
    """Return the number of a bit."""
    return bits_of(bit) - 1


@compile_kernel
def mates_of(switch: Ints, mask: int) -> int:
    """Return the bits on the port of the lowest bit of a mask."""
    return int(switch[MATES + place_of(mask & -mask)])


@compile_kernel
def subscription_exports(switch: Ints, wanted: int, brought: int) -> int:
    """Return the link ports that export a subscription: advertised beyond, subscribed here."""
    if wanted == 0:
        return 0
    links = brought & switch[LINKS]
    return int(links if wanted & (wanted - 1) else links & ~wanted)


@compile_kernel
def advertisement_exports(brought: int, links: int) -> int:
    """Return the ports of `links` that export an advertisement: another port advertises it."""
    if brought == 0:
        return 0
    return links if brought & (brought - 1) else links & ~brought


@compile_kernel
def entry(switch: Ints, s0: int, a0: int, s1: int, a1: int) -> tuple[int, int]:
    """Return outputs and suppressed outputs of a cell's entry, with S1 and A1 below S0 and A0.

    Outputs are 0 if there is no entry, or NO_ENTRY_NEEDED.
    """
    if s0 == s1 and a0 == a1:
        return 0, 0
    here = served(switch, s1, a1)
    if here == 0:
        return 0, 0
    over = served(switch, s0, a0)
    if here == over:
        return 0, 0
    if here == NO_ENTRY_NEEDED:
        return (NO_ENTRY_NEEDED if over > 0 else 0), 0
    mates = mates_of(switch, a1)
    below = s1 if a1 & ~mates else s1 & ~mates
    return below, below & ~here


@compile_kernel
def served(switch: Ints, wanted: int, brought: int) -> int:
    """Return the outputs for ports without own entries; NO_ENTRY_NEEDED: no packets arrive."""
    if brought == 0:
        return 0
    free = open_ports(switch, wanted, brought)
    if free == 0:
        return NO_ENTRY_NEEDED
    mates = mates_of(switch, free)
    return wanted if free & ~mates else wanted & ~mates


@compile_kernel
def open_ports(switch: Ints, wanted: int, brought: int) -> int:
    """Return A without ports that have own entries, where hosts both advertise and subscribe."""
    hosts = brought & switch[HOSTS]
    if hosts == 0 or wanted & switch[HOSTS] == 0:
        return brought
    if not switch[SHARED]:
        return int(brought & ~(hosts & wanted))
    free = brought
    while hosts:
        mates = mates_of(switch, hosts)
        hosts &= ~mates
        if wanted & mates:
            free &= ~mates
    return free


@compile_kernel
def is_open_below(switch: Ints, brought: int, seen: int) -> bool:
    """Whether one port more or less without subscribers changes nothing for cells below."""
    free = open_ports(switch, seen, brought)
    if free == 0:
        return False
    mates = mates_of(switch, free)
    return bool(free & ~mates != 0 or seen & mates == 0)


@compile_kernel
def exports(switch: Ints, s0: int, a0: int, s1: int, a1: int) -> int:
    """Return the link ports over which the subscription at the cell is exported."""
    if s0 == s1 and a0 == a1:
        return 0
    below = subscription_exports(switch, s1, a1)
    return below & ~subscription_exports(switch, s0, a0) if below else 0


@compile_kernel
def in_port(switch: Ints, mates: int, s0: int, a0: int, s1: int, a1: int) -> tuple[int, int]:
    """Return outputs elsewhere and back for packets from the port of `mates`; NONE: no entry."""
    if not (s1 & mates and a1 & mates):
        return NONE, NONE
    if s0 == s1 and a0 & mates:
        return NONE, NONE
    return s1 & ~mates, s1 & mates


@compile_kernel
def same_below(switch: Ints, a0: int, a1: int, seen: int) -> bool:
    """Whether A0 and A1 are equivalent for every cell where S has only bits of `seen`."""
    if seen == 0:
        return True
    changed = a0 ^ a1
    if changed & switch[LINKS]:
        return False
    ports = False
    while changed:
        mates = mates_of(switch, changed)
        changed &= ~mates
        if (a0 & mates != 0) != (a1 & mates != 0):
            if seen & mates:
                return False
            ports = True
    return not ports or (is_open_below(switch, a0, seen) and is_open_below(switch, a1, seen))
