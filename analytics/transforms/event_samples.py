"""A small and uniform sample of published events, for aggregation."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812

from analytics.transforms.common import one_row_a_key
from tercast.telemetry import PUBLISHED

COLUMNS = ("topic", "publisher", "seq", "published_at", "values")
LEAST = 20
"""Lowest number of sampled events of a publisher that has them, even with a small share of the load."""

_HASHES = float(1 << 64)
_MARGIN, _MORE = 1.3, 50


def event_samples(published: DataFrame, most: int) -> DataFrame:
    """Return about `most` events of each topic, with the columns `COLUMNS`.

    Each publisher has its share of the topic's load, but at least `LEAST` events, so the sample may be larger
    by as many for each publisher. A hash of the keys selects the events. So the same telemetry results in the
    same sample: it does not matter in which files its rows are, and how often they are repeated.
    """
    whole = published.where(F.col("values").isNotNull())
    some = F.least(F.lit(1.0), (_MARGIN * F.col("quota") + _MORE) / F.col("events"))
    near = whole.join(F.broadcast(quotas(whole, most)), ["topic", "publisher"]).where(_place() < some)
    events = one_row_a_key(near.select(*COLUMNS, "quota"), PUBLISHED.key)
    rank = F.row_number().over(Window.partitionBy("topic", "publisher").orderBy(_place(), "seq"))
    return events.withColumn("rank", rank).where(F.col("rank") <= F.col("quota")).select(*COLUMNS)


def quotas(published: DataFrame, most: int) -> DataFrame:
    """Return each publisher's `events` (distinct keys) by topic, and their sampled `quota`."""
    keys = published.select(*PUBLISHED.key).distinct()
    loads = keys.groupBy("topic", "publisher").agg(F.count("*").alias("events"))
    of_topic = F.sum("events").over(Window.partitionBy("topic"))
    share = F.ceil(F.lit(most) * F.col("events") / F.greatest(of_topic, F.lit(most)))
    quota = F.least(F.col("events"), F.greatest(share, F.lit(LEAST)))
    return loads.withColumn("quota", quota)


def _place() -> Column:
    """Return the position of an event from 0 to 1, a hash of its key."""
    return F.xxhash64(*PUBLISHED.key) / F.lit(_HASHES) + F.lit(0.5)
