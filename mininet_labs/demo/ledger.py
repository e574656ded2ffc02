"""Who should get which event, and who got it: lost, doubled and unwanted deliveries, and the delay."""

import math
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

_STEPS_PER_DOUBLING = 64
_SMALLEST = 1e-3

EventKey = tuple[str, int]
"""Publisher and sequence number: together they name an event of the topic."""

Values = Mapping[str, object]


@dataclass(slots=True)
class Percentiles:
    """Counts values in classes that are 1.1 % wide; values below 0.001 count as 0.001."""

    count: int = 0
    _classes: Counter[int] = field(default_factory=Counter)

    def add(self, value: float) -> None:
        """Count `value`."""
        self.count += 1
        self._classes[math.floor(math.log2(max(value, _SMALLEST)) * _STEPS_PER_DOUBLING)] += 1

    def at(self, share: float) -> float | None:
        """The value below which `share` (0 to 1) of all lie, to 1.1 %; None without values."""
        rank = math.ceil(share * self.count)
        for number in sorted(self._classes):
            rank -= self._classes[number]
            if rank <= 0:
                return round(float(2 ** ((number + 0.5) / _STEPS_PER_DOUBLING)), 3)
        return None


@dataclass(slots=True)
class PublishedEvent:
    """An event that is under way: when it was sent, with what, and which hosts still wait for it."""

    at: float
    values: Values
    hosts: set[str]


@dataclass(slots=True)
class EventLedger:
    """Counts deliveries against what the exact matcher wanted. Times are seconds of one clock.

    An event that a host wanted is outstanding until it arrives; it is lost once `patience` seconds have
    passed, or the run has ended. Memory is bounded by the events of the last `patience` seconds.
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

    def sent(self, event: EventKey, at: float, values: Values, hosts: set[str]) -> None:
        """`event` left its publisher; `hosts` have a subscription that matches it exactly."""
        self.published += 1
        self.wanted += len(hosts)
        if hosts:
            self._outstanding[event] = PublishedEvent(at, values, hosts)
        self._give_up(at - self.patience)

    def revise(self, wanting: Callable[[str, Values, float], set[str]]) -> None:
        """Judge what is outstanding anew: `wanting` gives who wants a publisher's event of a time."""
        for event, sent in list(self._outstanding.items()):
            dropped = sent.hosts - wanting(event[0], sent.values, sent.at)
            self.wanted -= len(dropped)
            sent.hosts -= dropped
            if not sent.hosts:
                del self._outstanding[event]

    def arrived(self, event: EventKey, host: str, delay_ms: float, *, wanted: bool, doubled: bool) -> None:
        """`event` reached `host`, `delay_ms` after it was sent."""
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
        """Deliveries that are still to come, or lost."""
        return sum(len(sent.hosts) for sent in self._outstanding.values())

    def lost(self, before: float | None = None) -> int:
        """Deliveries that did not come: of all events, or of those sent before the time given."""
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
