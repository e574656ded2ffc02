"""Views of `/api/v1/aggregation/`."""

from typing import Any, ClassVar

from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema, extend_schema_view
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from controlplane.accounts.roles import Role
from controlplane.aggregation import policy, runs
from controlplane.aggregation.models import AggregatedEntry, AggregationRunState, Policy, Run
from controlplane.common.problems import not_found
from controlplane.network.models import Switch
from controlplane.registry.models import Subscription
from controlplane.rest.base_views import ListAndRead, Resource, Single, StrictView, WriteOptions, url
from controlplane.rest.openapi import DRY_RUN, PREFER, WRITE
from controlplane.rest.prefer_header import Awaited, Wait
from controlplane.rest.query_parameters import ID, INTEGER, TEXT, TIME, QueryFilterField, choice, read_id
from controlplane.rest.request_body import read_one
from controlplane.web.aggregation import what_if
from controlplane.web.aggregation.entry_serializers import AggregatedEntrySerializer, StandsForSerializer
from controlplane.web.aggregation.serializers import (
    RUNS,
    CurveSerializer,
    PolicyChangeSerializer,
    PolicySerializer,
    RunCreateSerializer,
    RunSerializer,
    WhatIfAnswerSerializer,
    WhatIfSerializer,
)
from controlplane.web.requests.accepted_responses import ACCEPTED, accepted, cost_answer

RUN_ACCEPTED = OpenApiResponse(RunSerializer, "Accepted; `Location` is the address of the run.")


class PolicyViewSet(Single):
    """Aggregation policy of the network."""

    queryset = Policy.objects.all()
    serializer_class = PolicySerializer
    noun = "policy"

    def rendered(self, rows: Any, many: bool = False) -> Any:
        """Return the policy with the state that its row does not contain."""
        return PolicySerializer(policy.read_policy_status()).data

    @extend_schema(operation_id="aggregation_read", tags=["aggregation"], responses=PolicySerializer)
    def list(self, request: Request) -> Response:
        """Return the aggregation policy."""
        return Response(self.rendered(self.find()))

    @extend_schema(
        operation_id="aggregation_update",
        tags=["aggregation"],
        request=PolicyChangeSerializer,
        responses={202: ACCEPTED, 200: PolicySerializer},
        parameters=[*WRITE],
    )
    def partial_update(self, request: Request) -> Response:
        """Change the policy. A change of the method is a request (202); all else applies now (200)."""
        options = WriteOptions.read(request)
        values = read_one(request, PolicyChangeSerializer(partial=True))
        if options.dry_run:
            asked = policy.payload(values)
            return cost_answer([asked] if asked else [], items=1)
        logged = policy.change(values, request.user)
        return accepted(options.wait, logged) if logged else self.list(request)


@extend_schema_view(
    list=extend_schema(operation_id="runs_list", tags=["aggregation"]),
    retrieve=extend_schema(operation_id="runs_read", tags=["aggregation"], parameters=[PREFER]),
)
class AggregationRunViewSet(ListAndRead):
    """Runs that calculate merged entries, with their results."""

    queryset = Run.objects.all()
    serializer_class = RunSerializer
    noun = "run"
    write_parameters: ClassVar[frozenset[str]] = frozenset({"dry_run"})
    filters = (
        ID,
        QueryFilterField("state", "state", choice(*AggregationRunState.values), ("in",)),
        QueryFilterField("trigger", "trigger", TEXT, ("in",)),
        QueryFilterField("created_at", "created_at", TIME, ("gte", "lte")),
    )

    def retrieve(self, request: Request, pk: str) -> Response:
        """Return one run. `Prefer: wait=N` waits for its end."""
        wait = Wait.read(request)
        row = self.find()
        wait.until(lambda: runs.is_over(row.pk))
        return Response(self.rendered(self.find()), headers=wait.headers)

    @extend_schema(
        operation_id="runs_create",
        tags=["aggregation"],
        request=RunCreateSerializer,
        responses={202: RUN_ACCEPTED, 200: WhatIfAnswerSerializer},
        parameters=[DRY_RUN, PREFER],
    )
    def create(self, request: Request) -> Response:
        """Calculate merged entries for the present network, and install them."""
        options = WriteOptions.read(request)
        values = read_one(request, RunCreateSerializer())
        method, sampling = values.get("method"), values.get("sampling")
        if options.dry_run:
            return Response(what_if.answer_question(*runs.terms(method, sampling), {}, {}))
        return self._accepted(options.wait, runs.request_run(method, sampling, request.user))

    @extend_schema(
        operation_id="runs_revert",
        tags=["aggregation"],
        request=None,
        responses={202: RUN_ACCEPTED},
        parameters=[PREFER],
    )
    def revert(self, request: Request, pk: str) -> Response:
        """Install the merged entries from before a run."""
        wait = Wait.read(request)
        return self._accepted(wait, runs.revert(read_id(pk), request.user))

    def _accepted(self, wait: Wait, run: Run) -> Response:
        return Awaited(wait, lambda: runs.is_over(run.pk), lambda: self._run_response(run.pk))

    def _run_response(self, pk: int) -> Response:
        body: Any = self.rendered(Run.objects.get(pk=pk))
        return Response(body, status.HTTP_202_ACCEPTED, headers={"Location": url(RUNS, pk)})


