"""Announcements out of reach, searched again only if a request can have changed them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tercast.eventspace.dz import set_overlaps
from tercast.planner.reachability import OutOfReach
from tercast.planner.state import PlannerState
from tercast.requests.kinds import REACH_PRESERVING, SUBSCRIBE, UNSUBSCRIBE
from tercast.requests.reach import Reach
from tercast.requests.registry import ADVERTISEMENT, Registration


class ReachWatch:
    """The announcements of a network without a path to some of their matches.

    A search takes time in proportion to all cells of a topic whose hosts are in several components. Almost
    all subscriptions reach all their matches and need no search.
    """

    def __init__(self) -> None:
        self.found: Mapping[str, OutOfReach] | None = None

    def update(self, network: PlannerState, requests: Iterable[Mapping[str, Any]]) -> bool:
        """Update the result after requests; return whether it changed.

        Args:
            network: The network after the requests.
            requests: Their JSON forms; refused ones may be among them.
        """
        if self.found is not None and all(self._is_unaffected(network, each) for each in requests):
            return False
        found = network.out_of_reach()
        changed = found != self.found
        self.found = found
        return changed

    def _is_unaffected(self, network: PlannerState, request: Mapping[str, Any]) -> bool:
        assert self.found is not None
        op, name = request["op"], str(request.get("id"))
        if op in REACH_PRESERVING:
            return True
        if op == UNSUBSCRIBE:  # it may have been the only reachable match of an advertisement
            return name not in self.found and not any(
                one.reach is Reach.PARTIAL for other, one in self.found.items() if _is_ad(network, other)
            )
        if op != SUBSCRIBE:
            return False
        registration = network.registry.live.get(name)
        return registration is None or self._changes_no_reach(network, registration)

    def _changes_no_reach(self, network: PlannerState, registration: Registration) -> bool:
        """Whether a subscription reaches all matches, and no advertisement became reachable by it."""
        assert self.found is not None
        reach = network.plan(registration.topic).reach(registration.host, registration.dz)
        if reach is None:
            return True
        return reach is Reach.FULL and not any(
            one.reach is Reach.NONE
            and _is_ad(network, name)
            and (ad := network.registry.live[name]).topic == registration.topic
            and set_overlaps(ad.dz, registration.dz)
            for name, one in self.found.items()
        )


def _is_ad(network: PlannerState, name: str) -> bool:
    """Return whether a live announcement is an advertisement."""
    found = network.registry.live.get(name)
    return found is not None and found.kind == ADVERTISEMENT
