"""Cells of many floats with NumPy; each equals that of Float.index."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tercast.eventspace.float_attribute import CELLS, MARGIN, Float

_SPLITTER = 2.0**27 + 1
_Doubles = npt.NDArray[np.float64]


def float_indexes(attribute: Float, column: _Doubles) -> npt.NDArray[np.uint64]:
    """Return `Float.index` of each value of a column; all are in the domain."""
    if attribute.scale == 0:
        return np.array([attribute.index(value) for value in column.tolist()], dtype=np.uint64)
    return (
        FloatGrids.made([attribute])
        .cells(column, lambda number: attribute.index(float(column[number])))
        .astype(np.uint64)
    )


class FloatGrids(NamedTuple):
    """The fields of `Float` by domain, as arrays, to compute the cells of many values.

    A scale of 0 means that double arithmetic does not find the cells.
    """

    low: _Doubles
    span: _Doubles
    scale: _Doubles
    exact_span: npt.NDArray[np.bool_]

    @classmethod
    def made(cls, domains: Sequence[Float | None]) -> FloatGrids:
        """The arrays of these domains; None is a domain with one cell."""
        return cls(
            np.array([0.0 if one is None else one.min for one in domains]),
            np.array([0.0 if one is None or not one.scale else one.max - one.min for one in domains]),
            np.array([0.0 if one is None else one.scale for one in domains]),
            np.array([one is not None and one.exact_span for one in domains]),
        )

    def of(self, numbers: npt.NDArray[np.int64]) -> FloatGrids:
        """The grids of the domains with these numbers, one for each value of a column."""
        return FloatGrids(
            self.low[numbers], self.span[numbers], self.scale[numbers], self.exact_span[numbers]
        )

    def cells(self, column: _Doubles, exact: Callable[[int], int]) -> _Doubles:
        """The cell of each value; `exact` computes the cell of the value at a position."""
        cells = (column - self.low) * self.scale
        whole = np.floor(cells)
        near = np.flatnonzero(np.abs(cells - whole - 0.5) >= 0.5 - MARGIN)
        if near.size:
            here = self if self.low.size == 1 else self.of(near)
            found, unsure = here.near_border(column[near], np.rint(cells[near]))
            for i in np.flatnonzero(unsure):
                found[i] = exact(int(near[i]))
            whole[near] = found
        return np.minimum(whole, CELLS - 1)

    def near_border(self, values: _Doubles, borders: _Doubles) -> tuple[_Doubles, npt.NDArray[np.bool_]]:
        """The cells of values on the lower border of a cell or close to it.

        The flags mark values whose cell is unsure.

        A value is at or above the border if (value - min) * 2**32 >= border * (max - min). If both
        differences are doubles, the two sides are compared without rounding. The left side is a shift. The
        right side is a product with its rounding error. The two are so close that their difference is exact
        (Sterbenz, Dekker).
        """
        with np.errstate(over="ignore", invalid="ignore"):  # extreme domains, whose cells are unsure
            above, lost = _exact_difference(values, self.low)
            product, error = _exact_product(borders, self.span)
            cells = borders - ((above * CELLS - product) < error)
        cells[borders == 0] = 0
        unsure = ((lost != 0) | ~self.exact_span) & (borders != 0)
        return cells, unsure | (self.scale == 0)


def _exact_difference(a: _Doubles, b: _Doubles) -> tuple[_Doubles, _Doubles]:
    """a - b rounded, and the rounding error (Knuth)."""
    difference = a - b
    back = a - difference
    return difference, (a - (difference + back)) + (back - b)


def _exact_product(a: _Doubles, b: _Doubles) -> tuple[_Doubles, _Doubles]:
    """a * b rounded, and the rounding error (Dekker)."""
    product = a * b
    high_a = a * _SPLITTER - (a * _SPLITTER - a)
    high_b = b * _SPLITTER - (b * _SPLITTER - b)
    low_a, low_b = a - high_a, b - high_b
    return product, ((high_a * high_b - product) + high_a * low_b + low_a * high_b) + low_a * low_b
