"""Views of `/api/v1/` publishers, subscribers, advertisements and subscriptions."""

from typing import Any, ClassVar

from django.db.models import Q
from drf_spectacular.utils import (
    OpenApiResponse,
    PolymorphicProxySerializer,
    extend_schema,
    extend_schema_view,
)
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from controlplane.accounts.callers import PUBLISHER, SUBSCRIBER, Client, caller_of
from controlplane.explain.call_cost import Encodings, ItemEncoding
from controlplane.registry import announcement_kinds, announcements, participants
from controlplane.registry.duplicates import without_duplicates
from controlplane.registry.missing_path_text import REACHES
from controlplane.registry.models import Advertisement, Publisher, Subscriber, Subscription
from controlplane.requestlog.models import State
from controlplane.rest.base_views import ListAndRead, WriteOptions, url
from controlplane.rest.list_bodies import CsvParser
from controlplane.rest.openapi import ATOMIC, BULK_WRITE, DRY_RUN, PARTLY, WRITE
from controlplane.rest.permissions import GET, Clients
from controlplane.rest.query_parameters import (
    FLAG,
    ID,
    TEXT,
    TIME,
    QueryFilterField,
    choice,
    read_id,
)
from controlplane.rest.request_body import MAX_ITEMS, Body, check_owner, read_body, report_refused, taking
from controlplane.rest.strict_json import MAX_BULK_BYTES, StrictJSONParser
from controlplane.telemetry.activity import delivery_counts
from controlplane.web.registry.serializers import (
    AdvertisementCreateSerializer,
    AdvertisementSerializer,
    CreatedManySerializer,
    PublisherCreateSerializer,
    PublisherSerializer,
    SubscriberCreateSerializer,
    SubscriberSerializer,
    SubscriptionCreateSerializer,
    SubscriptionSerializer,
)
from controlplane.web.requests.accepted_responses import ACCEPTED, ACCEPTED_ANY, COST, accepted, cost_answer

ALL_OF_OWN = frozenset({"GET", "POST", "DELETE"})
NAME = QueryFilterField("name", "name", TEXT, ("in",))
CREATED = QueryFilterField("created_at", "created_at", TIME, ("gte", "lte"))
GONE = OpenApiResponse(description="The object is deleted.")
GONE_AT_ONCE = OpenApiResponse(description="Removed; the object was never part of the network.")


class _FromFiles(ListAndRead):
    """Base of lists that are read and written as JSON or CSV."""

    bulk = True
    csv = True
    parser_classes = (StrictJSONParser, CsvParser)
    max_bytes: ClassVar[int] = MAX_BULK_BYTES
    max_items: ClassVar[int] = MAX_ITEMS


class ParticipantViewSet(_FromFiles):
    """Base of publishers and subscribers."""

    kind: ClassVar[participants.ParticipantKind]
    create_serializer: ClassVar[type[serializers.Serializer[Any]]]
    filters = (ID, NAME, QueryFilterField("host", "host__name", TEXT, ("in",)), CREATED)
    search = ("name", "host__name")
    orderings = ("id", "name")

    def own(self, client: Client) -> Q:
        """Return the condition for the client itself."""
        return Q(pk=client.pk)

    def rendered(self, rows: Any, many: bool = False) -> Any:
        """Return publishers or subscribers with their reported events."""
        found = delivery_counts.of_owners(self.kind.noun, rows if many else [rows])
        context = {**self.get_serializer_context(), "figures": found}
        return self.get_serializer_class()(rows, many=many, context=context).data

    def create(self, request: Request) -> Response:
        """Register one or a list: all or none, or with `atomic=false` only the valid items."""
        options = WriteOptions.read(request, lists=True)
        body = read_body(request, self.create_serializer(), bulk=True, partly=options.partly)
        if options.dry_run:
            taking(body, lambda body: participants.draft(self.kind, body))
            answer = cost_answer([], items=len(body.items))
            report_refused(answer.data, body)
            return answer
        rows = participants.add(self.kind, body)
        return self._created(rows, body)

    def _created(self, rows: list[Any], body: Body) -> Response:
        if not body.bulk:
            headers = {"Location": url(self.kind.resource, rows[0].pk)}
            return Response(self.rendered(rows[0]), status.HTTP_201_CREATED, headers=headers)
        results = [
            {"index": i, "id": row.pk, "url": url(self.kind.resource, row.pk), "name": row.name}
            for i, row in enumerate(rows)
        ]
        fields = {"items": len(rows), "results": results}
        report_refused(fields, body)
        return Response(fields, status.HTTP_201_CREATED)

    def destroy(self, request: Request, pk: str) -> Response:
        """Delete a publisher or subscriber; 409 while it has announcements."""
        if WriteOptions.read(request).dry_run:
            row = participants.removable(self.kind, read_id(pk))
            return cost_answer([], items=1, removed=row)
        participants.remove(self.kind, read_id(pk))
        return Response(status=status.HTTP_204_NO_CONTENT)


