"""Times that requests wait, are planned and are deployed."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812

from analytics.transforms.common import between_ms, percentiles, window_start

COLUMNS = ("request", "kind", "received_at", "started_at", "computed_at", "confirmed_at", "status")
STAGES = {
    "waiting_ms": ("received_at", "started_at"),
    "computing_ms": ("started_at", "computed_at"),
    "deploying_ms": ("computed_at", "confirmed_at"),
    "processing_ms": ("received_at", "confirmed_at"),
}
FINAL = ("active", "failed", "withdrawn")
FAILED = "failed"


def latest_stage(requests: DataFrame) -> DataFrame:
    """Return one row per request: the row with the latest stage.

    Among rows with the same stage, a final status decides, then the later times, then the greater texts.
    """
    reached = F.greatest(
        F.lit(0),
        *[
            F.when(F.col(name).isNotNull(), number)
            for number, name in enumerate(("started_at", "computed_at", "confirmed_at"), 1)
        ],
    )
    final = F.coalesce(F.col("status").isin(*FINAL), F.lit(False))
    times = [F.col(name) for name in ("confirmed_at", "computed_at", "started_at", "received_at")]
    rank = F.struct(reached.alias("reached"), final.alias("final"), *times, F.col("status"), F.col("kind"))
    best = requests.groupBy("request").agg(F.max(rank).alias("best"))
    return best.select("request", *[F.col(f"best.{name}").alias(name) for name in COLUMNS[1:]])


def request_latency(requests: DataFrame, window: int | None = None) -> DataFrame:
    """Return a row per kind (and window of `received_at`) with the durations of the stages.

    It has the number of requests and of failed ones, and for each stage p50, p95 and mean in milliseconds
    over the requests that went through it; null if none did. `processing_ms` is from received to confirmed.
    `backwards` counts negative durations, which are not changed.
    """
    timed = latest_stage(requests).withColumns(
        {stage: between_ms(start, end) for stage, (start, end) in STAGES.items()}
    )
    negative = [F.coalesce((F.col(stage) < 0).cast("int"), F.lit(0)) for stage in STAGES]
    group = [F.col("kind")]
    if window is not None:
        group.append(window_start(F.col("received_at"), window).alias("window_start"))
    return (
        timed.groupBy(*group)
        .agg(
            F.count("*").alias("requests"),
            *[_stage(stage) for stage in STAGES],
            F.count_if(F.col("status") == FAILED).alias("failed"),
            F.sum(sum(negative[1:], negative[0])).alias("backwards"),
        )
        .select(*["kind", "window_start"][: len(group)], "requests", *STAGES, "failed", "backwards")
    )


def _stage(name: str) -> Column:
    shares = percentiles(name, 0.5, 0.95)
    parts = F.struct(shares[0].alias("p50"), shares[1].alias("p95"), F.avg(name).alias("mean"))
    return F.when(F.count(name) > 0, parts).alias(name)
