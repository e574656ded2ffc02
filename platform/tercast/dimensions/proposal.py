"""Which attributes to index instead of those that are indexed now, and what that is expected to change."""

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
    """A choice by `current`, `all`, `spectral` or `greedy`, with its cost on events that it has not seen."""

    method: str
    cost: Cost

    def to_json(self) -> dict[str, Any]:
        """Method, attributes, and what they cost."""
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
    """All candidates, judged on the same unseen events; `best` delivers the least that is unwanted of them.

    `best` is the current choice where no other one is better. `spectrum` is what PLEROMA's ranking says.
    `saved` is how many unwanted deliveries of an event `best` spares in the mean, with its standard error.
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
        """Whether what is saved is more than two standard errors above nothing."""
        return is_beyond_chance(self.saved, self.standard_error)

    def to_json(self) -> dict[str, Any]:
        """As the command prints it and the platform keeps it; a `standard_error` of null: there is none."""
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
    """Whether what is saved is more than two standard errors above nothing; without one it is not."""
    return standard_error is not None and saved > 2 * standard_error


def propose(
    workload: Workload,
    depth: int,
    limit: int,
    threshold: float = THRESHOLD,
    spectrum: AttributeSelection | None = None,
) -> AttributeProposal:
    """Choose by every other event, judge by the others; ValueError for fewer than two events.

    `depth` is the length of a full dz in bits, `limit` the most cells of a filter. `spectrum` is PLEROMA's
    choice where it is known already, from more events than these.
    """
    if len(workload.events) < 2 or not workload.subscriptions:
        raise ValueError("a choice of attributes takes a subscription and two events: one to judge by")
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