def _participants_schema(name: str, read: Any, create: Any) -> Any:
    tags = [name]
    created = PolymorphicProxySerializer(f"{name.title()}Created", [read, CreatedManySerializer], None)
    return extend_schema_view(
        list=extend_schema(operation_id=f"{name}_list", tags=tags),
        retrieve=extend_schema(operation_id=f"{name}_read", tags=tags),
        create=extend_schema(
            operation_id=f"{name}_create",
            tags=tags,
            request=create,
            responses={201: created, 200: COST},
            parameters=[DRY_RUN, PARTLY],
        ),
        destroy=extend_schema(
            operation_id=f"{name}_delete",
            tags=tags,
            request=None,
            responses={204: GONE, 200: COST},
            parameters=[DRY_RUN, ATOMIC],
        ),
    )


@_participants_schema("publishers", PublisherSerializer, PublisherCreateSerializer)
class PublisherViewSet(ParticipantViewSet):
    """Publishers: programs at hosts that advertise and send events."""

    queryset = Publisher.objects.select_related("host")
    serializer_class = PublisherSerializer
    create_serializer = PublisherCreateSerializer
    kind = participants.PUBLISHER
    noun = "publisher"
    clients: ClassVar[Clients] = {PUBLISHER: GET}


@_participants_schema("subscribers", SubscriberSerializer, SubscriberCreateSerializer)
class SubscriberViewSet(ParticipantViewSet):
    """Subscribers: programs at hosts that subscribe and receive events."""

    queryset = Subscriber.objects.select_related("host")
    serializer_class = SubscriberSerializer
    create_serializer = SubscriberCreateSerializer
    kind = participants.SUBSCRIBER
    noun = "subscriber"
    clients: ClassVar[Clients] = {SUBSCRIBER: GET}


