"""Numbers of entries in the tables of switches, in windows of time."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812

from analytics.transforms.common import one_row_a_key, window_start
from tercast.telemetry import TABLE_SNAPSHOTS

COLUMNS = ("switch", "taken_at", "entries", "budget")


def flow_table_size(snapshots: DataFrame, window: int) -> DataFrame:
    """Return a row per switch and window with snapshots.

    `budget` is from the last snapshot of the window. `occupancy_max` is the largest share of its budget that
    a snapshot uses (1 is full); it is null without a budget or with a budget of 0.
    """
    occupancy: Column = F.col("entries") / F.nullif(F.col("budget"), F.lit(0)).cast("double")
    return (
        one_row_a_key(snapshots, TABLE_SNAPSHOTS.key)
        .withColumn("occupancy", occupancy)
        .groupBy("switch", window_start(F.col("taken_at"), window).alias("window_start"))
        .agg(
            F.min("entries").alias("entries_min"),
            F.avg("entries").alias("entries_avg"),
            F.max("entries").alias("entries_max"),
            F.max_by("budget", "taken_at").alias("budget"),
            F.max("occupancy").alias("occupancy_max"),
        )
    )
