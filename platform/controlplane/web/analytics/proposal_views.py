"""Views of `/api/v1/analytics/proposals/`."""

from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from controlplane.analytics.dimensions import apply as applying
from controlplane.analytics.dimensions import propose
from controlplane.analytics.dimensions.models import Proposal, ProposalMethod, ProposalTrigger
from controlplane.registry import topics
from controlplane.rest.base_views import ListAndRead, url
from controlplane.rest.openapi import PREFER
from controlplane.rest.prefer_header import Wait
from controlplane.rest.query_parameters import ID, TEXT, TIME, QueryFilterField, choice, read_id
from controlplane.rest.request_body import Errors, read_one
from controlplane.web.analytics.proposal_serializers import ProposalCreateSerializer, ProposalSerializer
from controlplane.web.requests.accepted_responses import ACCEPTED, accepted
from tercast.errors import shown


@extend_schema_view(
    list=extend_schema(operation_id="analytics_proposals_list", tags=["analytics"]),
    retrieve=extend_schema(operation_id="analytics_proposals_read", tags=["analytics"]),
)
class ProposalViewSet(ListAndRead):
    """Proposals of the attributes that a topic should index."""

    queryset = Proposal.objects.select_related("topic", "request", "undoing")
    serializer_class = ProposalSerializer
    noun = "proposal"
    filters = (
        ID,
        QueryFilterField("topic", "topic__name", TEXT, ("in",)),
        QueryFilterField("method", "method", choice(*ProposalMethod.values), ("in",)),
        QueryFilterField("trigger", "trigger", choice(*ProposalTrigger.values), ("in",)),
        QueryFilterField("created_at", "created_at", TIME, ("gte", "lte")),
    )
    search = ("topic__name", "method")

    @extend_schema(
        operation_id="analytics_proposals_create",
        tags=["analytics"],
        request=ProposalCreateSerializer,
        responses={201: ProposalSerializer},
    )
    def create(self, request: Request) -> Response:
        """Compute a proposal from the samples and subscriptions of a topic. Nothing changes."""
        name = read_one(request, ProposalCreateSerializer())["topic"]
        topic = topics.visible().filter(name=name).first()
        if topic is None:
            errors = Errors()
            detail = f"There is no topic {shown(name)}. GET /api/v1/topics/ lists all topics."
            errors.add(0, ("topic",), "unknown_topic", detail, name)
            errors.check()
        row = propose.compute(topic, ProposalTrigger.OPERATOR, request.user)
        headers = {"Location": url("analytics/proposals", row.pk)}
        return Response(self.rendered(row), status.HTTP_201_CREATED, headers=headers)

    @extend_schema(
        operation_id="analytics_proposals_apply",
        tags=["analytics"],
        request=None,
        responses={202: ACCEPTED},
        parameters=[PREFER],
    )
    def apply(self, request: Request, pk: str) -> Response:
        """Index the proposed attributes. The new encoding is deployed first, then publishers use it."""
        wait = Wait.read(request)
        self.find()
        return accepted(wait, applying.apply(read_id(pk), request.user))

    @extend_schema(
        operation_id="analytics_proposals_revert",
        tags=["analytics"],
        request=None,
        responses={202: ACCEPTED},
        parameters=[PREFER],
    )
    def revert(self, request: Request, pk: str) -> Response:
        """Index the attributes from before the proposal."""
        wait = Wait.read(request)
        self.find()
        return accepted(wait, applying.revert(read_id(pk), request.user))
