"""A small, even sample of published events, as aggregation learns from them."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812

from analytics.transforms.common import one_row_a_key
from tercast.telemetry import PUBLISHED

COLUMNS = ("topic", "publisher", "seq", "published_at", "values")
LEAST = 20
"""So many events of a publisher at least, if it has them, however little of its topic's load it is."""

_HASHES = float(1 << 64)
_MARGIN, _MORE = 1.3, 50


def event_samples(published: DataFrame, most: int) -> DataFrame:
    """About `most` events of each topic: `topic`, `publisher`, `seq`, `published_at`, `values`.

    Each publisher has its share of the topic's load, and `LEAST` at least, so there may be that many more for
    each of them. Which of its events they are is decided by a hash of their keys: the same telemetry gives
    the same sample, wherever its rows lie and however often they stand there.
    """
    whole = published.where(F.col("values").isNotNull())
    some = F.least(F.lit(1.0), (_MARGIN * F.col("quota") + _MORE) / F.col("events"))
    near = whole.join(F.broadcast(quotas(whole, most)), ["topic", "publisher"]).where(_place() < some)
    events = one_row_a_key(near.select(*COLUMNS, "quota"), PUBLISHED.key)
    rank = F.row_number().over(Window.partitionBy("topic", "publisher").orderBy(_place(), "seq"))
    return events.withColumn("rank", rank).where(F.col("rank") <= F.col("quota")).select(*COLUMNS)


def quotas(published: DataFrame, most: int) -> DataFrame:
    """Of each publisher of a topic its `events` (equal keys once), and how many of them are sampled."""
    keys = published.select(*PUBLISHED.key).distinct()
    loads = keys.groupBy("topic", "publisher").agg(F.count("*").alias("events"))
    of_topic = F.sum("events").over(Window.partitionBy("topic"))
    share = F.ceil(F.lit(most) * F.col("events") / F.greatest(of_topic, F.lit(most)))
    quota = F.least(F.col("events"), F.greatest(share, F.lit(LEAST)))
    return loads.withColumn("quota", quota)


def _place() -> Column:
    """Where an event stands among all events, from 0 to 1, by its key alone."""
    return F.xxhash64(*PUBLISHED.key) / F.lit(_HASHES) + F.lit(0.5)
