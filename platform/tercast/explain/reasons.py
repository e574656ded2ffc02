"""The fixed list of reasons for which a host receives an event, or does not."""

from __future__ import annotations

import enum


class DeliveryReason(enum.StrEnum):
    """Why. The first four are those of who receives an event, the others of who does not."""

    MATCH = "match"
    TRUNCATION = "truncation"
    AGGREGATION = "aggregation"
    STALE_ENTRY = "stale_entry"

    ENTRY_MISSING = "entry_missing"
    UNREACHABLE = "unreachable"
    SWITCH_DOWN = "switch_down"
    HOST_DOWN = "host_down"
    NO_ADVERTISEMENT = "no_advertisement"
    OUTSIDE_ADVERTISEMENT = "outside_advertisement"
    NOT_ACTIVE = "not_active"
    FAILED = "failed"
    WITHDRAWN = "withdrawn"
    NO_MATCH = "no_match"
    NO_SUBSCRIPTION = "no_subscription"

    @property
    def rank(self) -> int:
        """Where it stands in the list; of several reasons of one host the first is told."""
        return _RANKS[self]


_RANKS = {reason: rank for rank, reason in enumerate(DeliveryReason)}

RECEIVED = (
    DeliveryReason.MATCH,
    DeliveryReason.TRUNCATION,
    DeliveryReason.AGGREGATION,
    DeliveryReason.STALE_ENTRY,
)


class DeliveryStanding(enum.StrEnum):
    """What became of a subscription; the first two are planned.

    One that is deploying still waits for switches to confirm its entries.
    """

    LIVE = "live"
    DEPLOYING = "deploying"
    NOT_ACTIVE = "not_active"
    FAILED = "failed"
    WITHDRAWN = "withdrawn"


REASON_OF = {
    DeliveryStanding.DEPLOYING: DeliveryReason.NOT_ACTIVE,
    DeliveryStanding.NOT_ACTIVE: DeliveryReason.NOT_ACTIVE,
    DeliveryStanding.FAILED: DeliveryReason.FAILED,
    DeliveryStanding.WITHDRAWN: DeliveryReason.WITHDRAWN,
}
