"""Which events a subscriber accepts: those that come from the host of their advertisement."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from tercast.client.arrivals import Arrived, Counters
from tercast.client.event_origins import EventOrigin, EventOrigins, OriginPolicy, RejectionReason
from tercast.wire.event_seal import is_good

MOST_HELD = 4096
"""Events that may wait for the platform to answer which host their advertisement belongs to."""

RECHECK_S = 0.02
"""Seconds between two looks at whether the answer is there."""


@dataclass(frozen=True, slots=True)
class _Held:
    """An event that waits for the answer to the question with that ticket."""

    arrived: Arrived
    ticket: int


class OriginCheck:
    """Accepts, rejects or holds events, and counts the last two.

    Without `origins` it accepts every event. Tickets of held events only grow, so they wait in one queue.
    """

    def __init__(
        self,
        origins: EventOrigins | None,
        counters: Counters,
        reject: Callable[[Arrived, RejectionReason], None],
    ) -> None:
        self._origins, self._counters, self._tell = origins, counters, reject
        self._held: deque[_Held] = deque()

    @property
    def waiting(self) -> bool:
        """Whether events are held."""
        return bool(self._held)

    def admits(self, arrived: Arrived) -> bool:
        """Whether an event is accepted now.

        One that the platform's next answer may make good is held: of an unknown advertisement, with a key
        that is not known yet, or without a seal.
        """
        if self._origins is None:
            return True
        origin = self._find(arrived, self._origins)
        if origin is None:
            self._hold(arrived, self._origins)
            return False
        reason = _fault(arrived, origin)
        if reason in _PASSING:
            self._hold(arrived, self._origins)
        elif reason is not None:
            self.reject(arrived, reason)
        else:
            self._origins.refresh(arrived.codec.topic.name, arrived.head.publisher)
        return reason is None

    def released(self) -> Arrived | None:
        """Return the next event that waited and is accepted now; None while there is none."""
        origins = self._origins
        while origins is not None and self._held and origins.answered(self._held[0].ticket):
            arrived = self._held.popleft().arrived
            self._counters.held -= 1
            origin = self._find(arrived, origins)
            reason = RejectionReason.UNKNOWN_ADVERTISEMENT if origin is None else _fault(arrived, origin)
            if reason is None:
                return arrived
            self.reject(arrived, reason)
        return None

    def reject(self, arrived: Arrived, reason: RejectionReason) -> None:
        """Count an event that is not accepted, and report it."""
        self._counters.rejected += 1
        self._tell(arrived, reason)

    @staticmethod
    def _find(arrived: Arrived, origins: EventOrigins) -> EventOrigin | None:
        return origins.find(arrived.codec.topic.name, arrived.head.publisher)

    def _hold(self, arrived: Arrived, origins: EventOrigins) -> None:
        full = len(self._held) >= MOST_HELD
        ticket = None if full else origins.ask(arrived.codec.topic.name, arrived.head.publisher)
        if ticket is None:
            self.reject(arrived, RejectionReason.NOT_CHECKED)
            return
        self._held.append(_Held(arrived, ticket))
        self._counters.held += 1


_PASSING = (RejectionReason.NO_SEAL, RejectionReason.UNKNOWN_KEY)


def _fault(arrived: Arrived, origin: EventOrigin) -> RejectionReason | None:
    """Return why an event is not accepted from its origin; None where it is."""
    if origin.address != arrived.source:
        return RejectionReason.OTHER_ADDRESS
    number = arrived.head.key_number
    if number is None:
        return RejectionReason.NO_SEAL if origin.seal is OriginPolicy.REQUIRED else None
    key = origin.keys.get(number)
    if key is None:
        return RejectionReason.UNKNOWN_KEY
    return None if is_good(arrived.payload, key) else RejectionReason.BAD_SEAL
