"""Proposal of an event space, and its predicted effect compared with the current one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf, isinf, sqrt
from typing import Any

from tercast.dimensions.greedy import greedy
from tercast.dimensions.learned_space import learned_space
from tercast.dimensions.measured_cost import Cost, Measure
from tercast.dimensions.spectral import THRESHOLD, AttributeSelection, spectral
from tercast.dimensions.workload import Workload
from tercast.eventspace.topic import Topic
from tercast.runtime.growable_array import Ints

METHODS = ("current", "all", "spectral", "greedy", "learned")
"""Choices that are compared; `all` indexes all attributes and has no cuts."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A choice by one of `METHODS`: the topic in that space, and its cost on unseen events."""

    method: str
    cost: Cost
    space: Topic

    def to_json(self) -> dict[str, Any]:
        """Write method, attributes and cost."""
        return {
            "method": self.method,
            "indexed": list(self.cost.indexed),
            "delivered": self.cost.delivered,
            "unwanted": self.cost.unwanted,
            "fpr": round(self.cost.fpr, 4),
            "cells": self.cost.cells,
            "cuts": self.cost.cuts,
        }


@dataclass(frozen=True, slots=True)
class AttributeProposal:
    """All candidates, compared on the same unseen events.

    `best` has the fewest false positives; it is the current choice if no other one is better. `spectrum`
    is PLEROMA's ranking. `saved` is the mean number of false positives per event that `best` avoids, with
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

    def space(self, method: str) -> Topic:
        """The topic in the space of a method, or of `best`; the current space if there is none."""
        by_method = {candidate.method: candidate for candidate in (*self.candidates, self.current)}
        return self.best.space if method == "best" else by_method.get(method, self.current).space

    def to_json(self) -> dict[str, Any]:
        """Write the proposal; a `standard_error` of null means that it could not be estimated."""
        return {
            "best": self.best.method,
            "indexed": list(self.best.cost.indexed),
            "cuts": self.best.space.cuts.to_json(self.best.space.attributes),
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


@dataclass(frozen=True, slots=True)
class KnownSpace:
    """A space learned from events before the last `later` events of a workload."""

    space: Topic
    later: int


def propose(
    workload: Workload,
    depth: int,
    limit: int,
    threshold: float = THRESHOLD,
    *,
    spectrum: AttributeSelection | None = None,
    max_cuts: int = 0,
    known: KnownSpace | None = None,
) -> AttributeProposal:
    """Choose on every other event, and evaluate on the remaining ones.

    With a known space, evaluate only on every other event that is later than those it was learned from.

    Args:
        workload: The topic, its subscriptions and events.
        depth: The length of a full-depth dz in bits.
        limit: The maximum number of cells of a filter.
        threshold: The share of the leading eigenvector that PLEROMA's choice must cover.
        spectrum: PLEROMA's choice, if it is already known from more events than these.
        max_cuts: The maximum number of learned cuts; 0: no candidate `learned`.
        known: A learned space; the candidate `learned` is this one if it has fewer false positives.

    Raises:
        ValueError: There are fewer than two events, or no subscription.
    """
    if len(workload.events) < 2 or not workload.subscriptions:
        raise ValueError("a choice of attributes needs a subscription and at least two events")
    seen, unseen = workload.halves() if known is None else workload.late_halves(known.later)
    spectrum = spectrum or spectral(seen, threshold)
    spaces = spaces_of(seen, spectrum, depth, limit, max_cuts)
    judge = Measure(unseen, depth, limit)
    if known is not None and "learned" in spaces:
        spaces["learned"] = _better(judge, spaces["learned"], known.space)
    return _compare(spaces, spectrum, judge, len(unseen.events), len(workload.subscriptions))


def _compare(
    spaces: Mapping[str, Topic], spectrum: AttributeSelection, judge: Measure, events: int, subscriptions: int
) -> AttributeProposal:
    """Propose the space with the fewest false positives; `spaces` starts with the current one."""
    costs = {method: judge.of_topic(space) for method, space in spaces.items()}
    candidates = tuple(Candidate(method, costs[method][0], space) for method, space in spaces.items())
    best = min(candidates, key=lambda candidate: candidate.cost.unwanted)
    return AttributeProposal(
        current=candidates[0],
        best=best,
        candidates=candidates,
        spectrum=spectrum,
        events=events,
        subscriptions=subscriptions,
        **_saved(costs["current"][1] - costs[best.method][1]),
    )


def _better(judge: Measure, *spaces: Topic) -> Topic:
    """The space with the fewest false positives; the first of equal ones."""
    return min(spaces, key=lambda space: judge.of_topic(space)[0].unwanted)


def _saved(by_event: Ints) -> dict[str, float]:
    """The mean number of saved deliveries, and its standard error."""
    error = float(by_event.std(ddof=1) / sqrt(len(by_event))) if len(by_event) > 1 else inf
    return {"saved": float(by_event.mean()), "standard_error": error}


def spaces_of(
    seen: Workload, spectrum: AttributeSelection, depth: int, limit: int, max_cuts: int
) -> dict[str, Topic]:
    """The topic in the space of each method."""
    halved = seen.topic.with_cuts([])
    spaces = {
        "current": seen.topic,
        "all": halved.with_indexed([attribute.name for attribute in halved.attributes]),
        "spectral": halved.with_indexed(spectrum.selected),
        "greedy": halved.with_indexed(greedy(Measure(seen, depth, limit)).selected),
    }
    if max_cuts and len(seen.events) > 1:
        spaces["learned"] = learned_space(seen, depth, limit, max_cuts)
    return spaces
