"""Compiled version of `tercast.encoding.grid_boxes`: parts as rows of arrays.

A side is a slice of ranges, limited to its `first` and `last` code. So a cut copies no ranges.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tercast.encoding.kernels.grid_codes import Grid, extent, interleave, last_code, next_code
from tercast.encoding.kernels.wide_numbers import (
    WideNumber,
    WideNumbers,
    bits_in_any,
    bits_in_both,
    bits_in_one,
    empty,
    is_equal,
    is_less,
    minus,
    moved_down,
    moved_up,
    number,
    plus,
    read,
    times,
    write,
)
from tercast.runtime.compiler import compile_borrower, compile_inner
from tercast.runtime.growable_array import Ints

PARTS, RANGES, FULL = 0, 1, 2


class PartRows(NamedTuple):
    """Parts by number, with their sides and ranges.

    `made`: the numbers of parts and ranges so far, and whether the arrays are too small.

    `low`, `high`, `volume`: corners and volume. The sides of part p are rows `p * attributes + a`: `start`
    and `counts` of the ranges, `first` and `last` code, and `width`. The ranges are in `begin` and `end`.
    """

    low: WideNumbers
    high: WideNumbers
    volume: WideNumbers
    start: Ints
    counts: Ints
    first: WideNumbers
    last: WideNumbers
    width: WideNumbers
    begin: WideNumbers
    end: WideNumbers
    made: Ints


@compile_inner
def new_parts(grid: Grid, room: int, ranges: int) -> PartRows:
    """Create arrays for `room` parts and a number of ranges."""
    sides = room * grid.meta[2]
    return PartRows(
        empty(grid.below, room),
        empty(grid.below, room),
        empty(grid.below, room),
        np.empty(sides, np.int64),
        np.empty(sides, np.int64),
        empty(grid.below, sides),
        empty(grid.below, sides),
        empty(grid.below, sides),
        empty(grid.below, ranges),
        empty(grid.below, ranges),
        np.zeros(3, np.int64),
    )


@compile_borrower
def new_part(parts: PartRows) -> int:
    """Return the number of a new part; 0, with the flag `FULL`, if no row is free."""
    made = parts.made[PARTS]
    if made >= parts.low.shape[0]:
        parts.made[FULL] = 1
        return 0
    parts.made[PARTS] = made + 1
    return int(made)


@compile_borrower
def add_range(parts: PartRows, begin: WideNumber, end: WideNumber) -> None:
    """Add a range."""
    made = parts.made[RANGES]
    if made >= parts.begin.shape[0]:
        parts.made[FULL] = 1
        return
    write(parts.begin, made, begin)
    write(parts.end, made, end)
    parts.made[RANGES] = made + 1


@compile_borrower
def range_first(parts: PartRows, row: int, i: int) -> WideNumber:
    """The first code of a side's range."""
    if i == 0:
        return read(parts.first, row)
    return read(parts.begin, parts.start[row] + i)


@compile_borrower
def range_last(parts: PartRows, row: int, i: int) -> WideNumber:
    """The last code of a side's range."""
    if i == parts.counts[row] - 1:
        return read(parts.last, row)
    return read(parts.end, parts.start[row] + i)


@compile_borrower
def copy_side(parts: PartRows, source: int, target: int) -> None:
    """Give a side the ranges of another one."""
    parts.start[target] = parts.start[source]
    parts.counts[target] = parts.counts[source]
    write(parts.first, target, read(parts.first, source))
    write(parts.last, target, read(parts.last, source))
    write(parts.width, target, read(parts.width, source))


@compile_borrower
def close_side(parts: PartRows, row: int, start: int) -> None:
    """Let a side consist of the ranges added from `start` on."""
    count = parts.made[RANGES] - start
    parts.start[row], parts.counts[row] = start, count
    if count:
        write(parts.first, row, read(parts.begin, start))
        write(parts.last, row, read(parts.end, start + count - 1))


@compile_borrower
def measure_side(grid: Grid, parts: PartRows, row: int, a: int) -> None:
    """Set the width of a side."""
    total = extent(grid, a, range_first(parts, row, 0), range_last(parts, row, 0))
    for i in range(1, parts.counts[row]):
        total = plus(total, extent(grid, a, range_first(parts, row, i), range_last(parts, row, i)))
    write(parts.width, row, total)


@compile_borrower
def measure(grid: Grid, parts: PartRows, part: int) -> None:
    """Set the volume of a part from the widths of its sides."""
    row = part * grid.meta[2]
    volume = read(parts.width, row)
    for a in range(1, grid.meta[2]):
        volume = times(volume, read(parts.width, row + a))
    write(parts.volume, part, volume)