class WhatIfView(StrictView):
    """Question about other budgets and methods."""

    audited = keyed = False
    bulk = True  # accept as many bytes as for lists
    write_role = Role.VIEWER

    @extend_schema(
        operation_id="what_if",
        tags=["aggregation"],
        request=WhatIfSerializer,
        responses={200: WhatIfAnswerSerializer},
    )
    def post(self, request: Request) -> Response:
        """Calculate entries and false positives, by switch and network-wide. Nothing changes."""
        return Response(what_if.what_if(request))


@extend_schema_view(list=extend_schema(operation_id="aggregated_list", tags=["aggregation"]))
class AggregatedViewSet(Resource):
    """Merged entries of a switch."""

    queryset = AggregatedEntry.objects.all()
    serializer_class = AggregatedEntrySerializer
    noun = "switch"
    filters = (
        QueryFilterField("topic", "topic", TEXT, ("in",)),
        QueryFilterField("in_port", "in_port", INTEGER),
        QueryFilterField("dz", "dz", TEXT),
    )

    def list(self, request: Request, pk: str) -> Response:
        """Return a page of merged entries after the last request, with the newest measurement."""
        switch = self.find(Switch.objects.all())
        rows = self.paginate_queryset(self.filter_queryset(self.get_queryset().filter(switch=switch)))
        return self.get_paginated_response(self.rendered(rows or [], many=True))


@extend_schema_view(list=extend_schema(operation_id="aggregated_subscriptions", tags=["aggregation"]))
class StandsForViewSet(Resource):
    """Subscriptions that a merged entry serves."""

    queryset = Subscription.objects.select_related("subscriber")
    serializer_class = StandsForSerializer
    noun = "entry"

    def list(self, request: Request, pk: str, entry: str) -> Response:
        """Return a page of the subscriptions that a merged entry serves."""
        row = AggregatedEntry.objects.filter(switch=read_id(pk), pk=read_id(entry)).first()
        if row is None:
            detail = (
                f"Switch {pk} has no merged entry {entry}. A changed entry gets a new id; "
                "read the list of merged entries again."
            )
            raise not_found(detail)
        found = self.get_queryset().filter(pk__in=row.subscriptions)
        rows = self.paginate_queryset(self.filter_queryset(found))
        return self.get_paginated_response(self.rendered(rows or [], many=True))


class BudgetCurveView(StrictView):
    """False positives as a function of a switch's budget."""

    def known_parameters(self) -> tuple[str, ...]:
        """Return the names of the query parameters."""
        return ("method", "budgets")

    @extend_schema(
        operation_id="budget_curve",
        tags=["aggregation"],
        responses={200: CurveSerializer},
        parameters=[
            OpenApiParameter(
                "method", str, enum=policy.RUNNING_METHODS, description="method; default: policy's"
            ),
            OpenApiParameter("budgets", str, description="budgets in entries, separated by commas"),
        ],
    )
    def get(self, request: Request, pk: str) -> Response:
        """Calculate false positives from the stored samples, with all other switches unchanged."""
        return Response(what_if.budget_curve(read_id(pk), request.query_params))
