"""The planner: a state machine that reads requests and produces changes of tables.

The same requests result in the same tables, for every division into batches and with a snapshot and a restart
at any point. `apply` updates the plan immediately. `take_diff` returns the changes since its last call.
`docs/algorithms.md` describes how tables follow from requests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any

from tercast.aggregation.incremental.request_handlers import (
    aggregate,
    set_aggregation,
    set_budget,
    set_capacity,
    set_reserve,
)
from tercast.errors import Refused, RefusedMany
from tercast.eventspace.dz import DzSet
from tercast.planner import dry_run
from tercast.planner.batch import ReadRequest, encode_filters, request_runs
from tercast.planner.external_cells import ExternalCells
from tercast.planner.network_changes import NetworkChanges
from tercast.planner.registrations import Registrations
from tercast.planner.snapshot import restore_planner, take_snapshot
from tercast.planner.state import PlannerState
from tercast.requests.model import (
    Advertise,
    Aggregate,
    External,
    FinishMove,
    NetworkChange,
    Request,
    SetAggregation,
    SetBudget,
    SetCapacity,
    SetReserve,
    Subscribe,
    Unadvertise,
    Unsubscribe,
)
from tercast.requests.outcome import DryRun, Outcome, TreeView
from tercast.requests.reader import read_or_refusal

__all__ = ["DryRun", "Outcome", "Planner", "TreeView"]


class Planner(PlannerState):
    """Plans one network.

    With `enforce_budgets=False` tables may exceed budgets, for callers that check them afterwards.
    """

    @cached_property
    def _registrations(self) -> Registrations:
        return Registrations(self)

    @cached_property
    def _network_changes(self) -> NetworkChanges:
        return NetworkChanges(self)

    @cached_property
    def _external_cells(self) -> ExternalCells:
        return ExternalCells(self, self._registrations)

    def apply(self, request: Mapping[str, Any] | Request | Refused) -> Outcome:
        """Carry out one request, or refuse it and change nothing; refuse a request that is invalid."""
        return self._apply(read_or_refusal(request))

    def apply_all(self, requests: Iterable[Mapping[str, Any] | Request]) -> list[Outcome]:
        """Carry out requests in order, with the same result as `apply` for each but in less time.

        Filters are encoded in one call. A run of subscriptions, advertisements and withdrawals propagates its
        changes once, unless budgets need a result for each request.
        """
        outcomes: list[Outcome] = []
        for routine, run in request_runs(requests):
            if not routine:
                outcomes += [self._apply(request) for request in run]
                continue
            with self._encoded(encode_filters(self, run)), self._registrations.together():
                outcomes += [self._apply(request) for request in run]
        return outcomes

    def in_turn(self, requests: Iterable[Mapping[str, Any] | Request]) -> Iterator[Outcome]:
        """Carry out requests in order; yield each outcome after its request is complete.

        The caller can take the diff of each request. This method takes less time than `apply` for each,
        because filters are encoded together.
        """
        for routine, run in request_runs(requests):
            with self._encoded(encode_filters(self, run) if routine else {}):
                for request in run:
                    yield self._apply(request)

    def snapshot(self) -> dict[str, Any]:
        """Return the complete state as JSON, from which `restore` continues."""
        return take_snapshot(self)

    @staticmethod
    def restore(data: Mapping[str, Any]) -> Planner:
        """Return the planner of a snapshot."""
        return restore_planner(Planner, data)

    def copy(self) -> Planner:
        """Return an independent planner in the same state, without the diff that was not taken."""
        return self.restore(self.snapshot())

    def dry_run(
        self,
        requests: Sequence[Mapping[str, Any] | Request],
        look: Callable[[Planner], Any] | None = None,
    ) -> DryRun:
        """Return the outcome of the requests in order, without a change of the planner.

        `look` is called with a planner in the state after the requests. It must not change that planner.
        """
        return dry_run.try_requests(self, requests, look)

    @contextmanager
    def _encoded(self, known: Mapping[tuple[str, str], DzSet]) -> Iterator[None]:
        """Use known dz sets by topic and text; topics must not change during this time."""
        self.known_encodings = known
        try:
            yield
        finally:
            self.known_encodings = {}

    def _apply(self, request: ReadRequest) -> Outcome:
        self.applied += 1
        try:
            match request:
                case Subscribe() | Advertise():
                    return self._registrations.register(request)
                case Unsubscribe() | Unadvertise():
                    return self._registrations.withdraw(request)
                case External():
                    return self._external_cells.apply(request)
                case Refused():
                    return Outcome(ok=False, reason=request)
                case _:
                    return self._change(request)
        except Refused as refused:
            return Outcome(ok=False, reason=refused)
        except RefusedMany as many:
            return Outcome(ok=False, reason=many.errors[0])

    def _change(self, request: NetworkChange | SetAggregation | Aggregate | FinishMove) -> Outcome:
        """Carry out a request that changes the network, its topics or their tables."""
        match request:
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
                return self._network_changes.finish_migration(request)
            case _:
                return self._network_changes.apply(request)
