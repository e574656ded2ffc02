"""Views of `/api/v1/` switches, links and hosts."""

from collections.abc import Callable
from typing import Any, ClassVar

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from drf_spectacular.utils import (
    OpenApiResponse,
    PolymorphicProxySerializer,
    extend_schema,
    extend_schema_view,
)
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from controlplane.accounts.callers import Client
from controlplane.network import hosts, links, services, switches
from controlplane.network.map import placement
from controlplane.network.map.switch_changes import change_switch
from controlplane.network.models import Host, InstalledEntry, Link, Switch
from controlplane.requestlog.logged_rows import Payload
from controlplane.rest.base_views import ListAndRead, WriteOptions
from controlplane.rest.openapi import BULK_WRITE, WRITE
from controlplane.rest.permissions import BOTH_READ
from controlplane.rest.query_parameters import FLAG, ID, INTEGER, TEXT, TIME, QueryFilterField, read_id
from controlplane.rest.request_body import Body, read_body, report_refused
from controlplane.telemetry.activity.delivery_counts import of_hosts
from controlplane.web.network.host_serializers import (
    HostChangeSerializer,
    HostCreateSerializer,
    HostSerializer,
)
from controlplane.web.network.link_serializers import (
    LinkChangeSerializer,
    LinkCreateSerializer,
    LinkSerializer,
)
from controlplane.web.network.serializers import (
    SwitchChangeSerializer,
    SwitchCreateSerializer,
    SwitchSerializer,
)
from controlplane.web.requests.accepted_responses import ACCEPTED, ACCEPTED_ANY, COST, accepted, cost_answer

CREATED = QueryFilterField("created_at", "created_at", TIME, ("gte", "lte"))
NAME = QueryFilterField("name", "name", TEXT, ("in",))
GONE_AT_ONCE = OpenApiResponse(description="Removed; the object was never part of the network.")
ChangeFunction = Callable[[int, dict[str, Any], Any], tuple[Any, Any]]


class NetworkViewSet(ListAndRead):
    """Base of switches, links and hosts."""

    kind: ClassVar[services.ObjectKind]
    create_serializer: ClassVar[type[serializers.Serializer[Any]]]
    change_serializer: ClassVar[type[serializers.Serializer[Any]]]
    bulk = True

    def change(self, pk: int, values: dict[str, Any], actor: Any) -> tuple[Any, Any]:
        """Change the row, and return it with the logged request, or None if none was needed."""
        raise NotImplementedError

    def change_payload(self, row: Any, values: dict[str, Any]) -> Payload | None:
        """Return the request that a change needs, None if it needs none."""
        raise NotImplementedError

    def create(self, request: Request) -> Response:
        """Add one object or a list: all or none, or with `atomic=false` only the valid items."""
        options = WriteOptions.read(request, lists=True)
        body = read_body(request, self.create_serializer(), bulk=True, partly=options.partly)
        if options.dry_run:
            answer = cost_answer(services.draft_payloads(self.kind, body))
            report_refused(answer.data, body)
            return answer
        return accepted(options.wait, services.add(self.kind, body, request.user))

    def partial_update(self, request: Request, pk: str) -> Response:
        """Change an object. Changes of the network are requests (202); others apply now (200)."""
        options = WriteOptions.read(request)
        values = self._read_change(request)
        if options.dry_run:
            asked = self.change_payload(services.find(self.kind, read_id(pk)), values)
            return cost_answer([asked] if asked else [], items=1)
        _, logged = self.change(read_id(pk), values, request.user)
        return accepted(options.wait, logged) if logged else Response(self.rendered(self.find()))

    def _read_change(self, request: Request) -> dict[str, Any]:
        body = read_body(request, self.change_serializer(partial=True))
        self.check_change(body)
        body.errors.check()
        return body.items[0]

    def check_change(self, body: Body) -> None:
        """Add the errors of a change that can be found without its object."""

    def destroy(self, request: Request, pk: str) -> Response:
        """Remove an object: 409 while it is in use; 204 if the network never had it."""
        options = WriteOptions.read(request)
        if options.dry_run:
            row = services.removable(self.kind, read_id(pk))
            return cost_answer([self.kind.removal(row)], removed=row)
        logged = services.remove(self.kind, read_id(pk), request.user)
        return accepted(options.wait, logged) if logged else Response(status=status.HTTP_204_NO_CONTENT)


