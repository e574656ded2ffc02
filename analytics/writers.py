"""What those who write telemetry say of themselves: rows that are lost, and who stopped without an end.

Jobs know only the rows that are there. An event whose `delivered` row was lost looks like a lost event; so
each job tells beside its result what the telemetry itself lacks, as far as anybody knows.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812

from analytics.files import exists, root_uri
from tercast.telemetry.sinks import WRITERS

OVERDUE = timedelta(minutes=1)
"""A writer that has not reported for this time and three of its periods has stopped."""

_SCHEMA = "taken bigint, lost bigint, closed boolean, told_at timestamp, period_s double"


def told(spark: SparkSession, root: str, now: datetime) -> dict[str, int]:
    """Over all reports below the root: `writers`, their `lost` rows, and how many stopped `without_end`."""
    folder = f"{root_uri(root).rstrip('/')}/{WRITERS}"
    if not exists(spark, folder):
        return {"writers": 0, "lost": 0, "without_end": 0}
    reports = spark.read.schema(_SCHEMA).json(folder).where(F.col("taken").isNotNull())
    due = (
        F.unix_micros("told_at") / F.lit(1e6)
        + F.lit(3.0) * F.col("period_s")
        + F.lit(OVERDUE.total_seconds())
    )
    stopped = ~F.coalesce(F.col("closed"), F.lit(False)) & (due < F.lit(now.timestamp()))
    row: Any = reports.agg(
        F.count("*").alias("writers"),
        F.coalesce(F.sum("lost"), F.lit(0)).alias("lost"),
        F.count_if(stopped).alias("without_end"),
    ).first()
    return {name: int(value) for name, value in row.asDict().items()}
