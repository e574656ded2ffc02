"""Compiled: what masks mean at a switch, as `tercast.site` has it; a switch is a row of numbers."""

from __future__ import annotations

from numba import njit

from tercast.compiled.cells import Ints, bits_of

MAX_BITS = 60
"""The most bits of a switch that are served here."""

ROOT = 0
LINKS = 1
HOSTS = 2
SHARED = 3
"""Where its trie begins; the bits of link ports and of hosts; whether hosts share a port."""
MATES = 4
PEER = MATES + MAX_BITS
PEER_BIT = PEER + MAX_BITS
PEER_LINK = PEER_BIT + MAX_BITS
MET = PEER_LINK + MAX_BITS
MORE = MET + 1
COLUMNS = MORE + 1
"""From MATES on, by the number of a bit: the bits of its port; switch, bit and link behind a link port. In
the last two, while a change spreads: whether it changed the table, how many plain entries there are more."""

NONE = -1


@njit(cache=True)
def place_of(bit: int) -> int:
    """The number of a bit."""
    return bits_of(bit) - 1


@njit(cache=True)
def mates_of(site: Ints, mask: int) -> int:
    """The bits on the port of the lowest bit of a mask."""
    return int(site[MATES + place_of(mask & -mask)])


@njit(cache=True)
def excluded(site: Ints, brought: int) -> int:
    """Bits that get nothing: all where nobody brings anything, a port where it alone does."""
    if brought == 0:
        return -1
    mates = mates_of(site, brought)
    return 0 if brought & ~mates else mates


@njit(cache=True)
def outputs(site: Ints, wanted: int, brought: int) -> int:
    """Who gets what is brought here and does not come from the own port."""
    if wanted == 0:
        return 0
    return wanted & ~excluded(site, brought)


@njit(cache=True)
def crossing(site: Ints, wanted: int, brought: int) -> int:
    """Link ports over which a subscription is exported: advertised beyond, wanted on this side."""
    if wanted == 0:
        return 0
    links = brought & site[LINKS]
    return int(links if wanted & (wanted - 1) else links & ~wanted)


@njit(cache=True)
def exported(brought: int, links: int) -> int:
    """Ports of `links` over which an advertisement is exported: others than the port bring it."""
    if brought == 0:
        return 0
    return links if brought & (brought - 1) else links & ~brought


@njit(cache=True)
def entry(site: Ints, s0: int, a0: int, s1: int, a1: int) -> int:
    """The outputs of the entry at a cell with the masks S1 and A1 below S0 and A0; 0: there is none."""
    if s0 == s1 and a0 == a1:
        return 0
    below = outputs(site, s1, a1)
    if below == 0 or below == outputs(site, s0, a0):
        return 0
    if a1 & site[HOSTS]:  # all that comes may enter at one port, whose own entries say all there is to say
        mates = mates_of(site, a1)
        if not a1 & ~mates and s1 & mates:
            return 0
    return below


@njit(cache=True)
def exports(site: Ints, s0: int, a0: int, s1: int, a1: int) -> int:
    """Link ports to which the cell is exported."""
    if s0 == s1 and a0 == a1:
        return 0
    below = crossing(site, s1, a1)
    return below & ~crossing(site, s0, a0) if below else 0


@njit(cache=True)
def in_port(site: Ints, mates: int, s0: int, a0: int, s1: int, a1: int) -> tuple[int, int]:
    """For packets that enter at the port of `mates`: outputs elsewhere and back; NONE twice: no entry."""
    if not (s1 & mates and a1 & mates):
        return NONE, NONE
    elsewhere, back = outputs(site, s1, a1) & ~mates, s1 & mates
    if s0 & mates and a0 & mates and elsewhere == outputs(site, s0, a0) & ~mates and back == s0 & mates:
        return NONE, NONE
    return elsewhere, back


@njit(cache=True)
def same_below(site: Ints, a0: int, a1: int, seen: int) -> bool:
    """Whether A0 and A1 mean the same for every cell where S has only bits of `seen`."""
    changed = a0 ^ a1
    if changed & site[LINKS] or (excluded(site, a0) ^ excluded(site, a1)) & seen:
        return False
    hosts = changed & site[HOSTS]
    while hosts:
        mates = mates_of(site, hosts)
        hosts &= ~mates
        if seen & mates and (a0 & mates != 0) != (a1 & mates != 0):
            return False
    return True
