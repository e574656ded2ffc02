"""Query parameters: declared filters, and a refusal by name of whatever was not declared."""

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
    """How a parameter's text is read, and how the schema tells it."""

    read: Callable[[str, str], Any]
    schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class QueryFilterField:
    """A filter `name` on the model field `field`, with the lookups it takes beside equality."""

    name: str
    field: str
    kind: ParameterKind
    lookups: tuple[str, ...] = ()
    words: str = ""
    """What the parameter says; empty: what its lookup does."""

    def parameters(self) -> dict[str, str]:
        """Parameter names, each with its lookup."""
        return {self.name: "exact"} | {f"{self.name}__{lookup}": lookup for lookup in self.lookups}

    def condition(self, parameter: str, lookup: str, text: str) -> Q:
        """What the parameter with this value asks for."""
        if lookup != "in":
            return Q(**{f"{self.field}__{lookup}": self.kind.read(parameter, text)})
        parts = text.split(",")
        if len(parts) > MAX_LIST:
            raise bad_parameter(
                parameter, "too_many", f"{parameter} lists {len(parts)} values; at most {MAX_LIST} are taken."
            )
        return Q(**{f"{self.field}__in": [self.kind.read(parameter, part) for part in parts]})


def read_integer(name: str, text: str, low: int = 0, high: int = MAX_ID) -> int:
    """A whole number in plain decimal digits within low..high; raises `Problem` naming the parameter."""
    if not (text.isascii() and text.isdigit()):
        raise bad_parameter(
            name, "not_an_integer", f"{name}={shown(text)} is not a number in decimal digits.", text
        )
    if len(text) > 19 or not low <= int(text) <= high:
        raise bad_parameter(name, "out_of_range", f"{name}={shown(text)} is not in {low}..{high}.", text)
    return int(text)


def read_flag(name: str, text: str) -> bool:
    """`true` or `false`; raises `Problem` naming the parameter."""
    if text not in ("true", "false"):
        raise bad_parameter(name, "not_a_flag", f"{name}={shown(text)}: use true or false.", text)
    return text == "true"


def read_text(name: str, text: str) -> str:
    """Text of a bounded length."""
    if len(text) > MAX_TEXT:
        raise bad_parameter(
            name, "too_long", f"{name} has {len(text)} characters; at most {MAX_TEXT} are taken."
        )
    return text


def read_time(name: str, text: str) -> datetime:
    """An ISO 8601 time with its offset from UTC, in UTC; raises `Problem` naming the parameter."""
    try:
        return read_utc(text)
    except Refused as refused:
        detail = f"{name}={refused.detail.removesuffix('.')} (a plus sign as %2B)."
        raise bad_parameter(name, refused.code, detail, text) from None


def choice(*values: str) -> ParameterKind:
    """One of `values`."""

    def read(name: str, text: str) -> str:
        if text not in values:
            raise bad_parameter(
                name, "not_a_choice", f"{name}={shown(text)}: use one of {', '.join(values)}.", text
            )
        return text

    return ParameterKind(read, {"type": "string", "enum": list(values)})


INTEGER = ParameterKind(read_integer, {"type": "integer", "minimum": 0, "maximum": MAX_ID})
FLAG = ParameterKind(read_flag, {"type": "boolean"})
TEXT = ParameterKind(read_text, {"type": "string", "maxLength": MAX_TEXT})
TIME = ParameterKind(read_time, {"type": "string", "format": "date-time"})

ID = QueryFilterField("id", "id", INTEGER, ("in", "gte", "lte"))


Readers = Mapping[str, Callable[[], object]]
"""By parameter: what reads its value in the current call, and raises `Problem` for a bad one."""


def check_parameters(query: QueryDict, known: Iterable[str], readers: Readers | None = None) -> None:
    """Raise `Problem` with every parameter that is unknown, given twice, no text for a database, or bad."""
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
        rule = f"Known are: {', '.join(known)}." if known else "None is taken here."
        raise bad_parameter(
            name, "unknown_parameter", f"There is no query parameter {shown(name)}. {rule}", values[0]
        )
    if len(values) > 1:
        raise bad_parameter(name, "repeated_parameter", f"{name} stands {len(values)} times. Keep one.")
    if "\0" in values[0]:
        raise bad_parameter(name, "null_character", f"{name} must not contain U+0000.", values[0])


def filter_readers(view: Any, query: QueryDict) -> dict[str, Callable[[], object]]:
    """What reads the filters of `view` that the query names."""
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
    """Narrows a list by the view's `filters` and `search`."""

    def filter_queryset(self, request: Request, queryset: QuerySet[Any], view: Any) -> QuerySet[Any]:
        """The rows that all given parameters ask for."""
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
        """The parameters, for the API's schema."""
        out = []
        for each in view.filters:
            for parameter, lookup in each.parameters().items():
                schema = {"type": "string"} if lookup == "in" else dict(each.kind.schema)
                text = each.words or _DESCRIPTIONS[lookup].format(name=each.name)
                out.append(_parameter(parameter, schema, text))
        if view.search:
            fields = ", ".join(map(_words, view.search))
            shown_id = f", or an id like {view.id_prefix}3" if view.id_prefix else ""
            words = f"text that {fields} contains, in any letter case{shown_id}"
            out.append(_parameter("q", dict(TEXT.schema), words))
        return out


_DESCRIPTIONS = {
    "exact": "{name} equals this",
    "in": "{name} is one of these, separated by commas",
    "gte": "{name} is this or more",
    "lte": "{name} is this or less",
}


def filter_parameters(view: Any) -> set[str]:
    """The names of all filter parameters of `view`."""
    names = {parameter for each in view.filters for parameter in each.parameters()}
    return names | ({"q"} if view.search else set())


def _search(fields: Iterable[str], text: str) -> Q:
    wanted = Q()
    for field in fields:
        wanted |= Q(**{f"{field}__icontains": text})
    return wanted


def _shown_id(prefix: str, text: str) -> Q:
    """Find the row whose id is shown as this text, like `q3`; nothing where rows are shown otherwise."""
    number = text.strip().removeprefix(prefix)
    is_one = prefix and number != text.strip() and number.isascii() and number.isdigit() and len(number) < 19
    return Q(pk=int(number)) if is_one else Q(pk__in=())


def _words(field: str) -> str:
    """Name a model field for readers: `subscriber__host__name` is the host of the subscriber."""
    parts = field.removesuffix("__name").removeprefix("payload__").split("__")
    return " of ".join(part.replace("_", " ") for part in reversed(parts))


def _parameter(name: str, schema: dict[str, Any], description: str) -> dict[str, Any]:
    return {"name": name, "in": "query", "required": False, "description": description, "schema": schema}


def read_id(text: str) -> int:
    """The id in a path; raises `Problem` for what cannot be one."""
    if not (text.isascii() and text.isdigit()) or (text[0] == "0" and text != "0"):
        detail = f"{shown(text)} is not an id; ids are decimal numbers. Find one by its name in the list."
        raise bad_parameter("id", "not_an_id", detail, text)
    if len(text) > 19 or int(text) > MAX_ID:
        raise bad_parameter("id", "out_of_range", f"{shown(text)} is beyond the largest id, {MAX_ID}.", text)
    return int(text)
