"""Cells of many floats with NumPy; each equals that of Float.index."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tercast.eventspace.float_attribute import CELLS, MARGIN, Float

_SPLITTER = 2.0**27 + 1
_Doubles = npt.NDArray[np.float64]


def float_indexes(attribute: Float, column: _Doubles) -> npt.NDArray[np.uint64]:
    """Return `Float.index` of each value of a column; all are in the domain."""
    if attribute.scale == 0:
        return np.array([attribute.index(value) for value in column.tolist()], dtype=np.uint64)
    cells = (column - attribute.min) * attribute.scale
    whole = np.floor(cells)
    near = np.flatnonzero(np.abs(cells - whole - 0.5) >= 0.5 - MARGIN)
    if near.size:
        whole[near] = _near_border(attribute, column[near], np.rint(cells[near]))
    return np.minimum(whole, CELLS - 1).astype(np.uint64)


def _near_border(attribute: Float, values: _Doubles, borders: _Doubles) -> _Doubles:
    """The exact cells of values on the lower border of a cell or close to it.

    A value is at or above the border if (value - min) * 2**32 >= border * (max - min). If both differences
    are doubles, the two sides are compared without rounding. The left side is a shift. The right side is a
    product with its rounding error. The two are so close that their difference is exact (Sterbenz, Dekker).
    """
    span = attribute.max - attribute.min
    above, lost = _exact_difference(values, attribute.min)
    product, error = _exact_product(borders, span)
    cells = borders - ((above * CELLS - product) < error)
    unsure = (lost != 0) | (not attribute.exact_span)
    cells[borders == 0] = 0
    for i in np.flatnonzero(unsure & (borders != 0)):
        cells[i] = attribute.index(float(values[i]))
    return cells


def _exact_difference(a: _Doubles, b: float) -> tuple[_Doubles, _Doubles]:
    """a - b rounded, and the rounding error (Knuth)."""
    difference = a - b
    back = a - difference
    return difference, (a - (difference + back)) + (back - b)


def _exact_product(a: _Doubles, b: float) -> tuple[_Doubles, _Doubles]:
    """a * b rounded, and the rounding error (Dekker)."""
    product = a * b
    high_a = a * _SPLITTER - (a * _SPLITTER - a)
    high_b = b * _SPLITTER - (b * _SPLITTER - b)
    low_a, low_b = a - high_a, b - high_b
    return product, ((high_a * high_b - product) + high_a * low_b + low_a * high_b) + low_a * low_b
