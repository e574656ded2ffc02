"""Many requests at once: filters are encoded in one call, and changes spread once for all of them.

What it comes to is what the requests come to one after the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import TYPE_CHECKING, Any

from tercast.encoding.dispatch import dz_of_texts
from tercast.errors import Refused
from tercast.eventspace.dz import DzSet
from tercast.requests.model import Advertise, Request, Subscribe, Unadvertise, Unsubscribe
from tercast.requests.outcome import Outcome
from tercast.requests.reader import read_or_refusal

if TYPE_CHECKING:
    from tercast.planner.planner import Planner

Read = Request | Refused

_ROUTINE = (Subscribe, Advertise, Unsubscribe, Unadvertise, Refused)
"""Requests that change neither the network nor topics nor budgets."""


def apply_all(planner: Planner, requests: Iterable[Mapping[str, Any] | Request]) -> list[Outcome]:
    """Carry out requests in order; an outcome for each."""
    outcomes: list[Outcome] = []
    for routine, some in groupby(map(read_or_refusal, requests), _is_routine):
        if not routine:
            outcomes += [planner.apply(request) for request in some]
            continue
        run = list(some)
        with planner.together(dict(_encoded(planner, run))):
            outcomes += [planner.apply(request) for request in run]
    return outcomes


def in_turn(planner: Planner, requests: Iterable[Mapping[str, Any] | Request]) -> Iterator[Outcome]:
    """Carry out requests in order, each as a whole before its outcome is given: its diff can be taken then.

    Filters are encoded together all the same.
    """
    for routine, some in groupby(map(read_or_refusal, requests), _is_routine):
        run = list(some)
        with planner.encoded(dict(_encoded(planner, run)) if routine else {}):
            for request in run:
                yield planner.apply(request)


def _is_routine(request: Read) -> bool:
    return isinstance(request, _ROUTINE)


def _encoded(planner: Planner, requests: Iterable[Read]) -> Iterator[tuple[tuple[str, str], DzSet]]:
    """The dz sets of filters that are quick to encode, by topic and text."""
    texts: dict[str, dict[str, None]] = {}
    for request in requests:
        if isinstance(request, Subscribe | Advertise) and request.dz is None:
            texts.setdefault(request.topic, {})[request.filter or ""] = None
    for name, some in texts.items():
        topic = planner.topics.get(name)
        if topic is not None:
            limit = planner.limits.max_dz_per_filter
            found = dz_of_texts(list(some), topic, topic.schedule(planner.depth), limit)
            yield from (((name, text), dz) for text, dz in zip(some, found, strict=True) if dz is not None)
