"""What hosts got that they did not want, what they got twice, and what they wanted and never got."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from analytics.transforms.common import one_row_a_key
from tercast.telemetry import DELIVERED

DELIVERED_COLUMNS = ("topic", "publisher", "seq", "host", "received_at", "wanted")
PUBLISHED_COLUMNS = ("topic", "publisher", "seq", "published_at", "values")
EVENT = ("topic", "publisher", "seq")


def deliveries(delivered: DataFrame) -> DataFrame:
    """A row for each topic and host: `delivered` and `unwanted` count events, `doubled` their further copies.

    Whether an event was wanted is what its first copy says. A copy that says nothing counts as wanted.
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


def losses(expected: DataFrame, delivered: DataFrame) -> DataFrame:
    """A row for each topic, host and problem with `lost`, the number of events.

    `expected` has an event and a host that it should have come to, or an event, a null host and a `problem`.
    """
    came = delivered.select(*EVENT, "host").distinct()
    missed = expected.distinct().join(came, [*EVENT, "host"], "left_anti")
    return missed.groupBy("topic", "host", "problem").agg(F.count("*").alias("lost"))


def false_positives(counted: DataFrame, lost: DataFrame | None) -> DataFrame:
    """The rows of `deliveries` beside the hosts' rows of `losses`; `lost` is null when it is not known.

    `fpr` is in percent of delivered, null where nothing was.
    """
    if lost is None:
        both = counted.withColumn("lost", F.lit(None).cast("bigint"))
    else:
        hosts = lost.where(F.col("problem").isNull()).select("topic", "host", "lost")
        both = counted.join(hosts, ["topic", "host"], "full").na.fill(0)
    share = F.lit(100.0) * F.col("unwanted") / F.nullif(F.col("delivered"), F.lit(0))
    return both.select("topic", "host", "delivered", "unwanted", share.alias("fpr"), "lost", "doubled")
