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


def near_deliveries(events: DataFrame, delivered: DataFrame, horizon: int) -> DataFrame:
    """The same beside `published_at`, which is null where it is more than `horizon` microseconds away.

    Such a delivery is one of an unknown event, and comes first only where no other is near.
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
    """A row for each topic, host and window of `published_at`, over first deliveries, wanted or not.

    `counts` says of a pair (`published_at` is null where the event is not known) whether it is asked for.
    Rows without `window_start` hold deliveries whose event is not known, or further away than `horizon` where
    there is one; their number is `unknown`, and they have no delay. `backwards` counts negative delays, which
    stay as they were measured.
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
