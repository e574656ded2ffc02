"""Results of Spark jobs that proposals use: ranked attributes, and learned event spaces."""

from __future__ import annotations

import json
from datetime import timedelta

from controlplane.analytics.models import Result
from controlplane.registry.encoding import core_topic
from controlplane.registry.models import Topic
from controlplane.telemetry.models import EventSample
from tercast.dimensions.proposal import KnownSpace
from tercast.dimensions.spectral import AttributeSelection
from tercast.errors import Refused

MARGIN = timedelta(minutes=15)
"""Samples this much later than a result are not among the events that it was learned from."""

FEWEST_LATER = 40
"""Fewest later samples with which a learned space is compared."""

_NEWEST = 5


def spectrum(topic: Topic) -> AttributeSelection | None:
    """Return the latest daily result of `dimension_selection` for a topic, or None."""
    rows = Result.objects.filter(series__job="dimension_selection", topic=topic.name)
    row = rows.order_by("-window_start", "-id").first()
    names = {attribute["name"] for attribute in topic.attributes}
    if row is None or not row.values["selected"] or set(row.values["ranking"]) != names:
        return None
    found = row.values
    return AttributeSelection(
        *(tuple(found[name]) for name in ("ranking", "weights", "eigenvalues", "selected"))
    )


def known_space(topic: Topic, events: int) -> KnownSpace | None:
    """Return the latest `learned_space` of a topic with enough later samples, or None.

    Args:
        topic: The topic.
        events: The number of samples that a proposal uses, spread over all.
    """
    samples = EventSample.objects.filter(topic=topic)
    rows = Result.objects.filter(series__job="learned_space", topic=topic.name)
    for row in rows.order_by("-window_start", "-id")[:_NEWEST]:
        later = samples.filter(reported_at__gt=row.window_start + MARGIN).count()
        used = later * events // max(samples.count(), 1)
        if used < FEWEST_LATER:
            continue
        try:
            space = core_topic(topic).with_indexed(row.values["indexed"])
            return KnownSpace(space.with_cuts(json.loads(row.values["cuts"])), used)
        except Refused:  # the topic was created again, with other attributes
            continue
    return None
