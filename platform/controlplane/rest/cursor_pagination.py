"""Cursor pages of equal cost. Every order ends with the primary key."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.core import signing
from django.db.models import Q, QuerySet
from rest_framework.pagination import BasePagination
from rest_framework.request import Request
from rest_framework.response import Response

from controlplane.common.problems import bad_parameter
from controlplane.rest.query_parameters import read_flag, read_integer
from tercast.errors import shown

DEFAULT_LIMIT = 100
MAX_LIMIT = 1000
LEAST_READ = 100
"""Least number of rows to read: for a smaller limit SQLite would sort the whole list."""
PARAMETERS = frozenset({"limit", "cursor", "count", "ordering"})
_SALT = "tercast.cursor"


@dataclass(frozen=True, slots=True)
class Position:
    """Start of a page: after the row with these values, or before it if `back` is set."""

    ordering: str
    values: tuple[Any, ...]
    back: bool

    def text(self, place: str) -> str:
        """Return the signed cursor of the list `place`. The signature excludes cursors of others."""
        values = [v.isoformat() if isinstance(v, datetime) else v for v in self.values]
        return signing.dumps([place, self.ordering, values, self.back], salt=_SALT)

    @classmethod
    def read(cls, text: str, place: str, ordering: str) -> "Position":
        """Read a cursor.

        Raises:
            Problem: if `text` is not a cursor of the list `place` in this `ordering`.
        """
        try:
            there, of, values, back = signing.loads(text, salt=_SALT)
        except (signing.BadSignature, ValueError, TypeError):
            detail = (
                f"cursor={shown(text)} is not a valid cursor. Use the link `next` or `previous` of an answer."
            )
            raise bad_parameter("cursor", "bad_cursor", detail, text) from None
        if there != place:
            detail = f"The cursor belongs to the list {there}, not to {place}. Start without a cursor."
            raise bad_parameter("cursor", "bad_cursor", detail, text)
        if of != ordering:
            detail = f"The cursor belongs to a list ordered by {of}. Keep `ordering` while you read pages."
            raise bad_parameter("cursor", "bad_cursor", detail, text)
        return cls(of, tuple(values), back)


class CursorPages(BasePagination):
    """Pages by `limit` and `cursor`. The view's `orderings` names the fields, the default first."""

    ordering: str
    place: str
    request: Request
    count: int | None
    rows: list[Any]
    has_next: bool
    has_previous: bool

    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> list[Any] | None:
        """Return the rows of the requested page."""
        query = request.query_params
        limit = read_integer("limit", query.get("limit", str(DEFAULT_LIMIT)), 1, MAX_LIMIT)
        self.ordering = _read_ordering(query.get("ordering"), view.orderings)
        self.request = request
        self.count = queryset.count() if read_flag("count", query.get("count", "false")) else None
        self.place = _place(request, view)
        cursor = query.get("cursor")
        position = None if cursor is None else Position.read(cursor, self.place, self.ordering)
        back = position is not None and position.back
        rows = list(_slice(queryset, self.ordering, position)[: max(limit, LEAST_READ) + 1])
        more = len(rows) > limit
        self.rows = rows[:limit][::-1] if back else rows[:limit]
        self.has_next = bool(self.rows) and (more if not back else True)
        self.has_previous = bool(self.rows) and (more if back else position is not None)
        return self.rows

    def get_paginated_response(self, data: Any) -> Response:
        """Return the page with links to the next and the previous page."""
        page: dict[str, Any] = {
            "next": self._link(self.rows[-1], back=False) if self.has_next else None,
            "previous": self._link(self.rows[0], back=True) if self.has_previous else None,
        }
        if self.count is not None:
            page["count"] = self.count
        return Response({**page, "results": data})

    def _link(self, row: Any, back: bool) -> str:
        values = tuple(_value(row, name) for name, _ in _fields(self.ordering))
        query = {k: v for k, v in self.request.query_params.items() if k != "cursor"}
        query["cursor"] = Position(self.ordering, values, back).text(self.place)
        return f"{self.request.path}?{urlencode(query)}"

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:
        """Return the paging parameters for the OpenAPI schema."""
        choices = [sign + name for name in view.orderings for sign in ("", "-")]
        return [
            _parameter(
                "limit",
                {"type": "integer", "minimum": 1, "maximum": MAX_LIMIT},
                "maximum number of rows in a page",
            ),
            _parameter(
                "cursor", {"type": "string"}, "start of the page, from `next` or `previous` of an answer"
            ),
            _parameter(
                "count", {"type": "boolean"}, "true: count all rows, which takes longer for long lists"
            ),
            _parameter(
                "ordering",
                {"type": "string", "enum": choices},
                "field to order by; a minus sign before it means descending order",
            ),
        ]

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Return the page format for the OpenAPI schema."""
        link = {"type": "string", "nullable": True, "format": "uri-reference", "example": None}
        count = {
            "type": "integer",
            "description": "number of all rows, if the query has `count=true`",
            "example": 1,
        }
        # drf-spectacular passes a placeholder instead of a schema for examples
        rows = {**schema, "description": "rows of the page"} if isinstance(schema, dict) else schema
        return {
            "type": "object",
            "required": ["next", "previous", "results"],
            "properties": {
                "next": {**link, "description": "address of the next page; null: this is the last page"},
                "previous": {**link, "description": "address of the previous page; null: this is the first"},
                "count": count,
                "results": rows,
            },
        }


def _place(request: Request, view: Any) -> str:
    """Return the list's address with `<id>` for ids: row ids are unique over all such lists."""
    place = str(request.path)
    for value in view.kwargs.values():
        place = place.replace(f"/{value}/", "/<id>/", 1)
    return place


