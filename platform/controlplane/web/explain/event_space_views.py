"""`/api/v1/topics/<id>/space/`."""

from collections.abc import Mapping

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from controlplane.common.problems import bad_parameter, not_found
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
    """What lies where in the event space of a topic."""

    def known_parameters(self) -> tuple[str, ...]:
        """What the question may say."""
        return ("x", "y", "limit")

    @extend_schema(
        operation_id="topics_space",
        tags=["topics"],
        responses=SpaceSerializer,
        parameters=[
            OpenApiParameter("x", str, description="an attribute; default: the first indexed one"),
            OpenApiParameter("y", str, description="another; default: the next indexed one, or any"),
            OpenApiParameter(
                "limit",
                int,
                description=f"of each kind, the newest; at most {MAX_LIMIT}, default {DEFAULT_LIMIT}",
            ),
        ],
    )
    def get(self, request: Request, pk: str) -> Response:
        """Advertisements, subscriptions, dz cells and recent events over two attributes."""
        row = topics.visible().select_related("reindexing").filter(pk=read_id(pk)).first()
        if row is None:
            raise not_found(f"There is no topic {pk}.")
        query = request.query_params
        limit = read_integer("limit", query.get("limit", str(DEFAULT_LIMIT)), 1, MAX_LIMIT)
        return Response(picture(row, *_axes(row, query), limit))


def _axes(row: Topic, query: Mapping[str, str]) -> tuple[str, str | None]:
    """The two attributes; raises `Problem` for one that there is not, or twice the same."""
    names = [attribute["name"] for attribute in row.attributes]
    for axis in ("x", "y"):
        if axis in query and query[axis] not in names:
            detail = f"{axis}={shown(query[axis])}: topic {row.name} has the attributes {', '.join(names)}."
            raise bad_parameter(axis, "unknown_attribute", detail, query[axis])
    given = [query[axis] for axis in ("x", "y") if axis in query]
    if len(given) == 2 and given[0] == given[1]:
        raise bad_parameter("y", "repeated", f"x and y are both {shown(given[0])}. Choose two attributes.")
    free = [name for name in dict.fromkeys((*row.indexed, *names)) if name not in given]
    x = query["x"] if "x" in query else free.pop(0) if free else ""
    y = query["y"] if "y" in query else free.pop(0) if free else None
    return (x, y) if x else (y or "", None)
