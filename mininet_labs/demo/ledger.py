"""Expected and received events: lost events, duplicates, false positives and delays."""

import math
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

_STEPS_PER_DOUBLING = 64
_SMALLEST = 1e-3

EventKey = tuple[str, int]
"""Publisher and sequence number of an event; together they are unique in the topic."""

EventValues = Mapping[str, object]


@dataclass(slots=True)
class Percentiles:
    """Counts values in classes with a width of 1.1 %; values below 0.001 count as 0.001."""

    count: int = 0
    _classes: Counter[int] = field(default_factory=Counter)

    def add(self, value: float) -> None:
        """Count a value."""
        self.count += 1
        self._classes[math.floor(math.log2(max(value, _SMALLEST)) * _STEPS_PER_DOUBLING)] += 1

    def at(self, share: float) -> float | None:
        """Return the quantile for `share` (0 to 1), accurate to 1.1 %; None without values."""
        rank = math.ceil(share * self.count)
        for number in sorted(self._classes):
            rank -= self._classes[number]
            if rank <= 0:
                return round(float(2 ** ((number + 0.5) / _STEPS_PER_DOUBLING)), 3)
        return None


@dataclass(slots=True)
class PublishedEvent:
    """A published event: its time, its values, and the hosts that it has not reached yet."""

    at: float
    values: EventValues
    hosts: set[str]


@dataclass(slots=True)
class EventLedger:
    """Compares deliveries with the expectation of the exact matcher. Times are in seconds.

    An event that a host expects is outstanding until it arrives. It is lost when `patience` seconds have
    passed, or the run has ended. Memory is limited to the events of the last `patience` seconds.
    """

    patience: float = 30.0
    published: int = 0
    wanted: int = 0
    delivered: int = 0
    doubled: int = 0
    unwanted: int = 0
    given_up: int = 0
    delays_ms: Percentiles = field(default_factory=Percentiles)
    _outstanding: dict[EventKey, PublishedEvent] = field(default_factory=dict)

    def sent(self, event: EventKey, at: float, values: EventValues, hosts: set[str]) -> None:
        """Record a published event, and the `hosts` with a subscription that matches it exactly."""
        self.published += 1
        self.wanted += len(hosts)
        if hosts:
            self._outstanding[event] = PublishedEvent(at, values, hosts)
        self._give_up(at - self.patience)

    def revise(self, wanting: Callable[[str, EventValues, float], set[str]]) -> None:
        """Update the outstanding events; `wanting` returns the hosts that expect an event."""
        for event, sent in list(self._outstanding.items()):
            dropped = sent.hosts - wanting(event[0], sent.values, sent.at)
            self.wanted -= len(dropped)
            sent.hosts -= dropped
            if not sent.hosts:
                del self._outstanding[event]

    def arrived(self, event: EventKey, host: str, delay_ms: float, *, wanted: bool, doubled: bool) -> None:
        """Record the arrival of an event at a host."""
        if doubled:
            self.doubled += 1
            return
        self.delivered += 1
        self.unwanted += not wanted
        self.delays_ms.add(delay_ms)
        if event in self._outstanding:
            hosts = self._outstanding[event].hosts
            hosts.discard(host)
            if not hosts:
                del self._outstanding[event]

    @property
    def outstanding(self) -> int:
        """The number of deliveries that are outstanding or lost."""
        return sum(len(sent.hosts) for sent in self._outstanding.values())

    def lost(self, before: float | None = None) -> int:
        """Count the missing deliveries: of all events, or of those sent before a time."""
        return self.given_up + sum(
            len(sent.hosts) for sent in self._outstanding.values() if before is None or sent.at < before
        )

    def _give_up(self, before: float) -> None:
        while self._outstanding:
            event, sent = next(iter(self._outstanding.items()))
            if sent.at >= before:
                return
            self.given_up += len(sent.hosts)
            del self._outstanding[event]
