"""Covered and disjoint parts, as in `tercast.encoding.grid_boxes`."""

from __future__ import annotations

import numpy as np

from tercast.encoding.kernels.grid_boxes import (
    FULL,
    PARTS,
    RANGES,
    PartRows,
    add_range,
    close_side,
    copy_side,
    finish_part,
    new_part,
    range_first,
    range_last,
    sides_equal,
)
from tercast.encoding.kernels.grid_codes import Grid, is_phantom, last_code
from tercast.encoding.kernels.wide_numbers import WideNumber, is_less, minus, moved_up, number, plus, read
from tercast.runtime.compiler import compile_borrower, compile_inner
from tercast.runtime.growable_array import Ints


@compile_inner
def sort_by_volume(parts: PartRows, items: Ints) -> None:
    """Sort parts by volume, largest first; parts of equal volume keep their order."""
    size, step = items.size, 1
    other = np.empty(size, np.int64)
    while step < size:
        for start in range(0, size, 2 * step):
            middle, end = min(start + step, size), min(start + 2 * step, size)
            i, j = start, middle
            for k in range(start, end):
                if j == end or (
                    i < middle and not is_less(read(parts.volume, items[i]), read(parts.volume, items[j]))
                ):
                    other[k] = items[i]
                    i += 1
                else:
                    other[k] = items[j]
                    j += 1
        items[:] = other
        step *= 2


@compile_borrower
def drop_covered(grid: Grid, parts: PartRows, items: Ints, giants: int) -> int:
    """Sort the parts, largest first, and drop those that one of the `giants` largest covers.

    The other parts are then at the start. Returns their number.
    """
    sort_by_volume(parts, items)
    kept = 0
    for i in range(items.size):
        part = items[i]
        covered = False
        for giant in range(min(giants, kept)):
            if _covers(grid, parts, items[giant], part):
                covered = True
                break
        if not covered:
            items[kept] = part
            kept += 1
    return kept


@compile_borrower
def _covers(grid: Grid, parts: PartRows, one: int, other: int) -> bool:
    """Whether a part contains all of another one."""
    for a in range(grid.meta[2]):
        x, y = one * grid.meta[2] + a, other * grid.meta[2] + a
        if is_less(read(parts.first, y), read(parts.first, x)):
            return False
        if is_less(read(parts.last, x), read(parts.last, y)):
            return False
    for a in range(grid.meta[2]):
        if not _side_covers(parts, one * grid.meta[2] + a, other * grid.meta[2] + a):
            return False
    return True


@compile_borrower
def _side_covers(parts: PartRows, x: int, y: int) -> bool:
    """Whether each range of side y is within one range of side x."""
    if parts.counts[x] == 1:
        return True
    i = 0
    for j in range(parts.counts[y]):
        first, last = range_first(parts, y, j), range_last(parts, y, j)
        while i < parts.counts[x] and is_less(range_last(parts, x, i), last):
            i += 1
        if i == parts.counts[x] or is_less(first, range_first(parts, x, i)):
            return False
    return True


@compile_inner
def make_disjoint(grid: Grid, parts: PartRows, items: Ints, limit: int, out: Ints) -> int:
    """Write disjoint parts with the same union to `out`, and return their number.

    `items` are sorted by volume. 0: there would be more than `limit` parts.
    """
    count = 0
    pieces, rest = np.empty(limit + 1, np.int64), np.empty(limit + 1, np.int64)
    for item in range(items.size):
        part = items[item]
        pieces[0] = part
        size = 1
        for i in range(count):
            made = int(np.int64(0))  # not a literal, which would be compiled separately
            for p in range(size):
                made = _subtract(grid, parts, pieces[p], out[i], rest, made)
                if made < 0 or parts.made[FULL]:
                    break
            if made < 0 or parts.made[FULL]:
                return 0
            pieces, rest, size = rest, pieces, made
        if count + size > limit:
            return 0
        for p in range(size):
            if pieces[p] != part:
                finish_part(grid, parts, pieces[p])
            out[count] = pieces[p]
            count += 1
    return count


@compile_borrower
def _subtract(grid: Grid, parts: PartRows, a: int, b: int, rest: Ints, made: int) -> int:
    """Add the part of `a` outside `b` to `rest`, as disjoint parts; return their number, or -1."""
    attributes = grid.meta[2]
    ranges = parts.made[RANGES]
    common = new_part(parts)
    for i in range(attributes):
        if parts.made[FULL]:
            return -1
        row = common * attributes + i
        _intersect(parts, a * attributes + i, b * attributes + i, row)
        if not parts.counts[row]:
            parts.made[PARTS], parts.made[RANGES] = common, ranges
            return _put(rest, made, a)
    for i in range(attributes):
        if sides_equal(parts, common * attributes + i, parts, a * attributes + i):
            continue
        piece = new_part(parts)
        if parts.made[FULL]:
            return -1
        for other in range(attributes):
            source = common if other < i else a
            copy_side(parts, source * attributes + other, piece * attributes + other)
        _subtract_side(grid, parts, i, a * attributes + i, b * attributes + i, piece * attributes + i)
        made = _put(rest, made, piece)
        if made < 0:
            return -1
    return made


@compile_borrower
def _put(rest: Ints, made: int, part: int) -> int:
    """Add a part, and return the number of parts; -1 if there are too many."""
    if made + 1 >= rest.size:
        return -1
    rest[made] = part
    return made + 1


@compile_borrower
def _intersect(parts: PartRows, x: int, y: int, target: int) -> None:
    """Let a side be the common part of two sides."""
    begin = parts.made[RANGES]
    i = j = 0
    while i < parts.counts[x] and j < parts.counts[y]:
        first, last = range_first(parts, x, i), range_last(parts, x, i)
        other, end = range_first(parts, y, j), range_last(parts, y, j)
        x_ends = is_less(last, end)
        _add_valid(parts, _later(first, other), last if x_ends else end)
        if x_ends:
            i += 1
        else:
            j += 1
    close_side(parts, target, begin)


@compile_borrower
def _subtract_side(grid: Grid, parts: PartRows, a: int, x: int, y: int, target: int) -> None:
    """Let a side be the part of side x outside side y."""
    one = number(grid.below, 1)
    start = parts.made[RANGES]
    i = 0
    low = number(grid.below, 0)
    for j in range(parts.counts[y] + 1):
        gap = j == parts.counts[y]
        following = moved_up(one, grid.bits[a]) if gap else range_first(parts, y, j)
        if is_phantom(grid, a, low):
            low = plus(low, one)
        high = last_code(grid, a, minus(following, one))
        while i < parts.counts[x] and is_less(range_last(parts, x, i), low):
            i += 1
        k = i
        while k < parts.counts[x] and not is_less(high, range_first(parts, x, k)):
            last = range_last(parts, x, k)
            _add_valid(parts, _later(range_first(parts, x, k), low), last if is_less(last, high) else high)
            k += 1
        if not gap:
            low = plus(range_last(parts, y, j), one)
    close_side(parts, target, start)


@compile_borrower
def _later(x: WideNumber, y: WideNumber) -> WideNumber:
    return y if is_less(x, y) else x


@compile_borrower
def _add_valid(parts: PartRows, first: WideNumber, last: WideNumber) -> None:
    """Add a range unless it is empty."""
    if not is_less(last, first):
        add_range(parts, first, last)
