"""False positives, duplicates and lost events of hosts."""

from __future__ import annotations

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812

from analytics.transforms.common import one_row_a_key, window_start
from tercast.telemetry import DELIVERED

DELIVERED_COLUMNS = ("topic", "publisher", "seq", "host", "received_at", "wanted")
PUBLISHED_COLUMNS = ("topic", "publisher", "seq", "published_at", "values")
EVENT = ("topic", "publisher", "seq")


def deliveries(delivered: DataFrame) -> DataFrame:
    """Return a row per topic and host with numbers of events, false positives and duplicates.

    `delivered` and `unwanted` count events, and `doubled` counts their further copies. The first copy decides
    whether an event was expected. Without a value, it counts as expected.
    """
    copies = one_row_a_key(delivered, DELIVERED.key)
    events = copies.groupBy(*EVENT, "host").agg(
        F.min_by("wanted", "received_at").alias("wanted"), (F.count("*") - 1).alias("doubled")
    )
    return events.groupBy("topic", "host").agg(
        F.count("*").alias("delivered"),
        F.count_if(~F.col("wanted")).alias("unwanted"),
        F.sum("doubled").alias("doubled"),
    )


def deliveries_by_window(delivered: DataFrame, window: int, horizon: int) -> DataFrame:
    """Return a row like those of `deliveries` per topic, host and window of `received_at`.

    A copy is a duplicate if another copy arrived at most `horizon` microseconds before it; it counts in its
    own window. So only rows near it decide this.
    """
    copies = one_row_a_key(delivered, DELIVERED.key)
    earlier = F.lag("received_at").over(Window.partitionBy(*EVENT, "host").orderBy("received_at"))
    apart = F.unix_micros("received_at") - F.unix_micros(earlier)
    first = F.coalesce(apart > F.lit(horizon), F.lit(True))
    start = window_start(F.col("received_at"), window).alias("window_start")
    return (
        copies.withColumn("first", first)
        .groupBy("topic", "host", start)
        .agg(
            F.count_if("first").alias("delivered"),
            F.count_if(F.col("first") & ~F.col("wanted")).alias("unwanted"),
            F.count_if(~F.col("first")).alias("doubled"),
        )
    )


def losses_by_window(expected: DataFrame, delivered: DataFrame, window: int, horizon: int) -> DataFrame:
    """Return `losses` for each window of the publication times.

    An event has arrived if a delivery is at most `horizon` microseconds away from its time `at`.
    """
    came = delivered.select(*EVENT, "host", F.unix_micros("received_at").alias("came"))
    wanted = expected.distinct()
    near = F.abs(F.col("came") - F.col("at")) <= F.lit(horizon)
    same = [wanted[name] == came[name] for name in (*EVENT, "host")]
    missed = wanted.join(came, [*same, near], "left_anti")
    start = window_start(F.timestamp_micros("at"), window).alias("window_start")
    return missed.groupBy("topic", "host", "problem", start).agg(F.count("*").alias("lost"))


def losses(expected: DataFrame, delivered: DataFrame) -> DataFrame:
    """Return a row per topic, host and problem with `lost`, the number of lost events.

    `expected` has an event and a host that expects it, or an event with a null host and a `problem`.
    """
    came = delivered.select(*EVENT, "host").distinct()
    missed = expected.distinct().join(came, [*EVENT, "host"], "left_anti")
    return missed.groupBy("topic", "host", "problem").agg(F.count("*").alias("lost"))


def false_positives(counted: DataFrame, lost: DataFrame | None) -> DataFrame:
    """Join the rows of `deliveries` and the rows of `losses` with hosts.

    `lost` is null if it is unknown. `fpr` is a percentage of `delivered`, null if there are none.
    """
    keys: list[str] = [name for name in ("topic", "host", "window_start") if name in counted.columns]
    if lost is None:
        both = counted.withColumn("lost", F.lit(None).cast("bigint"))
    else:
        hosts = lost.where(F.col("problem").isNull()).select(*keys, "lost")
        both = counted.join(hosts, keys, "full").na.fill(0)
    share = F.lit(100.0) * F.col("unwanted") / F.nullif(F.col("delivered"), F.lit(0))
    return both.select(*keys, "delivered", "unwanted", share.alias("fpr"), "lost", "doubled")
