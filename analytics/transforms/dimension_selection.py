"""Selection of the attributes to index: PLEROMA, section 5, on Spark."""

from __future__ import annotations

from pyspark.ml.feature import PCA
from pyspark.ml.functions import array_to_vector
from pyspark.ml.stat import Summarizer
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

COLUMNS = ("topic", "publisher", "seq", "published_at", "values")
EVENT = ("topic", "publisher", "seq")


def events_of_topic(counted: DataFrame, topic: str, last: int | None) -> DataFrame:
    """Return the `counts` of each event of a topic once.

    `counts` is a column of W: for each attribute, the number of subscriptions that match the event in this
    attribute.

    Args:
        last: Use only so many of the latest events; None for all.
    """
    own = counted.where((F.col("topic") == topic) & F.col("problem").isNull())
    events = own.groupBy(*EVENT).agg(F.min("at").alias("at"), F.min("counts").alias("counts"))
    if last is not None:
        events = events.orderBy(F.desc("at"), F.desc("publisher"), F.desc("seq")).limit(last)
    return events.select(array_to_vector(F.col("counts")).alias("counts"))


def spectrum(events: DataFrame, size: int) -> tuple[int, list[float], list[float]]:
    """Return the number of events, the eigenvalues of C = W̄ W̄ᵀ, and the first eigenvector.

    W̄ has a row for each of `size` attributes and a column for each event; its rows are centred. C is the
    covariance times (events - 1), and its eigenvectors are those of a principal component analysis. The
    eigenvalues are sorted, largest first. All values are zero if no attribute distinguishes events.
    """
    number = events.count()
    trace = _variance(events) if number > 1 else 0.0
    if trace <= 0:
        return number, [0.0] * size, [0.0] * size
    model = PCA(k=size, inputCol="counts", outputCol="parts").fit(events)
    total = trace * (number - 1)
    eigenvalues = [float(share) * total for share in model.explainedVariance.toArray()]
    return number, eigenvalues, [float(value) for value in model.pc.toArray()[:, 0]]


def _variance(events: DataFrame) -> float:
    """Return the sum of the sample variances of attributes; it needs at least two events."""
    summary = events.select(Summarizer.variance(events["counts"]).alias("variance")).first()
    assert summary is not None
    return float(summary["variance"].toArray().sum())
