"""Check of events at a subscriber: their source address and their seal."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from tercast.client.arrivals import Arrived, Counters
from tercast.client.event_origins import EventOrigin, EventOrigins, OriginPolicy, RejectionReason
from tercast.wire.event_seal import is_good

MOST_HELD = 4096
"""Maximum events that wait until the platform reports the host of their advertisement."""

RECHECK_S = 0.02
"""Seconds between two checks for the platform's answer."""


@dataclass(frozen=True, slots=True)
class _Held:
    """An event that waits for the answer to the question with this ticket."""

    arrived: Arrived
    ticket: int


class OriginCheck:
    """Check that accepts, rejects or holds events, and counts rejected and held ones.

    Without `origins`, it accepts every event. Tickets of held events only grow, so one queue is enough.
    """

    def __init__(
        self,
        origins: EventOrigins | None,
        counters: Counters,
        reject: Callable[[Arrived, RejectionReason], None],
    ) -> None:
        self._origins, self._counters, self._reject = origins, counters, reject
        self._held: deque[_Held] = deque()

    @property
    def waiting(self) -> bool:
        """Whether events are held."""
        return bool(self._held)

    def admits(self, arrived: Arrived) -> bool:
        """Whether an event is accepted now.

        If the platform's next answer may make the event valid, it is held. This is so for an unknown
        advertisement, an unknown key, and a missing seal.
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
        """Return the next held event that is accepted now; None if there is none."""
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
        self._reject(arrived, reason)

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
    """Return the reason why an event of this origin is not accepted; None if it is accepted."""
    if origin.address != arrived.source:
        return RejectionReason.OTHER_ADDRESS
    number = arrived.head.key_number
    if number is None:
        return RejectionReason.NO_SEAL if origin.seal is OriginPolicy.REQUIRED else None
    key = origin.keys.get(number)
    if key is None:
        return RejectionReason.UNKNOWN_KEY
    return None if is_good(arrived.payload, key) else RejectionReason.BAD_SEAL
