"""Which attributes to index: PLEROMA, section 5, on Spark's linear algebra."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.ml.feature import PCA
from pyspark.ml.functions import array_to_vector
from pyspark.ml.stat import Summarizer
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

COLUMNS = ("topic", "publisher", "seq", "published_at", "values")
EVENT = ("topic", "publisher", "seq")

_DIGITS = 12  # more of a weight is noise, and must not decide the order


@dataclass(frozen=True, slots=True)
class Selection:
    """Attributes by weight, their weights in the same order, eigenvalues from the largest, and the chosen."""

    ranking: tuple[str, ...]
    weights: tuple[float, ...]
    eigenvalues: tuple[float, ...]
    selected: tuple[str, ...]


def events_of_topic(counted: DataFrame, topic: str, last: int | None) -> DataFrame:
    """The `counts` of each event of a topic once; of the last `last` events by time alone where it is given.

    `counts` are a column of W: for each attribute how many subscriptions match the event in it alone.
    """
    own = counted.where((F.col("topic") == topic) & F.col("problem").isNull())
    events = own.groupBy(*EVENT).agg(F.min("at").alias("at"), F.min("counts").alias("counts"))
    if last is not None:
        events = events.orderBy(F.desc("at"), F.desc("publisher"), F.desc("seq")).limit(last)
    return events.select(array_to_vector(F.col("counts")).alias("counts"))


def spectrum(events: DataFrame, size: int) -> tuple[int, list[float], list[float]]:
    """The number of events, the eigenvalues of C = W̄ W̄ᵀ from the largest, and the first eigenvector.

    W̄ has a row for each of `size` attributes and a column for each event, its rows centred. C is (events - 1)
    times the covariance, whose eigenvectors are what a principal component analysis gives. All zero when no
    attribute tells events apart.
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
    """The sum of the attributes' sample variances; Spark has none of fewer than two events."""
    summary = events.select(Summarizer.variance(events["counts"]).alias("variance")).first()
    assert summary is not None
    return float(summary["variance"].toArray().sum())


def select(
    attributes: Sequence[str], eigenvalues: Sequence[float], first: Sequence[float], threshold: float
) -> Selection:
    """Rank attributes by the size of their coefficient in the first eigenvector, and keep the first k.

    k is the least for which the k largest sizes are at least `threshold` of their sum. Equal sizes keep the
    topic's order; where all are zero nothing speaks against any attribute, and all are kept.
    """
    weights = {name: round(abs(value), _DIGITS) for name, value in zip(attributes, first, strict=True)}
    ranking = sorted(attributes, key=lambda name: -weights[name])
    total = sum(weights.values())
    kept = len(ranking)
    reached = 0.0
    for number, name in enumerate(ranking, 1):
        reached += weights[name]
        if total > 0 and reached >= threshold * total - 1e-12:
            kept = number
            break
    return Selection(
        tuple(ranking),
        tuple(weights[name] for name in ranking),
        tuple(max(0.0, value) for value in eigenvalues),
        tuple(ranking[:kept]),
    )
