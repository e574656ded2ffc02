"""Delays of events from their publishers to hosts."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812

from analytics.transforms.common import between_ms, one_row_a_key, percentiles, window_start
from tercast.telemetry import PUBLISHED

PUBLISHED_COLUMNS = ("topic", "publisher", "seq", "published_at")
DELIVERED_COLUMNS = ("topic", "publisher", "seq", "host", "received_at")
UNMATCHED, BACKWARDS = "deliveries_of_unknown_events", "negative_delays"


def first_deliveries(delivered: DataFrame) -> DataFrame:
    """Return the first delivery of each event to each host; the delay ignores duplicates."""
    return delivered.groupBy("topic", "publisher", "seq", "host").agg(
        F.min("received_at").alias("received_at")
    )


def near_deliveries(events: DataFrame, delivered: DataFrame, horizon: int) -> DataFrame:
    """Return the first delivery of each event to each host, with `published_at`.

    `published_at` is null if it differs by more than `horizon` microseconds: such a delivery belongs to an
    unknown event. It is returned only if no other delivery is near.
    """
    apart = F.abs(F.unix_micros("received_at") - F.unix_micros("published_at"))
    joined = delivered.join(events, list(PUBLISHED.key), "left").withColumn(
        "published_at", F.when(apart <= F.lit(horizon), F.col("published_at"))
    )
    rank = F.struct(F.col("published_at").isNull().alias("far"), "received_at", "published_at")
    best = joined.groupBy("topic", "publisher", "seq", "host").agg(F.min(rank).alias("best"))
    return best.select("topic", "host", F.col("best.received_at"), F.col("best.published_at"))


def delay(
    published: DataFrame, delivered: DataFrame, window: int, counts: Column, horizon: int | None = None
) -> DataFrame:
    """Return a row per topic, host and window of `published_at`, over all first deliveries.

    Args:
        window: Microseconds.
        counts: Whether a delivery is requested; its `published_at` is null if the event is unknown.
        horizon: Microseconds; a delivery that is further from its event belongs to an unknown event.

    Returns:
        Rows without `window_start` have the deliveries of unknown events: `unknown` is their number, and they
        have no delay. `backwards` counts negative delays, which are not changed.
    """
    events = one_row_a_key(published, PUBLISHED.key)
    if horizon is None:
        pairs = first_deliveries(delivered).join(events, list(PUBLISHED.key), "left").where(counts)
    else:
        pairs = near_deliveries(events, delivered, horizon).where(counts)
    timed = pairs.withColumn("delay", between_ms("published_at", "received_at"))
    start = window_start(F.col("published_at"), window).alias("window_start")
    found = timed.groupBy("topic", "host", start).agg(
        F.count("delay").alias("events"),
        percentiles("delay", 0.5, 0.95, 0.99).alias("shares"),
        F.max("delay").alias("max_ms"),
        F.count_if(F.col("delay").isNull()).alias("unknown"),
        F.count_if(F.col("delay") < 0).alias("backwards"),
    )
    shares = [F.col("shares")[i].alias(f"p{share}_ms") for i, share in enumerate((50, 95, 99))]
    return found.select("topic", "host", "window_start", "events", *shares, "max_ms", "unknown", "backwards")
