"""Compiled form of the estimated volume in `tercast.encoding.refinement`."""

from __future__ import annotations

import numpy as np

from tercast.encoding.kernels.wide_numbers import (
    MAX_WIDE_BITS,
    WideNumber,
    WideNumbers,
    bits_in_both,
    bits_of,
    is_equal,
    is_less,
    minus,
    moved_down,
    moved_up,
    number,
    plus,
    read,
    small,
    times,
)
from tercast.runtime.compiler import compile_borrower
from tercast.runtime.growable_array import Ints

_UNIT = 30
_MANTISSA = 53
_WORD = 62


@compile_borrower
def estimate(volumes: WideNumbers, items: Ints, cell: WideNumber) -> WideNumber:
    """Estimated volume of parts at random positions; the whole cell only if one part fills it."""
    missed = 1.0
    for i in range(items.size):
        volume = read(volumes, items[i])
        if is_equal(volume, cell):
            return cell
        missed *= 1 - share(volume, cell)
    factor = number(volumes, int(missed * (1 << _UNIT)))
    unit = minus(moved_up(number(volumes, 1), _UNIT), number(volumes, 1))
    upper = times(moved_down(cell, _UNIT), factor)
    lower = moved_down(times(bits_in_both(cell, unit), factor), _UNIT)
    met = minus(cell, plus(upper, lower))
    most = minus(cell, number(volumes, 1))
    return most if is_less(most, met) else met


@compile_borrower
def share(volume: WideNumber, cell: WideNumber) -> float:
    """The quotient of two volumes, the first one smaller, rounded to the nearest double."""
    one = number(cell, 1)
    bits = bits_of(cell)
    if bits <= _MANTISSA:
        return float(small(volume) / small(cell))
    if is_equal(moved_up(one, bits - 1), cell):
        return _scaled(volume, 1 - bits)
    quotient, rest, places = 0, volume, 0
    while quotient >> _MANTISSA + 2 == 0 and places < MAX_WIDE_BITS + _MANTISSA:
        rest = moved_up(rest, 1)
        quotient <<= 1
        if not is_less(rest, cell):
            rest = minus(rest, cell)
            quotient |= 1
        places += 1
    sticky = not is_equal(rest, number(cell, 0))
    return float(np.ldexp(np.float64(quotient | sticky), np.int32(-places)))


@compile_borrower
def _scaled(volume: WideNumber, exponent: int) -> float:
    """A volume times a power of two, rounded to the nearest double."""
    surplus = max(0, bits_of(volume) - _WORD)
    top = small(moved_down(volume, surplus))
    sticky = not is_equal(moved_up(number(volume, top), surplus), volume)
    return float(np.ldexp(np.float64(top | sticky), np.int32(surplus + exponent)))
