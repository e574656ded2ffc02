"""Query parameters: declared filters, and errors for all undeclared parameters."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from django.db.models import Q, QuerySet
from django.http import QueryDict
from rest_framework.filters import BaseFilterBackend
from rest_framework.request import Request

from controlplane.common.problems import FieldError, Problem, bad_parameter, invalid
from controlplane.common.times import read_utc
from tercast.errors import Refused, shown

MAX_ID = (1 << 63) - 1
MAX_LIST = 100
MAX_TEXT = 500


@dataclass(frozen=True, slots=True)
class ParameterKind:
    """Reader of a parameter's text, and its schema."""

    read: Callable[[str, str], Any]
    schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class QueryFilterField:
    """Filter `name` on the model field `field`, with its lookups in addition to equality."""

    name: str
    field: str
    kind: ParameterKind
    lookups: tuple[str, ...] = ()
    words: str = ""
    """Description of the parameter; empty: the description of its lookup."""

    def parameters(self) -> dict[str, str]:
        """Return parameter names, each with its lookup."""
        return {self.name: "exact"} | {f"{self.name}__{lookup}": lookup for lookup in self.lookups}

    def condition(self, parameter: str, lookup: str, text: str) -> Q:
        """Return the condition that the parameter with this value means."""
        if lookup != "in":
            return Q(**{f"{self.field}__{lookup}": self.kind.read(parameter, text)})
        parts = text.split(",")
        if len(parts) > MAX_LIST:
            raise bad_parameter(
                parameter,
                "too_many",
                f"{parameter} lists {len(parts)} values; at most {MAX_LIST} are allowed. Split the call.",
            )
        return Q(**{f"{self.field}__in": [self.kind.read(parameter, part) for part in parts]})


def read_integer(name: str, text: str, low: int = 0, high: int = MAX_ID) -> int:
    """Read a whole number from low to high; raise `Problem` with the parameter's name."""
    if not (text.isascii() and text.isdigit()):
        raise bad_parameter(
            name, "not_an_integer", f"{name}={shown(text)} is not a whole number; use decimal digits.", text
        )
    if len(text) > 19 or not low <= int(text) <= high:
        detail = f"{name}={shown(text)} is out of range; use a number from {low:,} to {high:,}."
        raise bad_parameter(name, "out_of_range", detail, text)
    return int(text)


def read_flag(name: str, text: str) -> bool:
    """Read `true` or `false`; raise `Problem` with the parameter's name."""
    if text not in ("true", "false"):
        detail = f"{name}={shown(text)} is not a boolean; use true or false."
        raise bad_parameter(name, "not_a_flag", detail, text)
    return text == "true"


def read_text(name: str, text: str) -> str:
    """Read text; raise `Problem` if it is too long."""
    if len(text) > MAX_TEXT:
        raise bad_parameter(
            name,
            "too_long",
            f"{name} has {len(text)} characters; at most {MAX_TEXT} are allowed. Shorten it.",
        )
    return text


def read_time(name: str, text: str) -> datetime:
    """Read an ISO 8601 time with a UTC offset; raise `Problem` with the parameter's name."""
    try:
        return read_utc(text)
    except Refused as refused:
        detail = f"{name}={refused.detail.removesuffix('.')} (write a plus sign as %2B)."
        raise bad_parameter(name, refused.code, detail, text) from None


def choice(*values: str) -> ParameterKind:
    """Return the kind of a parameter that is one of `values`."""

    def read(name: str, text: str) -> str:
        if text not in values:
            detail = f"{name}={shown(text)} is not allowed; use one of {', '.join(values)}."
            raise bad_parameter(name, "not_a_choice", detail, text)
        return text

    return ParameterKind(read, {"type": "string", "enum": list(values)})


INTEGER = ParameterKind(read_integer, {"type": "integer", "minimum": 0, "maximum": MAX_ID})
FLAG = ParameterKind(read_flag, {"type": "boolean"})
TEXT = ParameterKind(read_text, {"type": "string", "maxLength": MAX_TEXT})
TIME = ParameterKind(read_time, {"type": "string", "format": "date-time"})

ID = QueryFilterField("id", "id", INTEGER, ("in", "gte", "lte"))


Readers = Mapping[str, Callable[[], object]]
"""Readers by parameter. Each reads its value in the current call, and raises `Problem` if it is bad."""


def check_parameters(query: QueryDict, known: Iterable[str], readers: Readers | None = None) -> None:
    """Raise `Problem` with every unknown, repeated or bad parameter, or with a null character."""
    names, found = sorted(known), list[FieldError]()
    for name, values in query.lists():
        try:
            _check_parameter(name, values, names)
            if readers and name in readers:
                readers[name]()
        except Problem as problem:
            found += problem.errors
    if found:
        raise invalid(found)


