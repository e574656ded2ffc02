"""Codes, cells and volumes, as in `tercast.eventspace.interleaving` and `...bisection`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tercast.encoding.kernels.wide_numbers import (
    MAX_BITS,
    WideNumber,
    WideNumbers,
    bits_in_any,
    bits_in_both,
    bits_of,
    is_equal,
    is_less,
    minus,
    moved_down,
    moved_up,
    number,
    packed,
    plus,
    read,
    small,
    times,
)
from tercast.runtime.compiler import compile_borrower
from tercast.runtime.growable_array import Ints

if TYPE_CHECKING:
    from tercast.eventspace.interleaving import BitSchedule


class Grid(NamedTuple):
    """The arrays of a `BitSchedule`, which describes most of the fields.

    `spots[starts[a] + k]`: the interleaved position of bit k of attribute a. `bits`, `full_bits`, `even` and
    `sizes` are those of each attribute's halving. `meta`: width, depth, attributes, whether all sizes are
    even, and whether the schedule is ragged.
    """

    owner: Ints
    place: Ints
    below: WideNumbers
    masks: WideNumbers
    spots: Ints
    starts: Ints
    bits: Ints
    full_bits: Ints
    even: Ints
    sizes: WideNumbers
    free: Ints
    phantoms: Ints
    meta: Ints


def is_possible(schedule: BitSchedule) -> bool:
    """Whether volumes fit in 128 bits."""
    return schedule.width > 0 and volume_bits(schedule) <= MAX_BITS


def volume_bits(schedule: BitSchedule) -> int:
    """The bits of the whole volume, and of its multiples in a search; at least those of a code."""
    sizes = [halving.bits if halving.even else halving.full_bits for halving in schedule.halvings]
    return max(sum(sizes), schedule.width) + 6


def make_grid(schedule: BitSchedule, words: int = 2) -> Grid:
    """Create the arrays of a schedule, with numbers of `words` words."""
    halvings = schedule.halvings
    counts = [len(mine) for mine in schedule.places]
    return Grid(
        np.array(schedule.owner, np.int64),
        np.array(schedule.place, np.int64),
        packed(schedule.below, words),
        packed(schedule.masks, words),
        np.array([spot for mine in schedule.places for spot in mine], np.int64),
        np.cumsum([0, *counts]).astype(np.int64),
        np.array([halving.bits for halving in halvings], np.int64),
        np.array([halving.full_bits for halving in halvings], np.int64),
        np.array([halving.even for halving in halvings], np.int64),
        packed([0 if halving.even else halving.size for halving in halvings], words),
        np.array(schedule.free, np.int64),
        np.array(schedule.phantoms, np.int64).reshape(len(schedule.phantoms), 2),
        np.array(
            [schedule.width, schedule.depth, len(halvings), schedule.all_even, schedule.ragged], np.int64
        ),
    )


@compile_borrower
def code_of(grid: Grid, a: int, index: WideNumber) -> WideNumber:
    """The bits of an index (see `Halving.code`)."""
    if grid.even[a]:
        return moved_down(index, grid.full_bits[a] - grid.bits[a])
    one = number(grid.below, 1)
    code, size = number(grid.below, 0), read(grid.sizes, a)
    for _ in range(grid.bits[a]):
        half = moved_down(size, 1)
        if is_less(half, one):
            half = one
        code = moved_up(code, 1)
        if is_less(index, half):
            size = half
        else:
            index, size, code = minus(index, half), minus(size, half), bits_in_any(code, one)
    return code


@compile_borrower
def dz_of(grid: Grid, code: WideNumber, rest: int, codes: WideNumbers, at: int) -> WideNumber:
    """The dz of a cell (see `BitSchedule.dz`); its attributes' codes are `codes` from `at` on."""
    one = number(grid.below, 1)
    dz = bits_in_any(moved_up(one, grid.meta[0] - rest), moved_down(code, rest))
    for i in range(grid.phantoms.shape[0]):
        bit, a = grid.phantoms[i, 0], grid.phantoms[i, 1]
        if bit > rest and ends_early(grid, a, read(codes, at + a)):
            place = bit - 1 - rest
            last = bits_in_both(dz, minus(moved_up(one, place), one))
            dz = bits_in_any(moved_up(moved_down(dz, place + 1), place), last)
            rest += 1
    surplus = bits_of(dz) - 1 - grid.meta[1]
    return moved_down(dz, surplus) if surplus > 0 else dz


@compile_borrower
def interleave(grid: Grid, a: int, code: WideNumber) -> WideNumber:
    """The bits of one attribute's code at their positions in the interleaved code."""
    one = number(grid.below, 1)
    out = number(grid.below, 0)
    if is_equal(code, out):
        return out
    if is_equal(plus(code, one), moved_up(one, grid.bits[a])):
        return read(grid.masks, a)
    for k in range(grid.starts[a], grid.starts[a + 1]):
        out = bits_in_any(out, moved_up(bits_in_both(code, one), grid.spots[k]))
        code = moved_down(code, 1)
    return out


