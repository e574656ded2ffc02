"""Application and reversal of proposals, which change the event space of a topic."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from controlplane.analytics.dimensions import propose
from controlplane.analytics.dimensions.models import Proposal, ProposalTrigger
from controlplane.common.problems import Problem, conflict, no_such
from controlplane.periodic import task_failures
from controlplane.registry import topics
from controlplane.registry.models import Topic
from controlplane.requestlog.models import FINAL_STATES, Request, State
from tercast.dimensions.proposal import is_beyond_chance

logger = logging.getLogger(__name__)

GAIN = 0.1
"""Smallest fraction of false positives that an automatic change must save."""
IndexedAndCuts = tuple[list[str], list[Any]]
"""The indexed attributes and the cuts of a topic."""
PAUSE = timedelta(minutes=30)
"""Pause between two automatic changes of a topic."""


def apply(pk: int, actor: Any) -> Request:
    """Log the change of the proposal.

    Raises:
        Problem: The topic has changed since, or the proposal is already applied (409).
    """
    with transaction.atomic():
        row = _locked(pk)
        if row.request is not None and row.request.state != State.FAILED:
            raise conflict("applied", f"Proposal {pk} is already applied by request {row.request_id}.")
        before, after = (row.before, row.before_cuts), (row.indexed, row.cuts)
        row.request = _change(row, before, after, actor)
        row.undoing = None
        row.save(update_fields=("request", "undoing"))
        return row.request


def revert(pk: int, actor: Any) -> Request:
    """Log the change back to the former event space.

    This disables the automatic choice of the topic, which would only choose the same again.

    Raises:
        Problem: The proposal is not applied, or the topic has changed since (409).
    """
    with transaction.atomic():
        row = _locked(pk)
        if row.request is None or row.request.state != State.ACTIVE:
            raise conflict("not_applied", f"Proposal {pk} is not applied; there is nothing to revert.")
        if row.undoing is not None and row.undoing.state != State.FAILED:
            raise conflict("reverted", f"Proposal {pk} is already reverted by request {row.undoing_id}.")
        row.undoing = _change(row, (row.indexed, row.cuts), (row.before, row.before_cuts), actor)
        row.save(update_fields=("undoing",))
        Topic.objects.filter(pk=row.topic_id).update(automatic_indexing=False)
        return row.undoing


def _locked(pk: int) -> Proposal:
    rows = Proposal.objects.select_related("topic", "request", "undoing").select_for_update(of=("self",))
    row: Proposal | None = rows.filter(pk=pk).first()
    if row is None:
        raise no_such("proposal", pk, "analytics/proposals")
    return row


def _change(row: Proposal, expected: IndexedAndCuts, wanted: IndexedAndCuts, actor: Any) -> Request:
    topic = row.topic
    now = (list(topic.indexed), topic.cuts)
    if now[0] != list(expected[0]):
        detail = (
            f"The proposal was calculated when topic {topic.name} indexed: {', '.join(expected[0])}. "
            f"It now indexes: {', '.join(topic.indexed)}. Request a new proposal."
        )
        raise conflict("moved_on", detail)
    if now[1] != expected[1]:
        detail = f"The cuts of topic {topic.name} have changed since the proposal. Request a new proposal."
        raise conflict("moved_on", detail)
    if now == (list(wanted[0]), wanted[1]):
        raise conflict("nothing_to_change", f"Topic {topic.name} already has this event space.")
    cuts = {"cuts": wanted[1]} if now[1] or wanted[1] else {}
    logged = topics.change(topic.pk, {"indexed": wanted[0], **cuts}, actor)[1]
    assert logged is not None
    return logged


def apply_proposals() -> None:
    """Change automatic topics where that saves enough, beyond chance; log refused changes."""
    for_each("indexed attributes", Topic.objects.filter(automatic_indexing=True), _apply_if_worthwhile)


def for_each(step: str, rows: QuerySet[Topic], look: Callable[[Topic], None]) -> None:
    """Call `look` with each topic that is not being removed; log refusals, report failures."""
    with task_failures.skipping(step) as skips:
        for topic in rows.filter(removal=None).select_related("reindexing"):
            with skips.attempt(f"topic {topic.name}"):
                try:
                    look(topic)
                except Problem as problem:
                    logger.info("topic %s does not change: %s", topic.name, problem.detail)


def _apply_if_worthwhile(topic: Topic) -> None:
    last = Proposal.objects.filter(topic=topic).order_by("-id").first()
    if has_just_changed(topic) or (last is not None and last.newest_sample == propose.newest_sample(topic)):
        return
    row = propose.compute(topic, ProposalTrigger.PERIOD, None)
    if is_worth_it(row):
        apply(row.pk, None)


def has_just_changed(topic: Topic) -> bool:
    """Whether any change of `indexed` is in progress, or less than `PAUSE` old."""
    change = topic.reindexing
    if change is None or change.state == State.FAILED:
        return False
    ended = change.confirmed_at or change.received_at
    return change.state not in FINAL_STATES or ended > timezone.now() - PAUSE


def is_worth_it(row: Proposal) -> bool:
    """Whether it saves `GAIN` of the false positives, and more than two standard errors."""
    saved, now = savings(row)
    beyond_chance = is_beyond_chance(row.figures["saved"], row.figures["standard_error"])
    return bool(now and saved >= GAIN * now and beyond_chance)


def savings(row: Proposal) -> tuple[int, int]:
    """Return the false positives that a proposal avoids, and those of the current space."""
    costs = {candidate["method"]: candidate["unwanted"] for candidate in row.figures["candidates"]}
    return costs["current"] - costs[row.method], costs["current"]
