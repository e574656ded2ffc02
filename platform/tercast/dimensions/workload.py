"""Workload for the choice of attributes: subscriptions of a topic and published events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from tercast.eventspace.topic import Topic
from tercast.filters.batch_matcher import Audience
from tercast.filters.filter import Filter

Events = Sequence[Mapping[str, Any]]
"""Values of events, as `Topic.check` returns them."""


@dataclass(frozen=True, slots=True)
class Workload:
    """Subscriptions as (host, filter), and events, of one topic.

    Filters are grouped by host: an event is a false positive at a host if no filter of the host matches it
    exactly.
    """

    topic: Topic
    subscriptions: tuple[tuple[str, Filter], ...]
    events: tuple[Mapping[str, Any], ...]

    @property
    def hosts(self) -> tuple[str, ...]:
        """The hosts that have subscribed, sorted."""
        return tuple(sorted({host for host, _ in self.subscriptions}))

    def wanted(self) -> npt.NDArray[np.bool_]:
        """Whether each host (columns, as in `hosts`) expects each event (rows)."""
        numbers = {host: number for number, host in enumerate(self.hosts)}
        filters = ((numbers[host], filter_) for host, filter_ in self.subscriptions)
        return Audience(self.topic, filters, len(numbers)).wanting(self.events)

    def late_halves(self, later: int) -> tuple[Workload, Workload]:
        """Split the last `later` events alternately; all earlier ones are for the choice."""
        late = self.events[len(self.events) - later :]
        seen = (*self.events[: len(self.events) - later], *late[::2])
        return replace(self, events=seen), replace(self, events=late[1::2])

    def halves(self) -> tuple[Workload, Workload]:
        """Split the events alternately: one half for the choice, the other for the evaluation."""
        return replace(self, events=self.events[::2]), replace(self, events=self.events[1::2])
