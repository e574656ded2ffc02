"""Outdated event spaces: a new space would be much better than the present one."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from controlplane.analytics.dimensions import apply, propose
from controlplane.analytics.dimensions.models import Proposal, ProposalTrigger
from controlplane.registry.models import Subscription, Topic
from controlplane.requestlog import outbox

PAUSE = timedelta(hours=1)
"""Smallest time between two proposals for a topic."""


def report_outdated() -> None:
    """Compute new proposals for topics with cuts that do not choose automatically.

    An alarm reports those that are worth it.
    """
    topics = Topic.objects.filter(automatic_indexing=False).exclude(cuts=[])
    apply.for_each("drift of event spaces", topics, _check_topic)


def _check_topic(topic: Topic) -> None:
    last = Proposal.objects.filter(topic=topic).order_by("-id").first()
    if apply.has_just_changed(topic) or (last is not None and not _is_outdated(topic, last)):
        return
    row = propose.compute(topic, ProposalTrigger.PERIOD, None)
    if not apply.is_worth_it(row) or (last is not None and _reports_outdated(last)):
        return
    saved, now = apply.savings(row)
    outbox.alarm(
        f"the event space of topic {topic.name} no longer fits its filters and events: proposal {row.pk} "
        f"avoids {100 * saved / now:.0f} % of the false positives. Apply it (page Analytics, Proposals)"
    )


def _is_outdated(topic: Topic, last: Proposal) -> bool:
    """Whether the last proposal is old enough, and samples or subscriptions are newer."""
    if last.created_at > timezone.now() - PAUSE:
        return False
    newer = Subscription.objects.filter(topic=topic, created_at__gt=last.created_at)
    return last.newest_sample != propose.newest_sample(topic) or newer.exists()


def _reports_outdated(last: Proposal) -> bool:
    """Whether an open proposal has already reported that the space is outdated."""
    return last.request is None and last.trigger == ProposalTrigger.PERIOD and apply.is_worth_it(last)
