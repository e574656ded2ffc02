"""Views of `/api/v1/tables/` and `/api/v1/trees/`."""

from collections.abc import Iterable
from typing import Any

from drf_spectacular.utils import (
    OpenApiParameter,
    extend_schema,
    extend_schema_view,
)
from rest_framework.request import Request
from rest_framework.response import Response

from controlplane.common.problems import bad_parameter, no_such
from controlplane.explain.entry_meaning import DZ, DzOverlapFilter, TopicNameFilter, with_topics
from controlplane.network.entry_counters import counters
from controlplane.network.models import InstalledEntry, Switch, Tree
from controlplane.rest.base_views import ListAndRead, Resource, StrictView
from controlplane.rest.csv_export import export, in_csv
from controlplane.rest.query_parameters import ID, INTEGER, TEXT, QueryFilterField, read_id
from controlplane.web.network.table_serializers import (
    EntryCountersSerializer,
    EntrySerializer,
    TableSerializer,
    TreeSerializer,
)
from controlplane.web.network.views import NAME, with_entry_count


@extend_schema_view(
    list=extend_schema(operation_id="tables_list", tags=["tables"]),
    retrieve=extend_schema(operation_id="tables_read", tags=["tables"]),
)
class TableViewSet(ListAndRead):
    """Tables of the switches, as the switches confirmed them. A table has the id of its switch."""

    queryset = with_entry_count()
    serializer_class = TableSerializer
    noun = "table"
    filters = (ID, QueryFilterField("switch", "name", TEXT, ("in",)))
    search = ("name",)


@extend_schema_view(list=extend_schema(operation_id="tables_entries", tags=["tables"]))
class TableEntriesViewSet(Resource):
    """Content entries of a table."""

    queryset = InstalledEntry.objects.all()
    serializer_class = EntrySerializer
    noun = "table"
    search = ("dst",)
    csv = True
    filters = (
        QueryFilterField("dst", "dst", TEXT, ("in",)),
        TopicNameFilter("topic", "code", TEXT),
        DzOverlapFilter(
            "dz", "dz", DZ, words="only entries whose dz overlaps this dz: one of them begins with the other"
        ),
        QueryFilterField("in_port", "in_port", INTEGER),
        QueryFilterField("priority", "priority", INTEGER, ("gte", "lte")),
    )

    def rendered(self, rows: Any, many: bool = False) -> Any:
        """Return entries with their topics."""
        return super().rendered(with_topics(rows or []), many)

    def list(self, request: Request, pk: str) -> Any:
        """Return a page of the entries that the switch has confirmed."""
        switch = self.find(Switch.objects.all())
        found = self.filter_queryset(self.get_queryset().filter(switch=switch))
        if in_csv(request):
            return export(self, request, found, f"entries-{switch.name}")
        return self.get_paginated_response(self.rendered(self.paginate_queryset(found), many=True))


class EntryCountersView(StrictView):
    """Counters of table entries."""

    def known_parameters(self) -> Iterable[str]:
        """Return the name of the query parameter that selects entries."""
        return ("id__in",)

    @extend_schema(
        operation_id="tables_counters",
        tags=["tables"],
        responses=EntryCountersSerializer,
        parameters=[
            OpenApiParameter(
                "id__in",
                str,
                required=True,
                description="ids of entries of the table, separated by commas, at most 100",
            )
        ],
    )
    def get(self, request: Request, pk: str) -> Response:
        """Return packets and bytes of some entries, read from the switch at most 5 s ago."""
        switch = Switch.objects.filter(pk=read_id(pk)).first()
        if switch is None:
            raise no_such("table", pk)
        if "id__in" not in request.query_params:
            detail = "id__in is missing. Give the ids of table entries, separated by commas."
            raise bad_parameter("id__in", "required", detail)
        meant = ID.condition("id__in", "in", request.query_params["id__in"])
        rows = InstalledEntry.objects.filter(meant, switch=switch).only("pk", "dst", "in_port").order_by("pk")
        return Response(EntryCountersSerializer(counters(switch, rows)).data)


@extend_schema_view(
    list=extend_schema(operation_id="trees_list", tags=["trees"]),
    retrieve=extend_schema(operation_id="trees_read", tags=["trees"]),
)
class TreeViewSet(ListAndRead):
    """Trees that carry the topics."""

    queryset = Tree.objects.select_related("topic", "root")
    serializer_class = TreeSerializer
    noun = "tree"
    filters = (
        ID,
        NAME,
        QueryFilterField("topic", "topic__name", TEXT, ("in",)),
        QueryFilterField("root", "root__name", TEXT, ("in",)),
    )
    search = ("name", "topic__name", "root__name")
