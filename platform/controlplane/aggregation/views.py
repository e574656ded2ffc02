"""`/api/v1/aggregation/`."""

from typing import Any, ClassVar

from drf_spectacular.utils import OpenApiResponse, extend_schema, extend_schema_view
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from controlplane.accounts.roles import Role
from controlplane.aggregation import policy, questions, runs
from controlplane.aggregation.models import Policy, Run, RunState
from controlplane.aggregation.serializers import (
    RUNS,
    PolicyChangeSerializer,
    PolicySerializer,
    RunCreateSerializer,
    RunSerializer,
    WhatIfAnswerSerializer,
    WhatIfSerializer,
)
from controlplane.api.bodies import read_one
from controlplane.api.prefer import Wait
from controlplane.api.query import ID, TEXT, TIME, Filter, choice, read_id
from controlplane.api.schema import DRY_RUN, PREFER, WRITE
from controlplane.api.views import ListAndRead, Resource, StrictView, WriteOptions, url
from controlplane.control.answers import ACCEPTED, accepted, cost_answer

RUN_ACCEPTED = OpenApiResponse(RunSerializer, "Asked for; `Location` names the run.")


class PolicyViewSet(Resource):
    """The network's policy of aggregation."""

    queryset = Policy.objects.all()
    serializer_class = PolicySerializer
    noun = "policy"
    pagination_class = None
    filter_backends: ClassVar[tuple[()]] = ()  # type: ignore[assignment]

    def lists(self) -> bool:
        """It is one object, without pages."""
        return False

    @extend_schema(operation_id="aggregation_read", tags=["aggregation"], responses=PolicySerializer)
    def list(self, request: Request) -> Response:
        """The policy as it is."""
        return Response(PolicySerializer(policy.standing()).data)

    @extend_schema(
        operation_id="aggregation_update",
        tags=["aggregation"],
        request=PolicyChangeSerializer,
        responses={202: ACCEPTED, 200: PolicySerializer},
        parameters=[*WRITE],
    )
    def partial_update(self, request: Request) -> Response:
        """Change it; the method is the network's, and logged (202), the rest is done at once (200)."""
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
class RunViewSet(ListAndRead):
    """Runs: computations of covers, and what became of them."""

    queryset = Run.objects.all()
    serializer_class = RunSerializer
    noun = "run"
    write_parameters: ClassVar[frozenset[str]] = frozenset({"dry_run"})
    filters = (
        ID,
        Filter("state", "state", choice(*RunState.values), ("in",)),
        Filter("trigger", "trigger", TEXT, ("in",)),
        Filter("created_at", "created_at", TIME, ("gte", "lte")),
    )

    def retrieve(self, request: Request, pk: str) -> Response:
        """One run; `Prefer: wait=N` waits for its end."""
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
        """Work out covers for the network as it is, and install them."""
        options = WriteOptions.read(request)
        values = read_one(request, RunCreateSerializer())
        method, sampling = values.get("method"), values.get("sampling")
        if options.dry_run:
            return Response(questions.ask(*runs.terms(method, sampling), {}, {}))
        return self._accepted(options.wait, runs.ask(method, sampling, request.user))

    @extend_schema(
        operation_id="runs_revert",
        tags=["aggregation"],
        request=None,
        responses={202: RUN_ACCEPTED},
        parameters=[PREFER],
    )
    def revert(self, request: Request, pk: str) -> Response:
        """Install the covers that were there before a run."""
        wait = Wait.read(request)
        return self._accepted(wait, runs.revert(read_id(pk), request.user))

    def _accepted(self, wait: Wait, run: Run) -> Response:
        wait.until(lambda: runs.is_over(run.pk))
        body: Any = self.rendered(Run.objects.get(pk=run.pk))
        headers = {"Location": url(RUNS, run.pk), **wait.headers}
        return Response(body, status.HTTP_202_ACCEPTED, headers=headers)


class WhatIfView(StrictView):
    """What other budgets and methods would bring."""

    bulk = True  # it takes as many bytes
    write_role = Role.VIEWER

    @extend_schema(
        operation_id="what_if",
        tags=["aggregation"],
        request=WhatIfSerializer,
        responses={200: WhatIfAnswerSerializer},
    )
    def post(self, request: Request) -> Response:
        """Entries and false positives, per switch and network-wide; nothing is touched."""
        return Response(questions.what_if(request))
