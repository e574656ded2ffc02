"""Requests that are applied together: routine requests share one call that encodes filters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any

from tercast.encoding.dispatch import dz_of_texts
from tercast.errors import Refused
from tercast.eventspace.dz import DzSet
from tercast.planner.state import PlannerState
from tercast.requests.model import Advertise, Request, Subscribe, Unadvertise, Unsubscribe
from tercast.requests.reader import read_or_refusal

ReadRequest = Request | Refused

_ROUTINE = (Subscribe, Advertise, Unsubscribe, Unadvertise, Refused)
"""Requests that change neither the network nor topics nor budgets, including refused ones."""


def request_runs(
    requests: Iterable[Mapping[str, Any] | Request],
) -> Iterator[tuple[bool, list[ReadRequest]]]:
    """Read requests, and yield them in runs of routine requests and of others, in order."""
    for routine, some in groupby(map(read_or_refusal, requests), lambda one: isinstance(one, _ROUTINE)):
        yield routine, list(some)


def encode_filters(planner: PlannerState, requests: Iterable[ReadRequest]) -> dict[tuple[str, str], DzSet]:
    """Return the dz sets of filters that are fast to encode, by topic and text."""
    texts: dict[str, dict[str, None]] = {}
    for request in requests:
        if isinstance(request, Subscribe | Advertise) and request.dz is None:
            texts.setdefault(request.topic, {})[request.filter or ""] = None
    encoded: dict[tuple[str, str], DzSet] = {}
    for name, some in texts.items():
        topic = planner.topics.get(name)
        if topic is not None:
            limit = planner.limits.max_dz_per_filter
            found = dz_of_texts(list(some), topic, topic.schedule(planner.depth), limit)
            encoded |= {(name, text): dz for text, dz in zip(some, found, strict=True) if dz is not None}
    return encoded
