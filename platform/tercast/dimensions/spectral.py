"""PLEROMA's choice of attributes (Middleware 2014, section 5), by the leading eigenvector."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tercast.dimensions.attribute_matches import AttributeMatches
from tercast.dimensions.workload import Workload

THRESHOLD = 0.9
"""Minimum share of the leading eigenvector for the chosen attributes."""
_DIGITS = 12  # further digits of a weight are noise and must not decide the order


@dataclass(frozen=True, slots=True)
class AttributeSelection:
    """Attributes by weight, their weights, all eigenvalues in descending order, and the choice."""

    ranking: tuple[str, ...]
    weights: tuple[float, ...]
    eigenvalues: tuple[float, ...]
    selected: tuple[str, ...]


def spectral(workload: Workload, threshold: float = THRESHOLD) -> AttributeSelection:
    """Choose for a workload in memory; W has one row per attribute and one column per event."""
    names = [attribute.name for attribute in workload.topic.attributes]
    filters = [filter_ for _, filter_ in workload.subscriptions]
    counts = AttributeMatches(workload.topic, filters).counts(workload.events).T
    return select(names, *_spectrum(counts), threshold)


def select(
    attributes: Sequence[str], eigenvalues: Sequence[float], first: Sequence[float], threshold: float
) -> AttributeSelection:
    """Rank attributes by absolute coefficient in the first eigenvector; choose the first k.

    k is the smallest number whose coefficients sum to at least `threshold` of the total. Equal coefficients
    keep the topic's order. If all are zero, no attribute is worse than another, and all are chosen.
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
    return AttributeSelection(
        tuple(ranking),
        tuple(weights[name] for name in ranking),
        tuple(max(0.0, value) for value in eigenvalues),
        tuple(ranking[:kept]),
    )


def _spectrum(counts: npt.NDArray[np.float64]) -> tuple[list[float], list[float]]:
    """Eigenvalues of C = W̄ W̄ᵀ, descending, and leading eigenvector; zeros without variance."""
    if counts.shape[1] < 2:
        return [0.0] * len(counts), [0.0] * len(counts)
    centred = counts - counts.mean(axis=1, keepdims=True)
    values, vectors = np.linalg.eigh(centred @ centred.T)
    if values[-1] <= 0:
        return [0.0] * len(counts), [0.0] * len(counts)
    return [float(value) for value in values[::-1]], [float(value) for value in vectors[:, -1]]
