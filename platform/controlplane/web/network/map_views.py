"""Views of `/api/v1/topology/` and `/api/v1/topology/layout/`."""

import hashlib

from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import status
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from controlplane.network.map import placement
from controlplane.network.map.topology import topology
from controlplane.rest.base_views import StrictView
from controlplane.rest.query_parameters import read_flag
from controlplane.rest.request_body import read_one
from controlplane.web.network.map_serializers import LaidOutSerializer, LayoutSerializer, TopologySerializer


class TopologyView(StrictView):
    """Topology of the whole network in one answer."""

    def known_parameters(self) -> tuple[str, ...]:
        """Return the names of the query parameters."""
        return ("load",)

    @extend_schema(
        operation_id="topology",
        tags=["topology"],
        responses={
            200: TopologySerializer,
            304: OpenApiResponse(
                description="The topology has not changed since the version in `If-None-Match`."
            ),
        },
        parameters=[
            OpenApiParameter(
                "load", bool, description="whether to include the load of links (default: true)"
            ),
            OpenApiParameter(
                "If-None-Match", str, OpenApiParameter.HEADER, description="`ETag` of an earlier answer"
            ),
        ],
    )
    def get(self, request: Request) -> Response:
        """Return switches with positions and tables, links with their load, and hosts."""
        found = topology(read_flag("load", request.query_params.get("load", "true")))
        tag = f'"{hashlib.sha256(JSONRenderer().render(found)).hexdigest()[:32]}"'
        headers = {"ETag": tag, "Cache-Control": "private, no-cache"}
        if tag in request.headers.get("If-None-Match", ""):
            return Response(status=status.HTTP_304_NOT_MODIFIED, headers=headers)
        return Response(found, headers=headers)


class LayoutView(StrictView):
    """Positions of switches on the map."""

    @extend_schema(
        operation_id="topology_layout",
        tags=["topology"],
        request=LayoutSerializer,
        responses={200: LaidOutSerializer},
    )
    def post(self, request: Request) -> Response:
        """Calculate positions again, except those set by operators, unless `moved_too` is true."""
        values = read_one(request, LayoutSerializer())
        return Response({"placed": placement.place_again(values["moved_too"])})
