"""Registration and withdrawal of subscriptions and advertisements, and the undoing of both."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tercast.aggregation.incremental.budget_enforcer import BudgetChange
from tercast.aggregation.incremental.request_handlers import settle
from tercast.encoding.request_encoding import encoding_of
from tercast.planner.state import PlannerState
from tercast.requests.model import Registering, Withdrawing
from tercast.requests.outcome import NO_LEAST, Outcome, no_room
from tercast.requests.reach import Reach
from tercast.requests.registry import ADVERTISEMENT, Registration
from tercast.routing.topic_routing import TreeMembership

Withdrawn = tuple[TreeMembership | None, tuple[Registration, TreeMembership | None] | None]
"""State of a withdrawn registration: its membership in trees, and its part under the former code."""

_OK = Outcome(ok=True)
_SUBSCRIBED: dict[Reach | None, Outcome] = {
    None: Outcome(ok=True, matched=False),
    **{reach: Outcome(ok=True, matched=True, reach=reach) for reach in Reach},
}


class Registrations:
    """Carries out requests that register or withdraw an announcement.

    A request that exceeds a budget is refused and changes nothing. While the planner has a journal, each
    other request adds a function to it that undoes the request.
    """

    def __init__(self, planner: PlannerState) -> None:
        self._planner = planner

    @contextmanager
    def together(self) -> Iterator[bool]:
        """Propagate changes of registrations at the end; yield False if each one needs its own."""
        planner = self._planner
        defers = planner.budget_enforcer.idle and planner.journal is None and not planner.has_budgets()
        planner.defers_propagation = defers
        try:
            yield defers
        finally:
            planner.defers_propagation = False
            if defers:
                planner.queue.propagate()
                planner.tracker.take_marked()

    def register(self, request: Registering) -> Outcome:
        """Register a subscription or an advertisement, or refuse it."""
        planner = self._planner
        topic = planner.registry.check(request)
        dz = None
        if request.dz is None and planner.known_encodings:
            dz = planner.known_encodings.get((request.topic, request.filter or ""))
        if dz is None:
            dz = encoding_of(request, topic, planner.depth, planner.limits.max_dz_per_filter)
        registration = planner.registry.registration(request, dz)
        tree_number = planner.network.next_tree
        self._add(registration)
        step, over = self._exceeded(registration)
        if over:
            self._undo_add(registration, tree_number, step)
            return no_room(planner.topology, registration.id, over, step.least if step else NO_LEAST)
        if planner.journal is not None:
            planner.journal.append(lambda: self._undo_add(registration, tree_number, step))
        if registration.kind == ADVERTISEMENT:
            return _OK
        return _SUBSCRIBED[planner.plan(topic.name).reach(request.host, dz)]

    def withdraw(self, request: Withdrawing) -> Outcome:
        """Withdraw a subscription or an advertisement, or refuse the request."""
        planner = self._planner
        registration = planner.registry.find(request)
        withdrawn = self._remove(registration)
        step, over = self._exceeded(registration)
        if over:
            self._undo_remove(registration, withdrawn, step)
            return no_room(planner.topology, registration.id, over, step.least if step else NO_LEAST)
        if planner.journal is not None:
            planner.journal.append(lambda: self._undo_remove(registration, withdrawn, step))
        return _OK

    def _add(self, registration: Registration) -> None:
        planner = self._planner
        planner.registry.register(registration)
        leaving = planner.leaving.get(registration.topic)
        if leaving is not None:
            topic = planner.topics[registration.topic]
            leaving.subscribe(registration, planner.network, topic, planner.limits)
        planner.plan_registration(registration)

    def _remove(self, registration: Registration) -> Withdrawn:
        planner = self._planner
        plan = planner.plan(registration.topic)
        membership = None
        leaving = planner.leaving.get(registration.topic)
        former = None if leaving is None else leaving.withdraw(registration.id)
        if registration.kind == ADVERTISEMENT:
            membership = plan.leave_trees(registration.id, registration.host)
        else:
            plan.unsubscribe(registration.host, registration.dz)
        planner.propagate()
        planner.registry.withdraw(registration)
        return membership, former

    def _undo_add(self, registration: Registration, tree_number: int, step: BudgetChange | None) -> None:
        """Undo `_add`, as if the registration had never existed."""
        planner = self._planner
        if step is not None:
            planner.budget_enforcer.take_back(step)
        self._remove(registration)
        planner.network.next_tree = tree_number
        planner.registry.next_seq = registration.seq
        self._restore_merges(registration)

    def _undo_remove(
        self, registration: Registration, withdrawn: Withdrawn, step: BudgetChange | None
    ) -> None:
        """Undo `_remove`."""
        planner = self._planner
        if step is not None:
            planner.budget_enforcer.take_back(step)
        membership, former = withdrawn
        if former is not None:
            planner.leaving[registration.topic].restore(former)
        planner.registry.register(registration)
        plan = planner.plan(registration.topic)
        if registration.kind == ADVERTISEMENT:
            if membership is not None:
                plan.rejoin_trees(registration.id, registration.host, membership)
            else:  # its host cannot be reached
                plan.advertise(registration.id, registration.host, registration.dz, planner.limits.max_trees)
        else:
            plan.subscribe(registration.host, registration.dz)
        planner.queue.propagate()
        self._restore_merges(registration)

    def _restore_merges(self, registration: Registration) -> None:
        """Update the installed tables after an undone change."""
        planner = self._planner
        marked = planner.tracker.take_marked()
        if not planner.budget_enforcer.idle:
            is_ad = registration.kind == ADVERTISEMENT
            planner.budget_enforcer.follow_back(marked, registration.topic if is_ad else None)

    def _exceeded(self, registration: Registration) -> tuple[BudgetChange | None, tuple[str, ...]]:
        """Return the change by aggregation, and the switches that the request took over budget."""
        planner = self._planner
        if planner.defers_propagation:  # no table has changed, and no budget is enforced
            return None, ()
        marked = planner.tracker.take_marked()
        if not planner.budget_enforcer.idle:
            return settle(planner, marked, registration)
        if not marked or not planner.enforce_budgets:
            return None, ()
        over = (
            site.id
            for site, before in marked
            if site.budget is not None and site.count > site.budget and site.count > before
        )
        return None, tuple(sorted(over))
