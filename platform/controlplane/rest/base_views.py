"""Base classes of all views: declared parameters, ids, and options of write calls."""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, cast

from django.db.models import Model, Q, QuerySet
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView
from rest_framework.viewsets import GenericViewSet

from controlplane.accounts.callers import Client, caller_of
from controlplane.common.problems import Problem, bad_parameter, no_such
from controlplane.rest import etags, rate_limits
from controlplane.rest.call_pipeline import carry_out
from controlplane.rest.csv_export import FORMAT, CsvRenderer, asked_format, export, in_csv
from controlplane.rest.cursor_pagination import PARAMETERS, page_readers
from controlplane.rest.deprecation import Deprecated
from controlplane.rest.permissions import Clients
from controlplane.rest.prefer_header import Wait
from controlplane.rest.query_parameters import (
    QueryFilterField,
    Readers,
    check_parameters,
    filter_parameters,
    filter_readers,
    read_flag,
    read_id,
)
from controlplane.rest.strict_json import body_required

WRITE_PARAMETERS = frozenset({"dry_run", "atomic"})
ROOT = "/api/v1"


def url(resource: str, pk: object) -> str:
    """Return the address of an object of the API."""
    return f"{ROOT}/{resource}/{pk}/"


@dataclass(frozen=True, slots=True)
class WriteOptions:
    """Query options of a call that changes something."""

    dry_run: bool
    wait: Wait
    partly: bool = False
    """Whether a list is accepted without its bad items."""

    @classmethod
    def read(cls, request: Request, lists: bool = False) -> "WriteOptions":
        """Read the options from the query.

        Raises:
            Problem: if the query has `atomic=false` and the view accepts no `lists`.
        """
        query = request.query_params
        partly = not read_flag("atomic", query.get("atomic", "true"))
        if partly and not lists:
            detail = (
                "atomic=false is not available here: the call has no list of items. Remove the parameter."
            )
            raise bad_parameter("atomic", "not_available", detail, "false")
        return cls(read_flag("dry_run", query.get("dry_run", "false")), Wait.read(request), partly)


