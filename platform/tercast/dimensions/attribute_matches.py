"""Number of filters that match events in a single attribute: W of PLEROMA's section 5."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tercast.eventspace.attribute import Attribute
from tercast.eventspace.intervals import IntervalEnd, joined
from tercast.eventspace.topic import Topic
from tercast.filters.filter import Filter


class AttributeMatches:
    """Filters projected to single attributes.

    A filter matches a value if a term of its normal form contains the value.
    """

    def __init__(self, topic: Topic, filters: Sequence[Filter]) -> None:
        attributes = enumerate(topic.attributes)
        self._sides = [_AttributeEnds(attribute, position, filters) for position, attribute in attributes]

    def counts(self, events: Sequence[Mapping[str, Any]]) -> npt.NDArray[np.float64]:
        """The number of matching filters by event (rows) and attribute (columns)."""
        return np.stack([side.counts(events) for side in self._sides], axis=1)


class _AttributeEnds:
    """One attribute, as the sorted starts and ends of the filters' intervals."""

    def __init__(self, attribute: Attribute, position: int, filters: Iterable[Filter]) -> None:
        held = [
            joined(
                interval
                for term in filter_.terms
                for interval in dict(term).get(position, (attribute.domain,))
            )
            for filter_ in filters
        ]
        self._attribute = attribute
        self._starts: list[IntervalEnd] = sorted(start for one in held for start, _ in one)
        self._ends: list[IntervalEnd] = sorted(end for one in held for _, end in one)

    def counts(self, events: Sequence[Mapping[str, Any]]) -> npt.NDArray[np.float64]:
        name = self._attribute.name
        known: dict[Any, int] = {}
        for value in {event[name] for event in events}:
            cut = self._attribute.before(value)
            known[value] = bisect_right(self._starts, cut) - bisect_right(self._ends, cut)
        return np.array([known[event[name]] for event in events], dtype=np.float64)