@compile_borrower
def start_of(grid: Grid, a: int, code: WideNumber) -> WideNumber:
    """The first index with at least this code, of an attribute whose size is not even."""
    one = number(grid.below, 1)
    size = read(grid.sizes, a)
    bits = grid.bits[a]
    if is_equal(moved_down(code, bits), one):
        return size
    start = number(grid.below, 0)
    if is_equal(code, start):
        return start
    for place in range(bits - 1, -1, -1):
        half = moved_down(size, 1)
        if is_less(half, one):
            half = one
        if is_equal(bits_in_both(moved_down(code, place), one), one):
            start, size = plus(start, half), minus(size, half)
        else:
            size = half
    return start


@compile_borrower
def extent(grid: Grid, a: int, first: WideNumber, last: WideNumber) -> WideNumber:
    """The size of a range of codes: in codes if the attribute's size is even, else in indexes."""
    after = plus(last, number(grid.below, 1))
    if grid.even[a]:
        return minus(after, first)
    return minus(start_of(grid, a, after), start_of(grid, a, first))


@compile_borrower
def has_phantoms(grid: Grid, a: int) -> bool:
    """Whether the last bit of some codes is a phantom bit."""
    return not grid.even[a] and grid.bits[a] == grid.full_bits[a]


@compile_borrower
def is_phantom(grid: Grid, a: int, code: WideNumber) -> bool:
    """Whether no index has this code."""
    if not has_phantoms(grid, a) or not small(code) & 1:
        return False
    return bool(is_less(extent(grid, a, code, code), number(grid.below, 1)))


@compile_borrower
def ends_early(grid: Grid, a: int, code: WideNumber) -> bool:
    """Whether the last bit of this code is a phantom bit."""
    return is_phantom(grid, a, bits_in_any(code, number(grid.below, 1)))


@compile_borrower
def last_code(grid: Grid, a: int, code: WideNumber) -> WideNumber:
    """Return `code`, or the code before it if no index has it."""
    if is_less(code, number(grid.below, 0)) or not is_phantom(grid, a, code):
        return code
    return minus(code, number(grid.below, 1))


@compile_borrower
def next_code(grid: Grid, a: int, code: WideNumber) -> WideNumber:
    """The next code after `code` that an index has."""
    one = number(grid.below, 1)
    after = plus(code, one)
    if has_phantoms(grid, a) and not small(code) & 1 and ends_early(grid, a, code):
        after = plus(after, one)
    return after


@compile_borrower
def block(grid: Grid, a: int, code: WideNumber, free: int) -> WideNumber:
    """The size of the cell of all codes that equal `code` except for the last `free` bits."""
    one = number(grid.below, 1)
    whole = moved_up(one, free)
    if grid.even[a]:
        return whole
    first = moved_up(moved_down(code, free), free)
    return extent(grid, a, first, minus(plus(first, whole), one))


@compile_borrower
def cell_volume(grid: Grid, rest: int, codes: WideNumbers, at: int) -> WideNumber:
    """The volume of a cell; its attributes' codes are `codes` from position `at` on."""
    one = number(grid.below, 1)
    if grid.meta[3]:
        return moved_up(one, rest)
    volume = one
    for a in range(grid.meta[2]):
        volume = times(volume, block(grid, a, read(codes, at + a), grid.free[rest, a]))
    return volume


@compile_borrower
def dz_length(grid: Grid, rest: int, codes: WideNumbers, at: int) -> int:
    """The length of a dz without the last `rest` interleaved bits, before the depth cuts it."""
    early = 0
    for i in range(grid.phantoms.shape[0]):
        a = grid.phantoms[i, 1]
        if grid.phantoms[i, 0] > rest and ends_early(grid, a, read(codes, at + a)):
            early += 1
    return int(grid.meta[0] - rest - early)


@compile_borrower
def deepest_width(grid: Grid, rest: int, codes: WideNumbers, at: int) -> int:
    """The number of interleaved bits of the deepest dz in a cell, at most up to the limit."""
    width = grid.meta[1]
    for i in range(grid.phantoms.shape[0] - 1, -1, -1):
        bit, a = grid.phantoms[i, 0], grid.phantoms[i, 1]
        free = grid.free[rest, a]
        code = read(codes, at + a)
        if free:
            possible = is_less(block(grid, a, code, free), moved_up(number(grid.below, 1), free))
        else:
            possible = ends_early(grid, a, code)
        if possible and grid.meta[0] - bit < width:
            width += 1
    return int(min(width, grid.meta[0]))
