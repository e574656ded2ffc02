"""How long events take from their publisher to each host."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812

from analytics.transforms.common import between_ms, one_row_a_key, percentiles, window_start
from tercast.telemetry import PUBLISHED

PUBLISHED_COLUMNS = ("topic", "publisher", "seq", "published_at")
DELIVERED_COLUMNS = ("topic", "publisher", "seq", "host", "received_at")
UNMATCHED, BACKWARDS = "deliveries_of_unknown_events", "negative_delays"


def first_deliveries(delivered: DataFrame) -> DataFrame:
    """Of each event on each host the delivery that came first; doubles do not count for the delay."""
    return delivered.groupBy("topic", "publisher", "seq", "host").agg(
        F.min("received_at").alias("received_at")
    )


def delay(published: DataFrame, delivered: DataFrame, window: int, counts: Column) -> DataFrame:
    """A row for each topic, host and window of `published_at`, over first deliveries, wanted or not.

    `counts` says of a pair (`published_at` is null where the event is not known) whether it is asked for.
    Rows without `window_start` hold deliveries whose event is not known; their number is `unknown`, and they
    have no delay. `backwards` counts negative delays, which stay as they were measured.
    """
    events = one_row_a_key(published, PUBLISHED.key)
    pairs = first_deliveries(delivered).join(events, list(PUBLISHED.key), "left").where(counts)
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
