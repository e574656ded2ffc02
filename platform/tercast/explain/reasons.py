"""The fixed list of reasons for which a host receives an event, or does not."""

from __future__ import annotations

import enum


class Reason(enum.StrEnum):
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


_RANKS = {reason: rank for rank, reason in enumerate(Reason)}

RECEIVED = (Reason.MATCH, Reason.TRUNCATION, Reason.AGGREGATION, Reason.STALE_ENTRY)


class Standing(enum.StrEnum):
    """What became of a subscription; the first two are planned.

    One that is deploying still waits for switches to confirm its entries.
    """

    LIVE = "live"
    DEPLOYING = "deploying"
    NOT_ACTIVE = "not_active"
    FAILED = "failed"
    WITHDRAWN = "withdrawn"


REASON_OF = {
    Standing.DEPLOYING: Reason.NOT_ACTIVE,
    Standing.NOT_ACTIVE: Reason.NOT_ACTIVE,
    Standing.FAILED: Reason.FAILED,
    Standing.WITHDRAWN: Reason.WITHDRAWN,
}
