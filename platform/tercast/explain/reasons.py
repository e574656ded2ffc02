"""Reasons why a host receives an event or does not: a fixed list."""

from __future__ import annotations

import enum


class DeliveryReason(enum.StrEnum):
    """Reason of a delivery (the first four) or of a missing delivery (the others)."""

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
        """The position in this list; the first of several reasons of a host is reported."""
        return _RANKS[self]


_RANKS = {reason: rank for rank, reason in enumerate(DeliveryReason)}

RECEIVED = (
    DeliveryReason.MATCH,
    DeliveryReason.TRUNCATION,
    DeliveryReason.AGGREGATION,
    DeliveryReason.STALE_ENTRY,
)


class DeliveryStanding(enum.StrEnum):
    """State of a subscription; only the first two are in the plan.

    The state `deploying` means that switches have not confirmed its entries yet.
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
