"""Lists as a CSV stream, with one page of rows in memory at a time."""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from django.http import StreamingHttpResponse
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

from controlplane.common.problems import bad_parameter
from controlplane.rest.cursor_pagination import pages
from controlplane.rest.list_bodies import CSV_TYPE, guarded

FORMAT = "format"
FORMATS = ("json", "csv")
PAGE = 1000


class CsvRenderer(BaseRenderer):
    """Placeholder for CSV in content negotiation; `stream` writes the rows."""

    media_type = CSV_TYPE
    format = "csv"

    def render(self, data: Any, media_type: str | None = None, context: Any = None) -> bytes:
        """Raise `NotImplementedError`: this class renders nothing."""
        raise NotImplementedError


def in_csv(request: Request) -> bool:
    """Whether the answer must be CSV."""
    return isinstance(getattr(request, "accepted_renderer", None), CsvRenderer)


def asked_format(request: Any) -> str | None:
    """Return the value of `?format=`, None if missing; raise `Problem` for an unknown one."""
    text: str | None = request.query_params.get(FORMAT)
    if text is not None and text not in FORMATS:
        detail = f"{FORMAT}={text[:40]} is not a format; use one of {', '.join(FORMATS)}."
        raise bad_parameter(FORMAT, "not_a_choice", detail, text)
    return text


def export(view: Any, request: Request, queryset: Any, name: str) -> StreamingHttpResponse:
    """Return all rows that match the filters, in the requested order, as the file `name`.csv."""
    for parameter in ("limit", "cursor", "count"):
        if parameter in request.query_params:
            detail = f"A CSV answer contains all rows, without pages. Remove the parameter {parameter}."
            raise bad_parameter(parameter, "not_available", detail)
    fields = list(view.get_serializer().fields)
    rows = pages(queryset, request.query_params.get("ordering"), view.orderings, PAGE)
    tables = (view.rendered(page, many=True) for page in rows)
    return stream(name, fields, tables)


def stream(name: str, fields: Sequence[str], tables: Iterable[Iterable[Any]]) -> StreamingHttpResponse:
    """Stream rows (objects by field) as CSV with a heading."""
    response = StreamingHttpResponse(_pieces(fields, tables), content_type=f"{CSV_TYPE}; charset=utf-8")
    response.headers["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    return response


def _pieces(fields: Sequence[str], tables: Iterable[Iterable[Any]]) -> Iterator[bytes]:
    yield _text([list(fields)])
    for rows in tables:
        yield _text([[_cell(row.get(field)) for field in fields] for row in rows])


def _text(rows: Iterable[list[str]]) -> bytes:
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    return out.getvalue().encode()


def _cell(value: Any) -> str:
    """Return text unchanged except for formulas, "" for null, and JSON for other values."""
    if value is None:
        return ""
    if isinstance(value, str):
        return guarded(value)
    if isinstance(value, bool | int | float | list | dict):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)