def _check_parameter(name: str, values: list[str], known: list[str]) -> None:
    if name not in known:
        rule = f"Use one of: {', '.join(known)}." if known else "This call accepts no query parameters."
        detail = f"{shown(name)} is not a known query parameter. {rule}"
        raise bad_parameter(name, "unknown_parameter", detail, values[0])
    if len(values) > 1:
        detail = f"{name} occurs {len(values)} times in the query. Give it once."
        raise bad_parameter(name, "repeated_parameter", detail)
    if "\0" in values[0]:
        detail = f"{name} contains U+0000, which is not allowed. Remove it."
        raise bad_parameter(name, "null_character", detail, values[0])


def filter_readers(view: Any, query: QueryDict) -> dict[str, Callable[[], object]]:
    """Return the readers of those filters of `view` that occur in the query."""
    readers: dict[str, Callable[[], object]] = {
        parameter: partial(each.condition, parameter, lookup, query[parameter])
        for each in view.filters
        for parameter, lookup in each.parameters().items()
        if parameter in query
    }
    if view.search and "q" in query:
        readers["q"] = partial(read_text, "q", str(query["q"]))
    return readers


class QueryFilter(BaseFilterBackend):
    """Filter backend that narrows a list by the view's `filters` and `search`."""

    def filter_queryset(self, request: Request, queryset: QuerySet[Any], view: Any) -> QuerySet[Any]:
        """Return the rows that match all given parameters."""
        wanted = Q()
        for each in view.filters:
            for parameter, lookup in each.parameters().items():
                if parameter in request.query_params:
                    wanted &= each.condition(parameter, lookup, request.query_params[parameter])
        if view.search and "q" in request.query_params:
            text = read_text("q", request.query_params["q"])
            wanted &= _search(view.search, text) | _shown_id(view.id_prefix, text)
        return queryset.filter(wanted)

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:
        """Return the parameters for the OpenAPI schema."""
        out = []
        for each in view.filters:
            for parameter, lookup in each.parameters().items():
                schema = {"type": "string"} if lookup == "in" else dict(each.kind.schema)
                text = each.words or _DESCRIPTIONS[lookup].format(name=each.name)
                out.append(_parameter(parameter, schema, text))
        if view.search:
            *others, last = map(_words, view.search)
            fields = f"{', '.join(others)} or {last}" if others else last
            shown_id = f"; or an id such as {view.id_prefix}3" if view.id_prefix else ""
            words = f"text that occurs in the {fields}; case is ignored{shown_id}"
            out.append(_parameter("q", dict(TEXT.schema), words))
        return out


_DESCRIPTIONS = {
    "exact": "{name} equals this value",
    "in": "{name} is one of these values, separated by commas",
    "gte": "{name} is at least this value",
    "lte": "{name} is at most this value",
}


_FIELDS = {
    "a__name": "name of switch a",
    "b__name": "name of switch b",
    "check_of__switch": "switch name",
    "dpid": "datapath id",
    "ip": "IP address",
    "mac": "MAC address",
    "publisher__host__name": "publisher's host",
    "subscriber__host__name": "subscriber's host",
    "username": "user name",
    "user__username": "user name",
}
"""Words for the searched model fields whose last part does not describe them."""


def filter_parameters(view: Any) -> set[str]:
    """Return the names of all filter parameters of `view`."""
    names = {parameter for each in view.filters for parameter in each.parameters()}
    return names | ({"q"} if view.search else set())


def _search(fields: Iterable[str], text: str) -> Q:
    wanted = Q()
    for field in fields:
        wanted |= Q(**{f"{field}__icontains": text})
    return wanted


def _shown_id(prefix: str, text: str) -> Q:
    """Return the condition for the row with a displayed id like `q3`, or one without rows."""
    number = text.strip().removeprefix(prefix)
    is_one = prefix and number != text.strip() and number.isascii() and number.isdigit() and len(number) < 19
    return Q(pk=int(number)) if is_one else Q(pk__in=())


def _words(field: str) -> str:
    """Describe a model field: `subscriber__host__name` is the subscriber's host."""
    return _FIELDS.get(field) or field.removesuffix("__name").rsplit("__", 1)[-1].replace("_", " ")


def _parameter(name: str, schema: dict[str, Any], description: str) -> dict[str, Any]:
    return {"name": name, "in": "query", "required": False, "description": description, "schema": schema}


def read_id(text: str) -> int:
    """Read the id in a path; raise `Problem` if the text is not a valid id."""
    if not (text.isascii() and text.isdigit()) or (text[0] == "0" and text != "0"):
        detail = (
            f"{shown(text)} is not a valid id; use a decimal number. `?name=` on the list finds an object."
        )
        raise bad_parameter("id", "not_an_id", detail, text)
    if len(text) > 19 or int(text) > MAX_ID:
        detail = f"{shown(text)} is out of range; the largest id is {MAX_ID:,}."
        raise bad_parameter("id", "out_of_range", detail, text)
    return int(text)
