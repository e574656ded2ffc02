"""Errors of the API as problem details (RFC 9457), with all errors in one answer."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from tercast.errors import Path, Refused, RefusedMany, shown

TYPE_PREFIX = "urn:tercast:problem:"
MAX_ERRORS = 10_000
_SAFE_INTEGER = (1 << 53) - 1
_MAX_TEXT = 200

Scalar = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class FieldError:
    """An invalid value: its place (JSON pointer or parameter name), and the broken rule.

    `detail` has value, rule and remedy. `index` is the item's place in a bulk body, and `line` is its first
    line. `existing` is the address of the object that a duplicate repeats.
    """

    pointer: str
    code: str
    detail: str
    value: object = None
    index: int | None = None
    parameter: str | None = None
    line: int | None = None
    existing: str | None = None

    def to_json(self) -> dict[str, Scalar]:
        """Return the entry for `errors` of a problem, without fields that have no value."""
        out: dict[str, Scalar] = {
            "pointer": _encodable(self.pointer),
            "code": self.code,
            "detail": _encodable(self.detail),
            "value": scalar(self.value),
        }
        if self.index is not None:
            out["index"] = self.index
        if self.line is not None:
            out["line"] = self.line
        if self.parameter is not None:
            out["parameter"] = self.parameter
        if self.existing is not None:
            out["existing"] = self.existing
        return out


@dataclass(eq=False)
class Problem(Exception):  # noqa: N818 - named by meaning
    """An error answer; any code can raise it, and the exception handler renders it."""

    status: int
    code: str
    detail: str
    errors: tuple[FieldError, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)

    def to_json(self, request_id: str) -> dict[str, Any]:
        """Return the problem document."""
        document: dict[str, Any] = {
            "type": TYPE_PREFIX + self.code,
            "title": HTTPStatus(self.status).phrase,
            "status": self.status,
            "detail": _encodable(self.detail),
            "request_id": request_id,
            "errors": [error.to_json() for error in self.errors[:MAX_ERRORS]],
        }
        return document


def invalid(errors: Iterable[FieldError], code: str = "invalid") -> Problem:
    """Return a 400 for invalid input, with all errors in one answer."""
    found = tuple(errors)
    if len(found) == 1:
        detail = found[0].detail
    elif len(found) > MAX_ERRORS:
        detail = f"{len(found)} values are invalid; the first {MAX_ERRORS} are listed in `errors`."
    else:
        detail = f"{len(found)} values are invalid; see `errors`."
    return Problem(HTTPStatus.BAD_REQUEST, code, detail, found)


def bad_parameter(name: str, code: str, detail: str, value: object = None) -> Problem:
    """Return a 400 for a query parameter, a part of the path, or a header."""
    return invalid([FieldError("", code, detail, value, parameter=name)])


def conflict(code: str, detail: str, errors: Iterable[FieldError] = ()) -> Problem:
    """Return a 409: the request conflicts with the present state."""
    return Problem(HTTPStatus.CONFLICT, code, detail, tuple(errors))


def too_large(detail: str) -> Problem:
    """Return a 413, whose detail has the limit."""
    return Problem(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too_large", detail)


def not_found(detail: str) -> Problem:
    """Return a 404."""
    return Problem(HTTPStatus.NOT_FOUND, "not_found", detail)


def no_such(noun: str, key: object, resource: str = "") -> Problem:
    """Return a 404 for an object that does not exist; the detail names the list of objects.

    Args:
        noun: Name of an object in messages.
        key: Id or name in the address.
        resource: Path of the list below `/api/v1/`; by default the plural of the noun.
    """
    several = f"{noun}es" if noun.endswith("ch") else f"{noun}s"
    listed = f"GET /api/v1/{resource or several.replace(' ', '-')}/ lists all {several}"
    return not_found(f"There is no {noun} {key}. It may have been removed. {listed}.")


def pointer(path: Path) -> str:
    """Return the JSON pointer (RFC 6901) of a path of keys and indexes."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


def from_refused(
    refused: Refused | RefusedMany, under: Path = (), index: int | None = None
) -> list[FieldError]:
    """Convert refusals of the core library to errors of a body; paths start with `under`."""
    errors = refused.errors if isinstance(refused, RefusedMany) else (refused,)
    return [
        FieldError(pointer((*under, *error.path)), error.code, error.detail, error.value, index)
        for error in errors
    ]


def scalar(value: object) -> Scalar:
    """Return `value` for an answer; long texts and containers are shortened."""
    match value:
        case None | bool():
            return value
        case int():
            return value if abs(value) <= _SAFE_INTEGER else _integer_text(value)
        case float():
            return value if value - value == 0 else repr(value)  # no NaN, no infinity in JSON
        case str():
            return _encodable(value if len(value) <= _MAX_TEXT else value[:_MAX_TEXT] + "...")
        case _:
            return shown(value)


def _encodable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


def _integer_text(value: int) -> str:
    return str(value) if value.bit_length() <= 512 else shown(value)