class AnnouncementViewSet(_FromFiles):
    """Base of advertisements and subscriptions."""

    kind: ClassVar[announcement_kinds.AnnouncementKind]
    create_serializer: ClassVar[type[serializers.Serializer[Any]]]
    orderings = ("id", "state")
    figures_of: ClassVar[Any]

    def rendered(self, rows: Any, many: bool = False) -> Any:
        """Return announcements with their reported events."""
        found = type(self).figures_of(rows if many else [rows])
        named = caller_of(self.request).client is None
        context = {**self.get_serializer_context(), "figures": found, "named": named}
        return self.get_serializer_class()(rows, many=many, context=context).data

    def own(self, client: Client) -> Q:
        """Return the condition for the announcements of the client."""
        return Q(**{self.kind.owner: client.pk})

    def create(self, request: Request) -> Response:
        """Announce one filter or a list: all or none, or with `atomic=false` only the valid items."""
        options = WriteOptions.read(request, lists=True)
        body = read_body(request, self.create_serializer(), bulk=True, partly=options.partly)
        client = caller_of(request).client
        if client is not None:
            check_owner(body, self.kind.owner, client.name)
        drafts = taking(body, lambda body: announcements.draft(self.kind, body, costs=options.dry_run))
        if options.dry_run:
            drafts = without_duplicates(self.kind, drafts, body)
            found = (draft.encoded for draft in drafts)
            encodings = Encodings([ItemEncoding(len(e.dz), e.excess, e.volume_error) for e in found])
            payloads = announcements.draft_payloads(self.kind, drafts)
            answer = cost_answer(payloads, encodings=encodings, client=client)
            report_refused(answer.data, body)
            return answer
        logged = announcements.add(self.kind, drafts, request.user, body, str(client or ""))
        return accepted(options.wait, logged, client)

    def destroy(self, request: Request, pk: str) -> Response:
        """Withdraw an announcement. One that failed is removed now (204)."""
        options, client = WriteOptions.read(request), caller_of(request).client
        if options.dry_run:
            row = announcements.withdrawable(self.kind, read_id(pk))
            return cost_answer([announcements.withdrawal(self.kind, row)], removed=row, client=client)
        logged = announcements.withdraw(self.kind, read_id(pk), request.user)
        if logged is None:
            return Response(status=status.HTTP_204_NO_CONTENT)
        return accepted(options.wait, logged, client)


def _announcements_schema(name: str, create: Any) -> Any:
    tags = [name]
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
        destroy=extend_schema(
            operation_id=f"{name}_delete",
            tags=tags,
            request=None,
            responses={202: ACCEPTED, 204: GONE_AT_ONCE, 200: COST},
            parameters=[*WRITE],
        ),
    )


STATE = QueryFilterField("state", "state", choice(*State.values), ("in",))
TOPIC = QueryFilterField("topic", "topic__name", TEXT, ("in",))
REACH = QueryFilterField("reach", "reach", choice(*REACHES), ("in",))


@_announcements_schema("advertisements", AdvertisementCreateSerializer)
class AdvertisementViewSet(AnnouncementViewSet):
    """Advertisements: what publishers will send."""

    queryset = Advertisement.objects.select_related("topic__reindexing", "publisher__host")
    serializer_class = AdvertisementSerializer
    create_serializer = AdvertisementCreateSerializer
    kind = announcement_kinds.ADVERTISEMENT
    id_prefix = announcement_kinds.ADVERTISEMENT.prefix
    figures_of = staticmethod(delivery_counts.of_advertisements)
    noun = "advertisement"
    clients: ClassVar[Clients] = {PUBLISHER: ALL_OF_OWN}
    filters = (
        ID,
        TOPIC,
        STATE,
        REACH,
        QueryFilterField("publisher", "publisher__name", TEXT, ("in",)),
        QueryFilterField("host", "publisher__host__name", TEXT, ("in",)),
        CREATED,
    )
    search = ("filter", "publisher__name", "publisher__host__name", "topic__name")


@_announcements_schema("subscriptions", SubscriptionCreateSerializer)
class SubscriptionViewSet(AnnouncementViewSet):
    """Subscriptions: what subscribers receive."""

    queryset = Subscription.objects.select_related("topic__reindexing", "subscriber__host")
    serializer_class = SubscriptionSerializer
    create_serializer = SubscriptionCreateSerializer
    kind = announcement_kinds.SUBSCRIPTION
    id_prefix = announcement_kinds.SUBSCRIPTION.prefix
    figures_of = staticmethod(delivery_counts.of_subscriptions)
    noun = "subscription"
    clients: ClassVar[Clients] = {SUBSCRIBER: ALL_OF_OWN}
    filters = (
        ID,
        TOPIC,
        STATE,
        QueryFilterField("matched", "matched", FLAG),
        REACH,
        QueryFilterField("subscriber", "subscriber__name", TEXT, ("in",)),
        QueryFilterField("host", "subscriber__host__name", TEXT, ("in",)),
        CREATED,
    )
    search = ("filter", "subscriber__name", "subscriber__host__name", "topic__name")