class StrictView(APIView):
    """A view that refuses query parameters it does not declare."""

    open: ClassVar[bool] = False
    clients: ClassVar[Clients] = {}
    remedy: ClassVar[str] = ""
    """Advice for a caller without the role or scope; empty: ask for the role."""
    audited: ClassVar[bool] = True
    """Whether the audit trail records changes; it always records denied calls."""
    keyed: ClassVar[bool] = True
    """Whether write calls accept an `Idempotency-Key`."""
    secret: ClassVar[bool] = False
    """Whether answers contain a secret that is shown once. Such answers are not stored for a key."""
    versioned: ClassVar[bool] = True
    """Whether `pk` in the address is the id of a row of the view's own model, with a version."""
    single: ClassVar[bool] = False
    """Whether the view has exactly one object. The address then has no `pk`."""
    deprecated: ClassVar[Deprecated | None] = None
    csv: ClassVar[bool] = False
    """Whether the view can also return its data as CSV."""

    def exports(self) -> bool:
        """Whether the current call may ask for CSV."""
        return self.csv

    def get_renderers(self) -> Any:
        """Return the JSON renderer, and the CSV renderer if the call may ask for CSV."""
        return [*super().get_renderers(), *([CsvRenderer()] if self.exports() else ())]

    def perform_content_negotiation(self, request: Request, force: bool = False) -> Any:
        """Choose the renderer by `Accept`, or by `?format=` if the call may ask for CSV."""
        asked = None
        if request.method == "GET" and self.exports():
            with suppress(Problem):  # `check_parameters` reports it together with the other parameters
                asked = asked_format(request)
        if asked is None:
            return super().perform_content_negotiation(request, force)
        renderer = next(each for each in self.get_renderers() if each.format == asked)
        return renderer, renderer.media_type

    http_method_names: ClassVar[list[str]] = ["get", "head", "post", "patch", "delete"]  # type: ignore[misc]

    def known_parameters(self) -> Iterable[str]:
        """Return the names of the query parameters of the current call."""
        return ()

    def readers(self, request: Request) -> Readers:
        """Return the readers of the query parameters, so that one answer reports all bad ones."""
        return {FORMAT: partial(asked_format, request)} if self.exports() else {}

    def dispatch(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        """Handle the call like `APIView.dispatch`, but run the handler within `carry_out`."""
        self.args, self.kwargs = args, kwargs
        call = self.initialize_request(request, *args, **kwargs)
        self.request = call
        self.headers = self.default_response_headers
        try:
            self.initial(call, *args, **kwargs)
            name = (call.method or "").lower()
            known = name in self.http_method_names
            handler = getattr(self, name, None) if known else None
            handler = handler or self.http_method_not_allowed
            response = carry_out(self, call, lambda: handler(call, *args, **kwargs))
        except Exception as error:
            response = self.handle_exception(error)
        self.response = self.finalize_response(call, response, *args, **kwargs)
        if self.deprecated is not None:
            self.deprecated.add_headers(self.response)
        return self.response

    def tagged(self, request: Request, response: Response) -> Response:
        """Return the answer to a read call, with an `ETag` if the view has one."""
        return response

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Count, authenticate and authorize the call, then check its query and its length header."""
        rate_limits.check(request, self.open)
        super().initial(request, *args, **kwargs)
        check_parameters(request.query_params, self.known_parameters(), self.readers(request))
        if "HTTP_TRANSFER_ENCODING" in request.META and not request.META.get("CONTENT_LENGTH"):
            raise body_required()


class Resource(StrictView, GenericViewSet[Any]):
    """Resource with lists by `filters`, `search`, `orderings`; `bulk`: POST accepts a list."""

    filters: ClassVar[tuple[QueryFilterField, ...]] = ()
    search: ClassVar[tuple[str, ...]] = ()
    id_prefix: ClassVar[str] = ""
    """Prefix of a displayed id, like `q` in `q3`; the parameter `q` finds the row by it."""
    orderings: ClassVar[tuple[str, ...]] = ("id",)
    bulk: ClassVar[bool] = False
    write_parameters: ClassVar[frozenset[str]] = WRITE_PARAMETERS
    noun: ClassVar[str] = "object"
    lookup_value_regex = "[^/]+"
    found: Any = None
    """The object that `find` found."""

    def known_parameters(self) -> Iterable[str]:
        """Return the names of filters and paging parameters for lists, of write options elsewhere."""
        if self.action is None:
            return self.request.query_params.keys()  # 405 follows
        if self.action in ("create", "partial_update", "destroy"):
            return self.write_parameters
        if not self.lists():
            return ()
        return filter_parameters(self) | PARAMETERS | ({FORMAT} if self.csv else set())

    def readers(self, request: Request) -> Readers:
        """Return the readers of filters and paging parameters for lists, of write options elsewhere."""
        query = request.query_params
        if not self.lists():
            names = [name for name in WRITE_PARAMETERS & self.write_parameters if name in query]
            return {name: partial(read_flag, name, query[name]) for name in names}
        paging = page_readers(request, self) if not in_csv(request) else {}
        return {**super().readers(request), **filter_readers(self, query), **paging}

    def lists(self) -> bool:
        """Whether the current action returns a page."""
        return self.action == "list"

    def exports(self) -> bool:
        """Whether the current call may ask for CSV: only lists may."""
        return self.csv and self.lists()

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Check the call like any view, and check that a client token changes only its own objects."""
        super().initial(request, *args, **kwargs)
        client = caller_of(request).client
        if client is not None and self.action in ("partial_update", "destroy"):
            self.check_own(client)

    def check_own(self, client: Client) -> None:
        """Raise `Problem` (404) unless the object in the path belongs to the client."""
        self.find()

    def own(self, client: Client) -> Q:
        """Return the condition for the rows that a client token may read; the default matches none."""
        return Q(pk__in=())

    def rows(self) -> QuerySet[Any]:
        """Return the rows that the caller may read."""
        client = caller_of(self.request).client
        return self.get_queryset() if client is None else self.get_queryset().filter(self.own(client))

    def find(self, queryset: QuerySet[Any] | None = None) -> Any:
        """Return the object that the path names.

        Raises:
            Problem: 400 if the path has no valid id, 404 if the object does not exist.
        """
        pk = read_id(self.kwargs["pk"])
        rows = self.rows() if queryset is None else queryset
        row: Model | None = rows.filter(pk=pk).first()
        if row is None:
            listed, _, _ = self.request.path.partition(f"/{self.kwargs['pk']}/")
            raise no_such(self.noun, pk, listed.removeprefix(f"{ROOT}/"))
        self.found = row
        return row

    def row_id(self) -> int:
        """Return the id in the address."""
        return read_id(self.kwargs["pk"])

    def tagged(self, request: Request, response: Response) -> Response:
        """Return the answer, with an `ETag` if it contains a single object."""
        single = (self.single or self.action == "retrieve") and self.found is not None
        return etags.tagged(request, self.found, response) if single else response

    def rendered(self, rows: Any, many: bool = False) -> Any:
        """Return `rows` as the view's serializer renders them."""
        return self.get_serializer(rows, many=many).data


class Single(Resource):
    """Resource with exactly one object, the only row of its model, created if missing."""

    single = True
    pagination_class = None
    filter_backends = ()

    def lists(self) -> bool:
        """Return False: the resource is one object without pages."""
        return False

    def row_id(self) -> int:
        """Return the id of the only row."""
        return int(self.get_queryset().model.current().pk)

    def find(self, queryset: QuerySet[Any] | None = None) -> Any:
        """Return the only row."""
        self.found = self.get_queryset().model.current()
        return self.found


class ListAndRead(Resource):
    """Resource with the two read actions."""

    def list(self, request: Request) -> Response:
        """Return a page of the rows that match the parameters."""
        if in_csv(request):
            found = self.filter_queryset(self.rows())
            return cast("Response", export(self, request, found, request.path.split("/")[-2]))
        rows = self.paginate_queryset(self.filter_queryset(self.rows()))
        return self.get_paginated_response(self.rendered(rows, many=True))

    def retrieve(self, request: Request, pk: str) -> Response:
        """Return one object."""
        return Response(self.rendered(self.find()))
