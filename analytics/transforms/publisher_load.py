"""Load of each publisher, and its distribution over the event space."""

from __future__ import annotations

from datetime import datetime

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812

from analytics.transforms.common import one_row_a_key, window_start
from tercast.telemetry import PUBLISHED

COLUMNS = ("topic", "publisher", "seq", "published_at", "dz")


def publisher_load(
    published: DataFrame, depth: int, since: datetime | None = None, until: datetime | None = None
) -> DataFrame:
    """Return a row per publisher: events, events per second, and a histogram of dz.

    The rate refers to the time from `since` to `until`. Without these, it refers to the time from the first
    to the last event of all publishers, so that loads are comparable. `events_per_s` is null if this time is
    0. `without_dz` counts the events that have no dz.

    Args:
        depth: Number of bits of the dz in the histogram.
    """
    cut = published.withColumn("dz", F.substring("dz", 1, depth))
    cells = (
        one_row_a_key(cut, PUBLISHED.key)
        .groupBy("publisher", "dz")
        .agg(
            F.count("*").alias("events"),
            F.min("published_at").alias("first"),
            F.max("published_at").alias("last"),
        )
    )
    pair = F.when(F.col("dz").isNotNull(), F.struct("dz", "events"))
    loads = cells.groupBy("publisher").agg(
        F.sum("events").alias("events"),
        F.min("first").alias("first"),
        F.max("last").alias("last"),
        F.map_from_entries(F.collect_list(pair)).alias("dz_histogram"),
        F.coalesce(F.sum(F.when(F.col("dz").isNull(), F.col("events"))), F.lit(0)).alias("without_dz"),
    )
    everyone = Window.partitionBy(F.lit(1))
    begin = F.lit(since) if since else F.min("first").over(everyone)
    end = F.lit(until) if until else F.max("last").over(everyone)
    rate = F.col("events") / F.nullif(_seconds(begin, end), F.lit(0.0))
    return loads.select("publisher", "events", rate.alias("events_per_s"), "dz_histogram", "without_dz")


def publisher_load_by_window(published: DataFrame, depth: int, window: int) -> DataFrame:
    """Return a row like those of `publisher_load` per window; the rate refers to the window."""
    starts = window_start(F.col("published_at"), window).alias("window_start")
    cut = published.withColumn("dz", F.substring("dz", 1, depth))
    events = one_row_a_key(cut, PUBLISHED.key)
    cells = events.groupBy("publisher", starts, "dz").agg(F.count("*").alias("events"))
    pair = F.when(F.col("dz").isNotNull(), F.struct("dz", "events"))
    return cells.groupBy("publisher", "window_start").agg(
        F.sum("events").alias("events"),
        (F.sum("events") / F.lit(window / 1e6)).alias("events_per_s"),
        F.map_from_entries(F.collect_list(pair)).alias("dz_histogram"),
        F.coalesce(F.sum(F.when(F.col("dz").isNull(), F.col("events"))), F.lit(0)).alias("without_dz"),
    )


def _seconds(begin: Column, end: Column) -> Column:
    return (F.unix_micros(end) - F.unix_micros(begin)) / F.lit(1e6)
