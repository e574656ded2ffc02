"""Proposal of indexed attributes, and its expected effect compared with the current ones."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isinf, sqrt
from typing import Any

from tercast.dimensions.greedy import greedy
from tercast.dimensions.measured_cost import Cost, Measure
from tercast.dimensions.spectral import THRESHOLD, AttributeSelection, spectral
from tercast.dimensions.workload import Workload


@dataclass(frozen=True, slots=True)
class Candidate:
    """A choice by `current`, `all`, `spectral` or `greedy`, with its cost on unseen events."""

    method: str
    cost: Cost

    def to_json(self) -> dict[str, Any]:
        """Write method, attributes and cost."""
        return {
            "method": self.method,
            "indexed": list(self.cost.indexed),
            "delivered": self.cost.delivered,
            "unwanted": self.cost.unwanted,
            "fpr": round(self.cost.fpr, 4),
            "cells": self.cost.cells,
        }


@dataclass(frozen=True, slots=True)
class AttributeProposal:
    """All candidates, compared on the same unseen events.

    `best` has the fewest unwanted deliveries; it is the current choice if no other one is better. `spectrum`
    is PLEROMA's ranking. `saved` is the mean number of unwanted deliveries per event that `best` avoids, with
    its standard error.
    """

    current: Candidate
    best: Candidate
    candidates: tuple[Candidate, ...]
    spectrum: AttributeSelection
    events: int
    subscriptions: int
    saved: float
    standard_error: float

    @property
    def is_beyond_chance(self) -> bool:
        """Whether `saved` is more than two standard errors above 0."""
        return is_beyond_chance(self.saved, self.standard_error)

    def to_json(self) -> dict[str, Any]:
        """Write the proposal; a `standard_error` of null means that it could not be estimated."""
        return {
            "best": self.best.method,
            "indexed": list(self.best.cost.indexed),
            "candidates": [candidate.to_json() for candidate in self.candidates],
            "ranking": list(self.spectrum.ranking),
            "weights": list(self.spectrum.weights),
            "judged_by": self.events,
            "saved": self.saved,
            "standard_error": None if isinf(self.standard_error) else self.standard_error,
            "subscriptions": self.subscriptions,
        }


def is_beyond_chance(saved: float, standard_error: float | None) -> bool:
    """Whether `saved` is more than two standard errors above 0; False without a standard error."""
    return standard_error is not None and saved > 2 * standard_error


def propose(
    workload: Workload,
    depth: int,
    limit: int,
    threshold: float = THRESHOLD,
    spectrum: AttributeSelection | None = None,
) -> AttributeProposal:
    """Choose on every other event, and evaluate on the remaining ones.

    `depth` is the length of a full-depth dz in bits, `limit` the maximum number of cells of a filter.
    `spectrum` is PLEROMA's choice, if it is already known from more events than these. ValueError for fewer
    than two events, or without a subscription.
    """
    if len(workload.events) < 2 or not workload.subscriptions:
        raise ValueError("a choice of attributes needs a subscription and at least two events")
    seen, unseen = workload.halves()
    spectrum = spectrum or spectral(seen, threshold)
    choices = {
        "current": workload.topic.indexed,
        "all": tuple(attribute.name for attribute in workload.topic.attributes),
        "spectral": spectrum.selected,
        "greedy": greedy(Measure(seen, depth, limit)).selected,
    }
    judge = Measure(unseen, depth, limit)
    candidates = tuple(Candidate(method, judge.of(names)) for method, names in choices.items())
    best = min(candidates, key=lambda candidate: candidate.cost.unwanted)
    saved = judge.unwanted_by_event(workload.topic.indexed) - judge.unwanted_by_event(best.cost.indexed)
    number = len(unseen.events)
    return AttributeProposal(
        current=candidates[0],
        best=best,
        candidates=candidates,
        spectrum=spectrum,
        events=number,
        subscriptions=len(workload.subscriptions),
        saved=float(saved.mean()),
        standard_error=float(saved.std(ddof=1) / sqrt(number)) if number > 1 else inf,
    )
