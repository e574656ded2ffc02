"""The dz, a binary string that names a cell of the event space, and sets of dz.

In memory, a dz is an int with a leading sentinel bit: `1` is the empty dz (the whole event space), and
`0b1101` is "101". So the parent is a shift, and a dictionary of ints is a trie. A DzSet is canonical: no
member covers another, no two members are siblings, and the members are in text order (a prefix precedes the
dz that it covers).
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import pairwise

from tercast.errors import Path, Refused, shown

Dz = int
DzSet = tuple[int, ...]

WHOLE: Dz = 1
EMPTY: DzSet = ()


class Relation(enum.Enum):
    """Relation of two dz; a partial overlap is not possible."""

    EQUAL = "equal"
    COVERS = "covers"
    COVERED = "covered"
    DISJOINT = "disjoint"


def parse(string: str, path: Path = ()) -> Dz:
    """Parse a dz of zeros and ones; the empty text is the whole event space."""
    if not isinstance(string, str) or string.strip("01"):
        detail = f"{shown(string)} is not a dz; use only the digits 0 and 1"
        raise Refused(path, "not_a_dz", detail, string)
    return int("1" + string, 2)


def text(dz: Dz) -> str:
    """The dz as zeros and ones, without the sentinel bit."""
    return bin(dz)[3:]


def length(dz: Dz) -> int:
    """The number of bits of the dz, without the sentinel bit."""
    return dz.bit_length() - 1


def child(dz: Dz, bit: int) -> Dz:
    """The half of `dz` on side `bit` (0 or 1)."""
    return dz << 1 | bit


def parent(dz: Dz) -> Dz:
    """The dz without its last bit; ValueError for the whole space."""
    if dz == WHOLE:
        raise ValueError("the whole space has no parent")
    return dz >> 1


def sibling(dz: Dz) -> Dz:
    """The other half of the parent; ValueError for the whole space."""
    if dz == WHOLE:
        raise ValueError("the whole space has no sibling")
    return dz ^ 1


def prefix(dz: Dz, bits: int) -> Dz:
    """The first `bits` bits of `dz`; `dz` if it has no more bits."""
    surplus = dz.bit_length() - 1 - bits
    return dz >> surplus if surplus > 0 else dz


def joined(first: Dz, rest: Dz) -> Dz:
    """The dz with the bits of `first`, then those of `rest`."""
    bits = rest.bit_length() - 1
    return first << bits | rest ^ 1 << bits


def common_prefix(a: Dz, b: Dz) -> Dz:
    """The longest dz that covers both dz."""
    shift = a.bit_length() - b.bit_length()
    if shift > 0:
        a >>= shift
    else:
        b >>= -shift
    return a >> (a ^ b).bit_length()


def covers(a: Dz, b: Dz) -> bool:
    """Whether `a` is a prefix of `b`; every dz covers itself."""
    shift = b.bit_length() - a.bit_length()
    return shift >= 0 and b >> shift == a


def overlaps(a: Dz, b: Dz) -> bool:
    """Whether one of the two covers the other."""
    shift = b.bit_length() - a.bit_length()
    return b >> shift == a if shift >= 0 else a >> -shift == b


def relation(a: Dz, b: Dz) -> Relation:
    """Relation of `a` to `b`."""
    if a == b:
        return Relation.EQUAL
    if covers(a, b):
        return Relation.COVERS
    return Relation.COVERED if covers(b, a) else Relation.DISJOINT


def canonical(cells: Iterable[Dz]) -> DzSet:
    """The canonical set of the union of `cells`."""
    stack: list[Dz] = []
    for dz in sorted(cells, key=bin):  # bin() orders like the text: a prefix first, then depth first
        if stack and covers(stack[-1], dz):
            continue
        stack.append(dz)
        while len(stack) > 1 and stack[-1] ^ 1 == stack[-2]:
            stack.pop()
            stack[-1] >>= 1
    return tuple(stack)


def union(a: DzSet, b: DzSet) -> DzSet:
    """The union of two canonical sets."""
    return canonical(a + b)


def intersection(a: DzSet, b: DzSet) -> DzSet:
    """The intersection of two canonical sets."""
    return tuple(y if x <= y else x for x, y in _overlaps(a, b))


def set_overlaps(a: DzSet, b: DzSet) -> bool:
    """Whether two canonical sets overlap."""
    return next(_overlaps(a, b), None) is not None


def set_covers(a: DzSet, b: DzSet) -> bool:
    """Whether the canonical set `a` contains all of the canonical set `b`."""
    # If a canonical set covers a dz, a single member covers it.
    return sum(1 for x, y in _overlaps(a, b) if covers(x, y)) == len(b)


def difference(a: DzSet, b: DzSet) -> DzSet:
    """The canonical set `a` without the canonical set `b`."""
    inside: dict[Dz, list[Dz]] = {}
    gone: set[Dz] = set()
    for x, y in _overlaps(a, b):
        if covers(y, x):
            gone.add(x)
        else:
            inside.setdefault(x, []).append(y)
    out: list[Dz] = []
    for x in a:
        if x in inside:
            out.extend(_without(x, inside[x]))
        elif x not in gone:
            out.append(x)
    return tuple(out)


def volume(cells: DzSet) -> Fraction:
    """The share of the whole event space in a canonical set; every bit halves the space."""
    depth = max(map(length, cells), default=0)
    return Fraction(sum(1 << depth - length(dz) for dz in cells), 1 << depth)


def _overlaps(a: DzSet, b: DzSet) -> Iterator[tuple[Dz, Dz]]:
    """The pairs of members of two canonical sets of which one covers the other, in text order."""
    i = j = 0
    while i < len(a) and j < len(b):
        x, y = a[i], b[j]
        shift = y.bit_length() - x.bit_length()
        aligned_x, aligned_y = (x, y >> shift) if shift >= 0 else (x >> -shift, y)
        if aligned_x == aligned_y:
            yield x, y
        # Advance on the side that ends first: the left dz, or the covered one.
        if aligned_x < aligned_y or (aligned_x == aligned_y and shift <= 0):
            i += 1
        if aligned_x > aligned_y or (aligned_x == aligned_y and shift >= 0):
            j += 1


def _without(top: Dz, inside: list[Dz]) -> Iterator[Dz]:
    """The canonical rest of `top` without `inside`, which are parts of `top` in text order."""
    yield from _left_of(top, inside[0])
    for left, right in pairwise(inside):
        meet = common_prefix(left, right)
        yield from _right_of(meet << 1, left)
        yield from _left_of(meet << 1 | 1, right)
    yield from _right_of(top, inside[-1])


def _left_of(top: Dz, dz: Dz) -> Iterator[Dz]:
    """The cells of `top` before `dz`, from left to right."""
    for shift in range(dz.bit_length() - top.bit_length() - 1, -1, -1):
        if dz >> shift & 1:
            yield dz >> shift ^ 1


def _right_of(top: Dz, dz: Dz) -> Iterator[Dz]:
    """The cells of `top` after `dz`, from left to right."""
    while dz != top:
        if not dz & 1:
            yield dz ^ 1
        dz >>= 1
