"""What several transforms share."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812


def one_row_a_key(frame: DataFrame, key: Sequence[str]) -> DataFrame:
    """One row for each key, so that equal rows change nothing.

    Of rows that differ in spite of one key, each column takes its least value: the result does not depend on
    the order in which rows were written.
    """
    rest = [name for name in frame.columns if name not in key]
    if not rest:
        return frame.distinct()
    return frame.groupBy(*key).agg(*[F.min(name).alias(name) for name in rest])


def window_start(time: Column, window: int) -> Column:
    """The start of the window, of so many microseconds, that a time lies in."""
    at = F.unix_micros(time)
    return F.timestamp_micros(at - F.pmod(at, F.lit(window)))


def between_ms(start: str, end: str) -> Column:
    """Milliseconds from one time to another; negative where a clock ran backwards, null where one is null."""
    return (F.unix_micros(F.col(end)) - F.unix_micros(F.col(start))) / F.lit(1000.0)


def percentiles(value: str, *shares: float) -> Column:
    """The exact percentiles of a column, between values by a straight line, as one array."""
    return F.percentile(value, F.array(*[F.lit(share) for share in shares]))
