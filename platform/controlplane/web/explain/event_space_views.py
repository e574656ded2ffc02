"""View of `/api/v1/topics/<id>/space/`."""

from collections.abc import Mapping

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from controlplane.common.problems import bad_parameter, no_such
from controlplane.explain.event_space.view import picture
from controlplane.registry import topics
from controlplane.registry.models import Topic
from controlplane.rest.base_views import StrictView
from controlplane.rest.query_parameters import read_id, read_integer
from controlplane.web.explain.event_space_serializers import SpaceSerializer
from tercast.errors import shown

DEFAULT_LIMIT = 200
MAX_LIMIT = 1000


class SpaceView(StrictView):
    """Projection of a topic's event space."""

    def known_parameters(self) -> tuple[str, ...]:
        """Return the names of the query parameters."""
        return ("x", "y", "limit")

    @extend_schema(
        operation_id="topics_space",
        tags=["topics"],
        responses=SpaceSerializer,
        parameters=[
            OpenApiParameter("x", str, description="attribute of the x axis; default: first indexed one"),
            OpenApiParameter(
                "y", str, description="attribute of the y axis; default: next indexed one, or any"
            ),
            OpenApiParameter(
                "limit",
                int,
                description=f"newest objects of each kind: at most {MAX_LIMIT}, by default {DEFAULT_LIMIT}",
            ),
        ],
    )
    def get(self, request: Request, pk: str) -> Response:
        """Project advertisements, subscriptions, dz cells and recent events onto two attributes."""
        row = topics.visible().select_related("reindexing").filter(pk=read_id(pk)).first()
        if row is None:
            raise no_such("topic", pk)
        query = request.query_params
        limit = read_integer("limit", query.get("limit", str(DEFAULT_LIMIT)), 1, MAX_LIMIT)
        return Response(picture(row, *_axes(row, query), limit))


def _axes(row: Topic, query: Mapping[str, str]) -> tuple[str, str | None]:
    """Return the two attributes; raise `Problem` if one is unknown, or if both are equal."""
    names = [attribute["name"] for attribute in row.attributes]
    for axis in ("x", "y"):
        if axis in query and query[axis] not in names:
            known = ", ".join(names)
            detail = (
                f"{axis}={shown(query[axis])} is not an attribute of topic {row.name}; use one of {known}."
            )
            raise bad_parameter(axis, "unknown_attribute", detail, query[axis])
    given = [query[axis] for axis in ("x", "y") if axis in query]
    if len(given) == 2 and given[0] == given[1]:
        detail = f"x and y are both {shown(given[0])}. Use two different attributes."
        raise bad_parameter("y", "repeated", detail)
    free = [name for name in dict.fromkeys((*row.indexed, *names)) if name not in given]
    x = query["x"] if "x" in query else free.pop(0) if free else ""
    y = query["y"] if "y" in query else free.pop(0) if free else None
    return (x, y) if x else (y or "", None)