def page_readers(request: Request, view: Any) -> dict[str, Callable[[], object]]:
    """Return the readers of the paging parameters, by name."""
    query = request.query_params
    ordering = query.get("ordering")
    order = str(ordering if _is_order(ordering, view.orderings) else view.orderings[0])
    return {
        "limit": lambda: read_integer("limit", query["limit"], 1, MAX_LIMIT),
        "count": lambda: read_flag("count", query["count"]),
        "ordering": lambda: _read_ordering(ordering, view.orderings),
        "cursor": lambda: Position.read(query["cursor"], _place(request, view), order),
    }


def pages(queryset: Any, ordering: str | None, allowed: tuple[str, ...], size: int) -> Iterator[list[Any]]:
    """Yield all rows in the requested order in lists of `size`. Each list is one query."""
    order = _read_ordering(ordering, allowed)
    return _all_pages(queryset, order, size)


def _all_pages(queryset: Any, order: str, size: int) -> Iterator[list[Any]]:
    position: Position | None = None
    while True:
        rows = list(_slice(queryset, order, position)[:size])
        if rows:
            yield rows
        if len(rows) < size:
            return
        position = Position(order, tuple(_value(rows[-1], name) for name, _ in _fields(order)), False)


def _is_order(text: str | None, allowed: tuple[str, ...]) -> bool:
    return text is not None and text.removeprefix("-") in allowed


def _read_ordering(text: str | None, allowed: tuple[str, ...]) -> str:
    if text is None:
        return allowed[0]
    if not _is_order(text, allowed):
        names = ", ".join(allowed)
        detail = (
            f"The list cannot be sorted by {shown(text)}. Use one of {names}. For the reverse order, write "
            "`-` before the name."
        )
        raise bad_parameter("ordering", "not_a_choice", detail, text)
    return text


def _fields(ordering: str) -> list[tuple[str, bool]]:
    """Return (field, descending) for each field of the order. The primary key is last."""
    descending = ordering.startswith("-")
    name = ordering.removeprefix("-")
    return [(name, descending)] if name == "id" else [(name, descending), ("id", descending)]


def _slice(queryset: QuerySet[Any], ordering: str, position: Position | None) -> QuerySet[Any]:
    fields = _fields(ordering)
    flip = position is not None and position.back
    queryset = queryset.order_by(*(("-" if down != flip else "") + name for name, down in fields))
    if position is None:
        return queryset
    sign = "lt" if fields[0][1] != flip else "gt"
    if len(fields) == 1:
        return queryset.filter(**{f"id__{sign}": position.values[0]})
    name, (value, pk) = fields[0][0], position.values
    behind = Q(**{f"{name}__{sign}": value}) | Q(**{name: value, f"id__{sign}": pk})
    return queryset.filter(Q(**{f"{name}__{sign}e": value}) & behind)


def _value(row: Any, name: str) -> Any:
    for part in name.split("__"):
        row = getattr(row, part)
    return row


def _parameter(name: str, schema: dict[str, Any], description: str) -> dict[str, Any]:
    return {"name": name, "in": "query", "required": False, "description": description, "schema": schema}
