"""Parts of an event space on a schedule's grid: products of code ranges, and their cuts.

A *side* is a part's extent in one attribute: a flat tuple (first, last, first, last, ...) of codes of
indexes. The ranges are sorted and do not touch. A *part* has one side for each indexed attribute. Its two
corners (all first codes, all last codes) are stored interleaved, because their common prefix is the smallest
cell that contains the part: a cell is a product of ranges, so it contains the part if it contains both
corners.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence

from tercast.eventspace.attribute import Attribute
from tercast.eventspace.bisection import Halving
from tercast.eventspace.interleaving import BitSchedule
from tercast.eventspace.intervals import IntervalSet

Side = tuple[int, ...]


Part = tuple[int, int, int, tuple[Side, ...]]
"""Interleaved low and high corner, volume (the product of the sides' widths), and sides."""


def make_part(schedule: BitSchedule, sides: tuple[Side, ...]) -> Part:
    """Create the part with these sides."""
    low = high = 0
    volume = 1
    for a, side in enumerate(sides):
        low |= schedule.interleave(a, side[0])
        high |= schedule.interleave(a, side[-1])
        volume *= width(schedule.halvings[a], side)
    return low, high, volume, sides


def side_of(attribute: Attribute, halving: Halving, held: IntervalSet) -> Side:
    """The codes whose indexes overlap an interval set, rounded outwards to the schedule's grid."""
    if len(held) == 1:
        first, last = attribute.cells(held[0])
        return (halving.code(first), halving.code(last)) if first <= last else ()
    ranges = []
    for interval in held:
        first, last = attribute.cells(interval)
        if first <= last:
            ranges.append((halving.code(first), halving.code(last)))
    return joined_side(halving, ranges)


def width(halving: Halving, side: Side) -> int:
    """The size of a side: in codes if all have equal size (`even`), else in indexes."""
    if len(side) == 2 and halving.even:
        return side[1] - side[0] + 1
    pairs = zip(side[::2], side[1::2], strict=True)
    if halving.even:
        return sum(last - first + 1 for first, last in pairs)
    return sum(halving.start(last + 1) - halving.start(first) for first, last in pairs)


def cut(schedule: BitSchedule, part: Part, bit: int) -> tuple[Part | None, Part | None]:
    """Cut a part by the value of `bit`; earlier bits of its corners are equal. None: no part."""
    mask = 1 << bit - 1
    low, high, volume, sides = part
    if not high & mask:
        return part, None
    if low & mask:
        return None, part
    a = schedule.owner[bit]
    place, below = schedule.place[bit], schedule.below[bit]
    side = sides[a]
    middle = side[-1] >> place << place
    halving = schedule.halvings[a]
    if len(side) == 2 and halving.even:
        first, last = side
        unit = volume // (last - first + 1)
        before, after = sides[:a], sides[a + 1 :]
        return (
            (low, high ^ mask | below, unit * (middle - first), (*before, (first, middle - 1), *after)),
            ((low | mask) & ~below, high, unit * (last - middle + 1), (*before, (middle, last), *after)),
        )
    unit = volume // width(halving, side)
    own = schedule.masks[a]
    left, right = _cut_side(halving, side, middle)
    return (
        (
            low,
            high & ~own | schedule.interleave(a, left[-1]),
            unit * width(halving, left),
            (*sides[:a], left, *sides[a + 1 :]),
        ),
        (
            low & ~own | schedule.interleave(a, right[0]),
            high,
            unit * width(halving, right),
            (*sides[:a], right, *sides[a + 1 :]),
        ),
    )


def rounded(schedule: BitSchedule, part: Part, rest: int) -> Part:
    """The part, rounded outwards to the grid without its last `rest` bits."""
    sides = []
    for halving, side, free in zip(schedule.halvings, part[3], schedule.free[rest], strict=True):
        if free:
            coarse = [
                (first >> free << free, _last_code(halving, last | (1 << free) - 1))
                for first, last in zip(side[::2], side[1::2], strict=True)
            ]
            side = joined_side(halving, coarse)
        sides.append(side)
    new = tuple(sides)
    return part if new == part[3] else make_part(schedule, new)


def uncovered(parts: Iterable[Part], giants: int) -> list[Part]:
    """The parts, largest first, without those that one of the `giants` largest covers."""
    out: list[Part] = []
    for part in sorted(parts, key=_volume, reverse=True):
        if not any(_covers(giant, part) for giant in out[:giants]):
            out.append(part)
    return out


def _covers(a: Part, b: Part) -> bool:
    pairs = list(zip(a[3], b[3], strict=True))
    if any(x[0] > y[0] or x[-1] < y[-1] for x, y in pairs):
        return False
    return all(len(x) == 2 or _common(x, y) == y for x, y in pairs)


def disjoint(schedule: BitSchedule, parts: Iterable[Part], limit: int) -> list[Part] | None:
    """Disjoint parts with the same union; None if there would be more than `limit`."""
    out: list[Part] = []
    for part in sorted(parts, key=_volume, reverse=True):
        pieces = [part[3]]
        for other in out:
            pieces = [rest for piece in pieces for rest in _minus(schedule.halvings, piece, other[3])]
            if len(pieces) > limit:
                return None
        out.extend(part if sides == part[3] else make_part(schedule, sides) for sides in pieces)
        if len(out) > limit:
            return None
    return out


def _volume(part: Part) -> int:
    return part[2]


def _minus(halvings: Sequence[Halving], a: tuple[Side, ...], b: tuple[Side, ...]) -> list[tuple[Side, ...]]:
    """Disjoint products whose union is the part of `a` outside `b`."""
    common = []
    for x, y in zip(a, b, strict=True):
        both = x if x == y else _common(x, y)
        if not both:
            return [a]
        common.append(both)
    out = []
    for i, halving in enumerate(halvings):
        if common[i] != a[i]:
            out.append((*common[:i], _side_minus(halving, a[i], b[i]), *a[i + 1 :]))
    return out


def _common(a: Side, b: Side) -> Side:
    out: list[int] = []
    i = j = 0
    while i < len(a) and j < len(b):
        first, last = max(a[i], b[j]), min(a[i + 1], b[j + 1])
        if first <= last:
            out += (first, last)
        if a[i + 1] < b[j + 1]:
            i += 2
        else:
            j += 2
    return tuple(out)


def _side_minus(halving: Halving, a: Side, b: Side) -> Side:
    outside: list[int] = []
    start = 0
    for first, last in zip((*b[::2], 1 << halving.bits), (*b[1::2], 0), strict=True):
        # The code next to a range may be a phantom that no index has.
        low, high = start + halving.is_phantom(start), _last_code(halving, first - 1)
        if low <= high:
            outside += (low, high)
        start = last + 1
    return _common(a, tuple(outside))


def _cut_side(halving: Halving, side: Side, middle: int) -> tuple[Side, Side]:
    i = bisect_left(side, middle)
    if i % 2 == 0:  # between two ranges
        return side[:i], side[i:]
    return (*side[:i], _last_code(halving, middle - 1)), (middle, *side[i:])


def joined_side(halving: Halving, ranges: Sequence[tuple[int, int]]) -> Side:
    """The flat side of ascending ranges; ranges that touch or overlap are joined."""
    out: list[int] = []
    for first, last in ranges:
        if out and first <= _next_code(halving, out[-1]):
            out[-1] = max(out[-1], last)
        else:
            out += (first, last)
    return tuple(out)


def _last_code(halving: Halving, code: int) -> int:
    """Return `code`, or the code before it if no index has it."""
    return code - halving.is_phantom(code) if halving.phantoms and code >= 0 else code


def _next_code(halving: Halving, code: int) -> int:
    """The next code after `code` that an index has."""
    return code + 1 + (halving.phantoms and halving.ends_early(code) and not code & 1)
