"""Functions that several transforms use."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812


def one_row_a_key(frame: DataFrame, key: Sequence[str]) -> DataFrame:
    """Keep one row per key, so that repeated rows change nothing.

    If rows with one key differ, each column has its lowest value. So the result does not depend on the order
    in which rows were written.
    """
    rest = [name for name in frame.columns if name not in key]
    if not rest:
        return frame.distinct()
    return frame.groupBy(*key).agg(*[F.min(name).alias(name) for name in rest])


def window_start(time: Column, window: int) -> Column:
    """Return the start of the window of a time; `window` is in microseconds."""
    at = F.unix_micros(time)
    return F.timestamp_micros(at - F.pmod(at, F.lit(window)))


def between_ms(start: str, end: str) -> Column:
    """Return the milliseconds between two times; negative if a clock ran backwards."""
    return (F.unix_micros(F.col(end)) - F.unix_micros(F.col(start))) / F.lit(1000.0)


def percentiles(value: str, *shares: float) -> Column:
    """Return the exact percentiles of a column as an array, with linear interpolation."""
    return F.percentile(value, F.array(*[F.lit(share) for share in shares]))
