"""Bodies read by serializers: all errors together, no coercion, no ignored field."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from rest_framework import serializers
from rest_framework.request import Request

from controlplane.common.problems import MAX_ERRORS, FieldError, Problem, invalid, pointer, too_large
from controlplane.rest.fields import Secret
from controlplane.rest.list_bodies import Listed, UnreadableBody
from tercast.errors import Path, Refused, RefusedMany, shown

MAX_ITEMS = 50_000
MAX_NESTED = 1000


@dataclass(slots=True)
class Errors:
    """Errors found so far. Only errors of bulk bodies contain the `index` of their item."""

    bulk: bool = False
    found: list[FieldError] = field(default_factory=list)
    bad: set[int] = field(default_factory=set)
    line_of: Callable[[int], int | None] | None = None
    places: list[int] | None = None

    def add(  # noqa: PLR0917
        self,
        index: int,
        path: Path,
        code: str,
        detail: str,
        value: object = None,
        existing: str | None = None,
    ) -> None:
        """Add a bad value of item `index`; `existing` is the address of the row that it duplicates."""
        self.bad.add(index)
        at, line = index if self.bulk else None, self._line(index)
        error = FieldError(pointer(path), code, detail, value, at, line=line, existing=existing)
        self.found.append(error)

    def _line(self, index: int) -> int | None:
        if self.line_of is None:
            return None
        return self.line_of(index if self.places is None else self.places[index])

    def refused(self, index: int, path: Path, refused: Refused | RefusedMany) -> None:
        """Add what the core library refused of item `index`, below `path`."""
        for each in refused.errors if isinstance(refused, RefusedMany) else (refused,):
            self.add(index, (*path, *each.path), each.code, each.detail, each.value)

    def check(self) -> None:
        """Raise `Problem` with all errors, in the order of the items, if there are any."""
        if self.found:
            self.found.sort(key=lambda error: error.index or 0)
            raise invalid(self.found)


@dataclass(frozen=True, slots=True)
class Body:
    """Valid fields of each item, and the errors. `bulk` is true if the body was a list."""

    items: list[dict[str, Any]]
    errors: Errors
    bulk: bool
    partly: bool = False
    """Whether the valid items are accepted without the others."""
    places: list[int] = field(default_factory=list)
    """Index of each item in the body."""
    refused: list[FieldError] = field(default_factory=list)
    """Errors of the items that were left out."""

    def leave_out(self) -> None:
        """Remove the items that have errors; raise `Problem` with all errors if no item remains."""
        self.refused[:] = self.located()
        good = [at for at in range(len(self.items)) if at not in self.errors.bad]
        self.items[:] = [self.items[at] for at in good]
        self.places[:] = [self.places[at] for at in good]
        self.errors.found.clear()
        self.errors.bad.clear()
        self.errors.places = self.places
        if not self.items:
            raise invalid(self.refused)

    def located(self) -> list[FieldError]:
        """Return all errors, also of removed items, with item indexes of the original call."""
        found = list(self.refused)
        for error in self.errors.found:
            index = None if error.index is None else self.places[error.index]
            found.append(replace(error, index=index))
        return sorted(found, key=lambda error: error.index or 0)

    def add_if_free(self, field_name: str, taken: Mapping[Any, str], what: str) -> None:
        """Add an error for each item whose field repeats an earlier one or is in `taken` (owners)."""
        seen: dict[Any, int] = {}
        for index, item in enumerate(self.items):
            value = item.get(field_name)
            if value is None:
                continue
            if value in taken:
                detail = f"{what} {shown(value)} is already used by {taken[value]}. Use another value."
                self.errors.add(index, (field_name,), "not_unique", detail, value)
            elif value in seen:
                detail = f"{what} {shown(value)} is also in item {seen[value]}. Use another value."
                self.errors.add(index, (field_name,), "not_unique", detail, value)
            else:
                seen[value] = index

    def values(self, field_name: str) -> set[Any]:
        """Return all values of a field, over the items that have it."""
        return {item[field_name] for item in self.items if item.get(field_name) is not None}


def read_body(
    request: Request, serializer: serializers.Serializer[Any], bulk: bool = False, partly: bool = False
) -> Body:
    """Read the body as one object, or as a list if `bulk` is true, and collect its errors."""
    data = request.data
    if bulk and isinstance(data, list):
        if not data:
            raise invalid([FieldError("", "empty", "The list is empty. Send at least one item.")])
        if len(data) > MAX_ITEMS:
            detail = f"The list has {len(data)} items; at most {MAX_ITEMS} are allowed. Split it."
            raise too_large(detail)
        if isinstance(data, Listed) and data.heading is not None:
            _check_heading(serializer, *data.heading)
        errors = Errors(bulk=True, line_of=data.line_of if isinstance(data, Listed) else None)
        items = [read_object(serializer, item, errors, i) for i, item in enumerate(data)]
        return Body(items, errors, True, partly, list(range(len(items))))
    errors = Errors()
    return Body([read_object(serializer, data, errors)], errors, False)


def _check_heading(serializer: serializers.Serializer[Any], line: int, names: Sequence[str]) -> None:
    """Raise `Problem` if the heading of a file has unknown columns or misses required ones."""
    fields = _writable(serializer)
    found = [
        FieldError(
            pointer((name,)),
            "unknown_field",
            f"Column {shown(name)} in the heading is not a known field. Use: {', '.join(fields)}.",
            line=line,
        )
        for name in names
        if name not in fields
    ]
    found += [
        FieldError(
            pointer((name,)),
            "required",
            f"The heading has no column {shown(name)}, which is required. It has: {', '.join(names)}.",
            line=line,
        )
        for name, each in fields.items()
        if each.required and name not in names
    ]
    if found:
        raise invalid(found, "bad_csv")


T = TypeVar("T")


def taking(body: Body, act: Callable[[Body], T]) -> T:
    """Run `act` on all items. With `partly`, remove bad items and repeat until it succeeds."""
    while True:
        try:
            return act(body)
        except Problem as problem:
            if not (body.partly and problem.status == 400 and body.errors.found):
                raise
            body.leave_out()


def report_refused(answer: dict[str, Any], body: Body) -> None:
    """Add the left out items to an answer, and correct the indexes of the others."""
    if not body.partly:
        return
    answer["refused"] = len({error.index for error in body.refused})
    answer["errors"] = [error.to_json() for error in body.refused[:MAX_ERRORS]]
    for row in answer.get("results", ()):
        row["index"] = body.places[row["index"]]


def check_owner(body: Body, name: str, owner: str) -> None:
    """Raise `Problem` (403) if the field `name` of an item is not `owner`, the caller's client."""
    detail = f"Your client token is valid only for {name} {owner}. Use this name, or another token."
    errors = [
        FieldError(f"/{name}", "forbidden", detail, item[name], index if body.bulk else None)
        for index, item in enumerate(body.items)
        if name in item and item[name] != owner
    ]
    if errors:
        raise Problem(403, "forbidden", detail, tuple(errors))