def _network_schema(name: str, read: Any, create: Any, change: Any) -> Any:
    tags = [name]
    unlogged = PolymorphicProxySerializer(f"{name.title()}ChangedOrCost", [read, COST], None)
    return extend_schema_view(
        list=extend_schema(operation_id=f"{name}_list", tags=tags),
        retrieve=extend_schema(operation_id=f"{name}_read", tags=tags),
        create=extend_schema(
            operation_id=f"{name}_create",
            tags=tags,
            request=create,
            responses={202: ACCEPTED_ANY, 200: COST},
            parameters=[*BULK_WRITE],
        ),
        partial_update=extend_schema(
            operation_id=f"{name}_update",
            tags=tags,
            request=change,
            responses={202: ACCEPTED, 200: unlogged},
            parameters=[*WRITE],
        ),
        destroy=extend_schema(
            operation_id=f"{name}_delete",
            tags=tags,
            request=None,
            responses={202: ACCEPTED, 204: GONE_AT_ONCE, 200: COST},
            parameters=[*WRITE],
        ),
    )


def with_entry_count() -> QuerySet[Switch]:
    """Return switches with the number of their installed entries."""
    rows = InstalledEntry.objects.filter(switch=OuterRef("pk")).order_by().values("switch")
    counts = rows.annotate(n=Count("id")).values("n")
    return Switch.objects.annotate(entry_count=Coalesce(Subquery(counts), 0))


@_network_schema("switches", SwitchSerializer, SwitchCreateSerializer, SwitchChangeSerializer)
class SwitchViewSet(NetworkViewSet):
    """Switches, with their ports and TCAM budgets."""

    queryset = with_entry_count().select_related("place").prefetch_related("ports")
    serializer_class = SwitchSerializer
    create_serializer = SwitchCreateSerializer
    change_serializer = SwitchChangeSerializer
    kind = switches.KIND
    noun = "switch"
    filters = (
        ID,
        NAME,
        QueryFilterField("dpid", "dpid", TEXT, ("in",)),
        QueryFilterField("up", "up", FLAG),
        QueryFilterField("connected", "connected", FLAG),
        QueryFilterField("tcam_budget", "tcam_budget", INTEGER, ("gte", "lte")),
        CREATED,
    )
    search = ("name", "label", "dpid")
    orderings = ("id", "name")

    change = staticmethod(change_switch)
    change_payload = staticmethod(switches.change_payload)

    def get_queryset(self) -> QuerySet[Switch]:
        """Return switches, after a position is set for those without one."""
        placement.ensure()
        return super().get_queryset()


@_network_schema("links", LinkSerializer, LinkCreateSerializer, LinkChangeSerializer)
class LinkViewSet(NetworkViewSet):
    """Links between switches."""

    queryset = Link.objects.select_related("a", "b")
    serializer_class = LinkSerializer
    create_serializer = LinkCreateSerializer
    change_serializer = LinkChangeSerializer
    kind = links.KIND
    noun = "link"
    filters = (
        ID,
        QueryFilterField("a", "a__name", TEXT, ("in",)),
        QueryFilterField("b", "b__name", TEXT, ("in",)),
        QueryFilterField("up", "up", FLAG),
        QueryFilterField("cost", "cost", INTEGER, ("gte", "lte")),
        CREATED,
    )
    search = ("a__name", "b__name")

    change = staticmethod(links.change)
    change_payload = staticmethod(links.change_payload)


@_network_schema("hosts", HostSerializer, HostCreateSerializer, HostChangeSerializer)
class HostViewSet(NetworkViewSet):
    """Hosts, with their switch ports."""

    queryset = Host.objects.select_related("switch", "signals")
    serializer_class = HostSerializer
    create_serializer = HostCreateSerializer
    change_serializer = HostChangeSerializer
    kind = hosts.KIND
    noun = "host"
    clients = BOTH_READ
    filters = (
        ID,
        NAME,
        QueryFilterField("switch", "switch__name", TEXT, ("in",)),
        QueryFilterField("port", "port", INTEGER),
        QueryFilterField("mac", "mac", TEXT, ("in",)),
        CREATED,
    )
    search = ("name", "switch__name", "ip", "mac")
    orderings = ("id", "name")

    def rendered(self, rows: Any, many: bool = False) -> Any:
        """Return hosts with the numbers of delivered events."""
        arrivals = of_hosts(row.pk for row in (rows if many else [rows]))
        context = {**self.get_serializer_context(), "arrivals": arrivals}
        return self.serializer_class(rows, many=many, context=context).data

    def own(self, client: Client) -> Q:
        """Return the condition for the client's host."""
        return Q(pk=client.host_id)

    check_change = staticmethod(hosts.check_change)
    change = staticmethod(hosts.change)
    change_payload = staticmethod(hosts.change_payload)
