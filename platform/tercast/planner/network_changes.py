"""Requests that change the network or topics: plans are updated, or topics migrate."""

from __future__ import annotations

from tercast.encoding.request_encoding import encode_text
from tercast.errors import Refused, RefusedMany, shown
from tercast.eventspace.topic import Topic
from tercast.planner.migration_steps import (
    can_migrate,
    drop_migration,
    finish_migration,
    may_migrate,
    migrate,
)
from tercast.planner.snapshot import restore_planner, take_snapshot
from tercast.planner.state import PlannerState
from tercast.planner.topology_change import ReplannedTopics
from tercast.requests.model import Add, FinishMove, NetworkChange, Remove, SetIndexed
from tercast.requests.outcome import Outcome, no_room
from tercast.requests.registry import Registration
from tercast.routing.topic_routing import TopicRouting
from tercast.topology.topology import Topology


class NetworkChanges:
    """Carries out requests that change the network or topics."""

    def __init__(self, planner: PlannerState) -> None:
        self._planner = planner

    def apply(self, request: NetworkChange) -> Outcome:
        """Carry out a change; refuse a change of indexed attributes that exceeds budgets."""
        planner = self._planner
        migrates = planner.hitless and may_migrate(planner, request) and self._has_room_to_migrate(request)
        if isinstance(request, SetIndexed):
            over = () if migrates else self._exceeded(request, hitless=False)
            if over:
                return no_room(planner.topology, request.topic, over)
            done = self._set_indexed(request, migrates)
        else:
            done = self._change_network(request, migrates)
        self._follow_network()
        # While the network is stale, nothing is registered and tables are empty.
        return Outcome(
            ok=True,
            failed_switches=() if planner.is_stale else planner.over_budget(),
            moved=tuple(done.moved),
            in_place=tuple(done.in_place),
        )

    def finish_migration(self, request: FinishMove) -> Outcome:
        """Remove the old tables of a topic, because its publishers use the other code."""
        planner = self._planner
        finish_migration(planner, request)
        self._follow_network()
        if not planner.leaving:
            planner.budget_enforcer.end_passing()
            if not planner.is_stale and planner.registry.live:
                planner.refresh_plans()  # removes parts of the network that only the old tables needed
        return Outcome(ok=True)

    def _follow_network(self) -> None:
        """Update the installed tables at all switches."""
        marked = self._planner.tracker.take_marked()
        if not self._planner.budget_enforcer.idle:
            self._planner.budget_enforcer.settle_all(marked)

    def _change_network(self, request: NetworkChange, migrates: bool) -> ReplannedTopics:
        planner = self._planner
        former = planner.topology.copy() if migrates else None
        planner.registry.change(request)
        match request:
            case Add("topic", _):
                for topic in planner.topics.values():
                    planner.add_topic(topic)
            case Remove("topic", name):
                planner.remove_topic(name)
                if name in planner.leaving:
                    drop_migration(planner, planner.leaving[name])
            case _:
                planner.mark_stale()
                if planner.registry.live:
                    if former is None:
                        return planner.refresh_plans()
                    return planner.refresh_plans(lambda plan: self._migrate(plan, former))
        return ReplannedTopics()

    def _migrate(self, plan: TopicRouting, former: Topology) -> bool:
        """Plan a topic under its other code if that is free; return whether it is."""
        name = plan.topic.name
        if not can_migrate(self._planner, name):
            return False
        migrate(self._planner, name, former)
        self._planner.plan_live(name)
        return True

    def _has_room_to_migrate(self, request: NetworkChange) -> bool:
        """Return whether budgets have space for old and new tables, merged until the end if needed.

        Without aggregation, exact tables must fit again at the end.
        """
        budget_enforcer = self._planner.budget_enforcer
        if not self._exceeded(request, hitless=True):
            return True
        if not budget_enforcer.idle or self._exceeded(request, hitless=False):
            return False
        budget_enforcer.passing = not self._exceeded(request, hitless=True, passing=True)
        return budget_enforcer.passing

    def _exceeded(self, request: NetworkChange, hitless: bool, passing: bool = False) -> tuple[str, ...]:
        """Return the switches over budget after a change, if the change adds entries to them.

        A change cannot be undone. So, if there are budgets, it is tried on a copy.
        """
        planner = self._planner
        if planner.is_stale or not planner.has_budgets():
            return ()
        copy = restore_planner(PlannerState, take_snapshot(planner))
        copy.enforce_budgets, copy.hitless, copy.budget_enforcer.passing = False, hitless, passing
        try:
            outcome = NetworkChanges(copy).apply(request)
        except (Refused, RefusedMany):  # the request itself will be refused for the same reason
            return ()
        before, after = planner.counts(), copy.counts()
        return tuple(sorted(name for name in outcome.failed_switches if after[name] > before.get(name, 0)))

    def _set_indexed(self, request: SetIndexed, migrates: bool) -> ReplannedTopics:
        """Encode the live filters of a topic again, then plan the topic from them."""
        planner = self._planner
        before = planner.registry.known_topic(request.topic, ("topic",))
        after = request.applied(before)
        encoded = self._encode_live(request.topic, after)
        if migrates:
            migrate(planner, request.topic, planner.topology.copy(), after)
            planner.topology.version += 1
        else:
            self._replace_encoding(request, after)
        for registration in encoded:
            planner.registry.live[registration.id] = registration
        planner.plan_live(request.topic)
        name = [request.topic]
        return ReplannedTopics(moved=name) if migrates else ReplannedTopics(in_place=name if encoded else [])

    def _encode_live(self, name: str, topic: Topic) -> list[Registration]:
        """Return the live registrations of a topic with new dz; refuse one without a filter."""
        planner = self._planner
        live = [one for one in planner.registry.live.values() if one.topic == name]
        for registration in live:
            if registration.filter is None:
                named = f"{registration.kind} {shown(registration.id)}"
                detail = (
                    f"{named} was registered with dz and has no filter to encode again; withdraw it first"
                )
                raise Refused(("topic",), "no_filter", detail, name)
        limit = planner.limits.max_dz_per_filter
        return [one.encoded(encode_text(one.filter or "", topic, planner.depth, limit)) for one in live]

    def _replace_encoding(self, request: SetIndexed, after: Topic) -> None:
        planner = self._planner
        planner.registry.change(request)
        plan = planner.plan(request.topic)
        planner.budget_enforcer.forget_topic(request.topic)
        plan.clear()
        plan.topic = after
        planner.versions[request.topic] = planner.version(request.topic) + 1