def read_one(request: Request, serializer: serializers.Serializer[Any]) -> dict[str, Any]:
    """Read the body as one object; raise `Problem` with all errors."""
    body = read_body(request, serializer)
    body.errors.check()
    return body.items[0]


def read_object(
    serializer: serializers.Serializer[Any], data: Any, errors: Errors, index: int = 0, path: Path = ()
) -> dict[str, Any]:
    """Return the valid fields of `data`, with defaults. Errors are added to `errors`."""
    if isinstance(data, UnreadableBody):
        errors.add(index, path, "wrong_columns", data.detail)
        return {}
    fields = _writable(serializer)
    hidden = any(isinstance(each, Secret) for each in fields.values())
    if not isinstance(data, dict):
        what, value = ("The body", None) if hidden else (shown(data), data)
        errors.add(index, path, "wrong_type", f"{what} is not a JSON object. Write it in braces.", value)
        return {}
    for key in data:
        if key not in fields:
            rule = f"Use one of: {', '.join(fields)}."
            value = None if hidden else data[key]
            detail = f"{shown(key)} is not a known field. {rule}"
            errors.add(index, (*path, key), "unknown_field", detail, value)
    out: dict[str, Any] = {}
    for name, each in fields.items():
        if name in data:
            _read_field(each, data[name], out, errors, index, (*path, name))
        elif each.required and not serializer.partial:
            errors.add(index, (*path, name), "required", "This field is missing; it is required.")
        elif each.default is not serializers.empty and not serializer.partial:
            out[name] = each.get_default()
    return out


def _read_field(  # noqa: PLR0917
    each: serializers.Field[Any, Any, Any, Any],
    value: Any,
    out: dict[str, Any],
    errors: Errors,
    index: int,
    path: Path,
) -> None:
    name = str(path[-1])
    before = len(errors.found)
    read: Any = None
    if isinstance(each, serializers.ListSerializer) and value is not None:
        read = _read_list(each, value, errors, index, path)
    elif isinstance(each, serializers.Serializer) and value is not None:
        read = read_object(each, value, errors, index, path)
    else:
        try:
            read = each.run_validation(value)
        except serializers.ValidationError as error:
            for at, code, detail in _flatten(error.detail):
                at_fault = None if isinstance(each, Secret) else _at(value, at)
                errors.add(index, (*path, *at), code, detail, at_fault)
    if len(errors.found) == before:
        out[name] = read


def _read_list(
    each: serializers.ListSerializer[Any], value: Any, errors: Errors, index: int, path: Path
) -> list[dict[str, Any]]:
    if not isinstance(value, list):
        hint = f" Expected: {each.help_text}." if each.help_text else ""
        errors.add(index, path, "wrong_type", f"{shown(value)} is not a list.{hint}", value)
        return []
    limit = getattr(each, "max_length", None) or MAX_NESTED
    if len(value) > limit:
        errors.add(index, path, "too_many", f"The list has {len(value)} items; the limit is {limit}.")
        return []
    child = each.child
    assert isinstance(child, serializers.Serializer)
    return [read_object(child, item, errors, index, (*path, i)) for i, item in enumerate(value)]


def _writable(serializer: serializers.Serializer[Any]) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
    return {name: each for name, each in serializer.fields.items() if not each.read_only}


def _flatten(detail: Any, path: Path = ()) -> Iterator[tuple[Path, str, str]]:
    if isinstance(detail, dict):
        for key, inner in detail.items():
            yield from _flatten(inner, (*path, key))
    elif isinstance(detail, list):
        for inner in detail:
            yield from _flatten(inner, path)
    else:
        yield path, str(getattr(detail, "code", "invalid") or "invalid"), str(detail)


def _at(value: Any, path: Path) -> object:
    for step in path:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return None
    return value
