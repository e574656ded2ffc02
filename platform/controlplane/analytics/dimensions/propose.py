"""Computation of proposals from samples and active subscriptions, with the core library."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import Any, TypeVar

from django.db.models import Max

from controlplane.analytics.dimensions.models import Proposal, ProposalTrigger
from controlplane.analytics.dimensions.spark_results import known_space, spectrum
from controlplane.common.address_plan import MAX_DZ_PER_FILTER, max_dz_length
from controlplane.common.problems import Problem, conflict
from controlplane.registry import topics
from controlplane.registry.announcements import LIVE
from controlplane.registry.encoding import core_topic
from controlplane.registry.models import Subscription, Topic
from controlplane.telemetry.models import EventSample
from tercast.dimensions.proposal import AttributeProposal, propose
from tercast.dimensions.workload import Workload
from tercast.filters.filter import Filter

MOST_SUBSCRIPTIONS, MOST_EVENTS = 1_000, 4_000
"""Inputs of a proposal, spread over all there are; this takes some seconds of one core."""
FEWEST_EVENTS = 40
MAX_CUTS = 512
"""Maximum number of learned cuts of a proposal."""
KEPT = 50
"""Number of newest unapplied proposals of a topic to keep; applied ones are kept in addition."""
PATIENCE_SECONDS = 30

Some = TypeVar("Some")
_one_at_a_time = Lock()


def compute(topic: Topic, trigger: ProposalTrigger, actor: Any) -> Proposal:
    """Compute a new proposal for a topic.

    Raises:
        Problem: There are too few data (409), or another proposal is being computed (503).
    """
    workload, newest = past(topic)
    if not workload.subscriptions:
        detail = (
            f"Topic {topic.name} has no active subscription with a filter, so no choice of attributes is "
            "better than another. Add a subscription first."
        )
        raise conflict("no_subscriptions", detail)
    if len(workload.events) < FEWEST_EVENTS:
        detail = (
            f"The platform has {len(workload.events)} event samples of topic {topic.name}, and a proposal "
            f"needs {FEWEST_EVENTS}. Report events (POST /api/v1/traffic/samples/), or run the analytics "
            "job event_samples, which takes them from telemetry."
        )
        raise conflict("too_few_samples", detail)
    found = _found(topic, workload)
    row = Proposal.objects.create(
        topic=topic,
        trigger=trigger,
        method=found.best.method,
        before=topic.indexed,
        indexed=list(found.best.cost.indexed),
        before_cuts=topic.cuts,
        cuts=found.best.space.cuts.to_json(found.best.space.attributes),
        figures={key: value for key, value in found.to_json().items() if key != "cuts"},
        newest_sample=newest,
        actor=actor,
    )
    _forget(topic)
    return row


def _found(topic: Topic, workload: Workload) -> AttributeProposal:
    """Compute the candidates, one topic at a time."""
    if not _one_at_a_time.acquire(timeout=PATIENCE_SECONDS):
        detail = "The platform is busy with another proposal. Try again in a minute."
        raise Problem(503, "busy", detail, headers={"Retry-After": "10"})
    try:
        cuts = 0 if topics.publishers_without_cuts(topic) else MAX_CUTS
        known = known_space(topic, len(workload.events)) if cuts else None
        room = (max_dz_length(), MAX_DZ_PER_FILTER)
        return propose(workload, *room, spectrum=spectrum(topic), max_cuts=cuts, known=known)
    finally:
        _one_at_a_time.release()


def past(topic: Topic) -> tuple[Workload, int]:
    """Return active subscriptions and samples of a topic, thinned, and the newest sample id."""
    core = core_topic(topic)
    subscriptions = (
        Subscription.objects.filter(LIVE, topic=topic, filter__isnull=False)
        .order_by("id")
        .values_list("subscriber__host__name", "filter")
    )
    samples = EventSample.objects.filter(topic=topic).order_by("id").values_list("values", flat=True)
    own = _spread(list(subscriptions), MOST_SUBSCRIPTIONS)
    events = _spread(list(samples), MOST_EVENTS)
    workload = Workload(
        core,
        tuple((str(host), Filter.parse(text, core)) for host, text in own),
        tuple(core.check_json(values) for values in events),
    )
    return workload, newest_sample(topic)


def newest_sample(topic: Topic) -> int:
    """Return the id of the newest sample of a topic; 0 if there is none."""
    return int(EventSample.objects.filter(topic=topic).aggregate(newest=Max("id"))["newest"] or 0)


def _spread(rows: Sequence[Some], most: int) -> Sequence[Some]:
    """Return at most `most` rows, evenly spread over all."""
    if len(rows) <= most:
        return rows
    return [rows[number * len(rows) // most] for number in range(most)]


def _forget(topic: Topic) -> None:
    unused = Proposal.objects.filter(topic=topic, request=None).order_by("-id")
    last = unused.values_list("id", flat=True)[KEPT - 1 : KEPT].first()
    if last is not None:
        unused.filter(id__lt=last).delete()