@compile_borrower
def finish_part(grid: Grid, parts: PartRows, part: int) -> None:
    """Set corners, widths and volume of a part whose sides are known."""
    low = high = number(grid.below, 0)
    for a in range(grid.meta[2]):
        row = part * grid.meta[2] + a
        low = bits_in_any(low, interleave(grid, a, read(parts.first, row)))
        high = bits_in_any(high, interleave(grid, a, read(parts.last, row)))
        measure_side(grid, parts, row, a)
    write(parts.low, part, low)
    write(parts.high, part, high)
    measure(grid, parts, part)


@compile_borrower
def cut(grid: Grid, parts: PartRows, part: int, bit: int) -> tuple[int, int]:
    """Cut a part by the value of `bit`; -1: no part. See `tercast.encoding.grid_boxes.cut`."""
    one = number(grid.below, 1)
    mask = moved_up(one, bit - 1)
    none = number(grid.below, 0)
    low, high = read(parts.low, part), read(parts.high, part)
    if is_equal(bits_in_both(high, mask), none):
        return part, -1
    if not is_equal(bits_in_both(low, mask), none):
        return -1, part
    a, place, below = grid.owner[bit], grid.place[bit], read(grid.below, bit)
    left, right = new_part(parts), new_part(parts)
    if parts.made[FULL]:
        return -1, part
    base, to_left, to_right = part * grid.meta[2], left * grid.meta[2], right * grid.meta[2]
    for other in range(grid.meta[2]):
        copy_side(parts, base + other, to_left + other)
        copy_side(parts, base + other, to_right + other)
    row, to_left, to_right = base + a, to_left + a, to_right + a
    middle = moved_up(moved_down(read(parts.last, row), place), place)
    i = 0
    while is_less(range_last(parts, row, i), middle):
        i += 1
    write(parts.low, left, low)
    write(parts.high, right, high)
    parts.start[to_right] = parts.start[row] + i
    parts.counts[to_right] = parts.counts[row] - i
    if is_less(range_first(parts, row, i), middle):
        end = last_code(grid, a, minus(middle, one))
        first = middle
        parts.counts[to_left] = i + 1
        top = bits_in_any(bits_in_one(high, mask), below)
        if not is_equal(plus(end, one), middle):
            top = _replaced(grid, a, high, end)
        bottom = minus(bits_in_any(low, mask), bits_in_both(low, below))
    else:
        end, first = range_last(parts, row, i - 1), range_first(parts, row, i)
        parts.counts[to_left] = i
        top, bottom = _replaced(grid, a, high, end), _replaced(grid, a, low, first)
    write(parts.last, to_left, end)
    write(parts.first, to_right, first)
    write(parts.high, left, top)
    write(parts.low, right, bottom)
    measure_side(grid, parts, to_left, a)
    write(parts.width, to_right, minus(read(parts.width, row), read(parts.width, to_left)))
    measure(grid, parts, left)
    measure(grid, parts, right)
    return left, right


@compile_borrower
def _replaced(grid: Grid, a: int, corner: WideNumber, code: WideNumber) -> WideNumber:
    """The corner with another code of an attribute."""
    own = read(grid.masks, a)
    return bits_in_any(minus(corner, bits_in_both(corner, own)), interleave(grid, a, code))


@compile_borrower
def round_part(grid: Grid, parts: PartRows, part: int, rest: int) -> int:
    """The part, rounded outwards to the grid without its last `rest` bits; itself if unchanged."""
    new = new_part(parts)
    if parts.made[FULL]:
        return part
    same = True
    for a in range(grid.meta[2]):
        row, target, free = part * grid.meta[2] + a, new * grid.meta[2] + a, grid.free[rest, a]
        if free:
            _round_side(grid, parts, a, row, target, free)
            same = same and sides_equal(parts, row, parts, target)
        else:
            copy_side(parts, row, target)
    if same:
        parts.made[PARTS] = new
        return part
    finish_part(grid, parts, new)
    return new


@compile_borrower
def _round_side(grid: Grid, parts: PartRows, a: int, row: int, target: int, free: int) -> None:
    """Round the ranges of a side outwards to the grid without its last `free` bits."""
    one = number(grid.below, 1)
    block = minus(moved_up(one, free), one)
    begin = parts.made[RANGES]
    for i in range(parts.counts[row]):
        first = moved_up(moved_down(range_first(parts, row, i), free), free)
        last = last_code(grid, a, bits_in_any(range_last(parts, row, i), block))
        made = parts.made[RANGES]
        if made > begin and not is_less(next_code(grid, a, read(parts.end, made - 1)), first):
            if is_less(read(parts.end, made - 1), last):
                write(parts.end, made - 1, last)
        else:
            add_range(parts, first, last)
    close_side(parts, target, begin)


@compile_borrower
def sides_equal(ours: PartRows, row: int, theirs: PartRows, other: int) -> bool:
    """Whether two sides have the same ranges."""
    count = ours.counts[row]
    if count != theirs.counts[other]:
        return False
    for i in range(count):
        if not is_equal(range_first(ours, row, i), range_first(theirs, other, i)):
            return False
        if not is_equal(range_last(ours, row, i), range_last(theirs, other, i)):
            return False
    return True
