"""The planner: a state machine into which requests go, and out of which table diffs come.

The same requests give the same tables, however they are cut into batches and wherever a snapshot and a
restart lie between them. `apply` brings the plan up to date at once; `take_diff` is what changed since it was
last called. See `docs/algorithms.md` for how tables follow from requests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from tercast.aggregation.incremental.budget_enforcer import BudgetChange
from tercast.aggregation.incremental.request_handlers import (
    aggregate,
    set_aggregation,
    set_budget,
    set_capacity,
    set_reserve,
    settle,
)
from tercast.encoding.request_encoding import encode_text, encoding_of
from tercast.errors import Refused, RefusedMany, shown
from tercast.eventspace.dz import DzSet
from tercast.eventspace.topic import Topic
from tercast.planner import batch, dry_run
from tercast.planner.snapshot import restore_planner, take_snapshot
from tercast.planner.state import PlannerState
from tercast.planner.table_writer import take_changes
from tercast.planner.topic_migration import drop, finish, may_move, move
from tercast.planner.topology_change import ReplannedTopics
from tercast.requests.model import (
    Add,
    Advertise,
    Aggregate,
    Change,
    FinishMove,
    Registering,
    Remove,
    Request,
    SetAggregation,
    SetBudget,
    SetCapacity,
    SetIndexed,
    SetReserve,
    Subscribe,
    Unadvertise,
    Unsubscribe,
    Withdrawing,
)
from tercast.requests.outcome import NO_LEAST, DryRun, Outcome, TreeView, no_room
from tercast.requests.reach import Reach
from tercast.requests.reader import read_request
from tercast.requests.registry import ADVERTISEMENT, Registration
from tercast.routing.topic_routing import Claim
from tercast.tables.entries import Diff

__all__ = ["DryRun", "Outcome", "Planner", "TreeView"]

Left = tuple[Claim | None, tuple[Registration, Claim | None] | None]
"""What a registration had when it was withdrawn: in trees, and where its topic is leaving a code."""

_OK = Outcome(ok=True)
_SUBSCRIBED: dict[Reach | None, Outcome] = {
    None: Outcome(ok=True, matched=False),
    **{reach: Outcome(ok=True, matched=True, reach=reach) for reach in Reach},
}


class Planner(PlannerState):
    """Plans one network.

    With `enforce_budgets=False` tables may grow past budgets, for who judges them afterwards.
    """

    def apply(self, request: Mapping[str, Any] | Request | Refused) -> Outcome:
        """Carry out one request, or refuse it and change nothing; what could not be read is refused."""
        self.applied += 1
        try:
            if type(request) is dict or isinstance(request, Mapping):  # the first is quicker to see
                request = read_request(request)
            elif isinstance(request, Refused):
                return Outcome(ok=False, reason=request)
            return self._carry_out(request)
        except Refused as refused:
            return Outcome(ok=False, reason=refused)
        except RefusedMany as many:
            return Outcome(ok=False, reason=many.errors[0])

    def apply_all(self, requests: Iterable[Mapping[str, Any] | Request]) -> list[Outcome]:
        """Carry out requests in order; many at once take less time for each."""
        return batch.apply_all(self, requests)

    def in_turn(self, requests: Iterable[Mapping[str, Any] | Request]) -> Iterator[Outcome]:
        """Carry out requests in order; when an outcome is given, the diff is that of its request.

        It takes less time than `apply` for each.
        """
        return batch.in_turn(self, requests)

    @contextmanager
    def encoded(self, known: Mapping[tuple[str, str], DzSet]) -> Iterator[None]:
        """Within, dz sets are known already, by topic and text; topics must not change."""
        self._encoded = known
        try:
            yield
        finally:
            self._encoded = {}

    @contextmanager
    def together(self, encoded: Mapping[tuple[str, str], DzSet]) -> Iterator[None]:
        """Subscriptions, advertisements and withdrawals that are applied within are carried out together.

        `encoded` are dz sets that are known already, by topic and text. Changes spread at the end, unless
        budgets ask for an answer to each request.
        """
        waits = self.keeper.idle and self.journal is None and not self._has_budgets()
        self._waits = waits
        try:
            with self.encoded(encoded):
                yield
        finally:
            self._waits = False
            if waits:
                self.queue.propagate()
                self.tracker.take_marked()

    def take_diff(self) -> Diff:
        """What has changed in the tables since the last call."""
        diff = take_changes(self.tracker, self.writer)
        if self._bits_retired:
            self._bits_retired = False
            for site in self._network.sites.values():  # those of a stale one: sites to come have none
                site.release_retired()
        self.keeper.prune()
        return diff

    def snapshot(self) -> dict[str, Any]:
        """The whole state as JSON; `restore` goes on from it as if nothing had been."""
        return take_snapshot(self)

    @staticmethod
    def restore(data: Mapping[str, Any]) -> Planner:
        """The planner of a snapshot."""
        return restore_planner(Planner, data)

    def dry_run(
        self,
        requests: Sequence[Mapping[str, Any] | Request],
        look: Callable[[Planner], Any] | None = None,
    ) -> DryRun:
        """What the requests would do, one after the other; the planner stays as it is.

        `look` is called with a planner in the state after the requests; it must not change it.
        """
        return dry_run.run(self, requests, look)

    def _carry_out(self, request: Request) -> Outcome:
        match request:
            case Subscribe() | Advertise():
                return self._register(request)
            case Unsubscribe() | Unadvertise():
                return self._withdraw(request)
            case SetAggregation(method):
                return set_aggregation(self, method)
            case SetBudget():
                return set_budget(self, request)
            case SetReserve():
                return set_reserve(self, request)
            case SetCapacity():
                return set_capacity(self, request)
            case Aggregate():
                return aggregate(self, request.method, request.covers)
            case FinishMove():
                return self._finish_move(request)
            case _:
                return self._change(request)

    def _register(self, request: Registering) -> Outcome:
        topic = self.registry.check(request)
        dz = self._encoded.get((request.topic, request.filter or "")) if request.dz is None else None
        if dz is None:
            dz = encoding_of(request, topic, self.depth, self.limits.max_dz_per_filter)
        registration = self.registry.registration(request, dz)
        tree_number = self.network.next_tree
        self._enter(registration)
        step, over = self._exceeded(registration)
        if over:
            self._forget(registration, tree_number, step)
            return no_room(self.topology, registration.id, over, step.least if step else NO_LEAST)
        if self.journal is not None:
            self.journal.append(lambda: self._forget(registration, tree_number, step))
        if registration.kind == ADVERTISEMENT:
            return _OK
        return _SUBSCRIBED[self._plans[topic.name].reach(request.host, dz)]

    def _withdraw(self, request: Withdrawing) -> Outcome:
        registration = self.registry.find(request)
        left = self._leave(registration)
        step, over = self._exceeded(registration)
        if over:
            self._return(registration, left, step)
            return no_room(self.topology, registration.id, over, step.least if step else NO_LEAST)
        if self.journal is not None:
            self.journal.append(lambda: self._return(registration, left, step))
        return _OK

    def _change(self, request: Change) -> Outcome:
        moves = self.hitless and may_move(self, request) and self._has_room_to_move(request)
        if isinstance(request, SetIndexed):
            over = () if moves else self._without_room(request, moving=False)
            if over:
                return no_room(self.topology, request.topic, over)
            done = self._reindex(request, moves)
        else:
            done = self._change_network(request, moves)
        self._follow_network()
        # while the network is stale nothing is registered, and tables are empty
        return Outcome(
            ok=True,
            failed_switches=() if self._stale else self.over_budget(),
            moved=tuple(done.moved),
            in_place=tuple(done.in_place),
        )

    def _follow_network(self) -> None:
        """Let installed tables follow, wherever they are."""
        marked = self.tracker.take_marked()
        if not self.keeper.idle:
            self.keeper.settle_all(marked)

    def _finish_move(self, request: FinishMove) -> Outcome:
        finish(self, request)
        self._follow_network()
        if not self.leaving:
            self.keeper.end_passing()
            if not self._stale and self.registry.live:
                self._freshen()  # what its tables kept in the network may go
        return Outcome(ok=True)

    def _change_network(self, request: Change, moves: bool) -> ReplannedTopics:
        former = self.topology.copy() if moves else None
        self.registry.change(request)
        match request:
            case Add("topic", _):
                for topic in self.topics.values():
                    self._plan(topic)
            case Remove("topic", name):
                self._plans.pop(name)
                if name in self.leaving:
                    drop(self, self.leaving[name])
            case _:
                self._stale = True
                if self.registry.live:
                    return self._freshen(former)
        return ReplannedTopics()

    def _has_room_to_move(self, request: Change) -> bool:
        """Whether budgets have room for old and new tables; merged ones, if need be, until the move is over.

        Where nothing is merged otherwise, exact tables have to fit again in the end.
        """
        if not self._without_room(request, moving=True):
            return True
        if not self.keeper.idle or self._without_room(request, moving=False):
            return False
        self.keeper.passing = not self._without_room(request, moving=True, passing=True)
        return self.keeper.passing

    def _without_room(self, request: Change, moving: bool, passing: bool = False) -> tuple[str, ...]:
        """The switches that a change would leave over their budget, with more entries than now.

        It cannot be taken back, so it is tried on a copy, where there are budgets.
        """
        if self._stale or not self._has_budgets():
            return ()
        copy = self.restore(self.snapshot())
        copy.enforce_budgets, copy.hitless, copy.keeper.passing = False, moving, passing
        outcome, before, after = copy.apply(request), self.counts(), copy.counts()
        return tuple(sorted(name for name in outcome.failed_switches if after[name] > before.get(name, 0)))

    def _reindex(self, request: SetIndexed, moves: bool) -> ReplannedTopics:
        """Encode a topic's live filters anew, then build all that is planned for it from them."""
        before = self.registry.known_topic(request.topic, ("topic",))
        after = before.with_indexed(request.indexed, ("indexed",))
        live = [reg for reg in self.registry.live.values() if reg.topic == request.topic]
        for registration in live:
            if registration.filter is None:
                named = f"{registration.kind} {shown(registration.id)}"
                detail = f"{named} came as dz, without a filter to encode anew"
                raise Refused(("topic",), "no_filter", detail, request.topic)
        limit = self.limits.max_dz_per_filter
        encoded = [reg.encoded(encode_text(reg.filter or "", after, self.depth, limit)) for reg in live]
        if moves:
            move(self, request.topic, self.topology.copy(), after)
            self.topology.version += 1
        else:
            self._encode_in_place(request, after)
        for registration in encoded:
            self.registry.live[registration.id] = registration
        self._spread_topic(request.topic)
        name = [request.topic]
        return ReplannedTopics(moved=name) if moves else ReplannedTopics(in_place=name if encoded else [])

    def _encode_in_place(self, request: SetIndexed, after: Topic) -> None:
        self.registry.change(request)
        plan = self._plans[request.topic]
        self.keeper.forget_topic(request.topic)
        plan.clear()
        plan.topic = after
        self.versions[request.topic] = self.version(request.topic) + 1

    def _enter(self, registration: Registration) -> None:
        self.registry.register(registration)
        leaving = self.leaving.get(registration.topic)
        if leaving is not None:
            leaving.subscribe(registration, self)
        self._spread(registration)

    def _leave(self, registration: Registration) -> Left:
        plan = self._plans[registration.topic]
        claim = None
        leaving = self.leaving.get(registration.topic)
        former = None if leaving is None else leaving.withdraw(registration.id)
        if registration.kind == ADVERTISEMENT:
            claim = plan.leave_trees(registration.id, registration.host)
        else:
            plan.unsubscribe(registration.host, registration.dz)
        self._settle()
        self.registry.withdraw(registration)
        return claim, former

    def _has_budgets(self) -> bool:
        switches = self.topology.switches.values()
        return self.enforce_budgets and any(switch.room is not None for switch in switches)

    def _forget(self, registration: Registration, tree_number: int, step: BudgetChange | None) -> None:
        """Take `_enter` back: as if the registration had never been."""
        if step is not None:
            self.keeper.take_back(step)
        self._leave(registration)
        self.network.next_tree = tree_number
        self.registry.next_seq = registration.seq
        self._follow_back(registration)

    def _return(self, registration: Registration, left: Left, step: BudgetChange | None) -> None:
        """Take `_leave` back."""
        if step is not None:
            self.keeper.take_back(step)
        claim, former = left
        if former is not None:
            self.leaving[registration.topic].give_back(former)
        self.registry.register(registration)
        plan = self._plans[registration.topic]
        if registration.kind == ADVERTISEMENT:
            if claim is not None:
                plan.rejoin_trees(registration.id, registration.host, claim)
            else:  # its host cannot be reached
                plan.advertise(registration.id, registration.host, registration.dz, self.limits.max_trees)
        else:
            plan.subscribe(registration.host, registration.dz)
        self.queue.propagate()
        self._follow_back(registration)

    def _follow_back(self, registration: Registration) -> None:
        marked = self.tracker.take_marked()
        if not self.keeper.idle:
            is_ad = registration.kind == ADVERTISEMENT
            self.keeper.follow_back(marked, registration.topic if is_ad else None)

    def _exceeded(self, registration: Registration) -> tuple[BudgetChange | None, tuple[str, ...]]:
        """What aggregation did for the last request; the switches over their budget with more than before."""
        marked = self.tracker.take_marked()
        if not self.keeper.idle:
            return settle(self, marked, registration)
        if not marked or not self.enforce_budgets:
            return None, ()
        over = (
            site.id
            for site, before in marked
            if site.budget is not None and site.count > site.budget and site.count > before
        )
        return None, tuple(sorted(over))
