"""A small HTTP layer over WSGI: routes, bearer token, JSON, and one format for all errors."""

from __future__ import annotations

import hmac
import json
import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qsl

from controller_app.errors import ControllerError
from tercast.errors import Path, Refused, RefusedMany, shown
from tercast.runtime.json_parser import parse_finite

MAX_BODY = 32 * 1024 * 1024

Environ = dict[str, Any]
StartResponse = Callable[[str, list[tuple[str, str]]], object]
Application = Callable[[Environ, StartResponse], Iterable[bytes]]

log = logging.getLogger(__name__)


class HttpProblem(ControllerError):  # noqa: N818 - named after the standard
    """An error response: status, code, detail, and optional headers."""

    def __init__(self, status: int, code: str, detail: str, headers: Sequence[tuple[str, str]] = ()) -> None:
        super().__init__(detail)
        self.status = status
        self.code = code
        self.detail = detail
        self.headers = list(headers)


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """A request with a valid token: the named parts of its path, its query, and its body."""

    parts: dict[str, str]
    query: dict[str, str]
    environ: Environ

    def json(self) -> object:
        """Read the body as JSON.

        Raises:
            HttpProblem: The body is too large.
            Refused: The body is not JSON in UTF-8.
        """
        return _read_json(_read_body(self.environ))


@dataclass(frozen=True, slots=True)
class TextAnswer:
    """A response that is not JSON, with its content type."""

    text: str
    kind: str


@dataclass(frozen=True, slots=True)
class HttpRoute:
    """A method, a path with named parts in angle brackets, and the handler of both.

    Attributes:
        open: Whether it requires no token.
    """

    method: str
    path: str
    handler: Callable[[HttpRequest], object]
    open: bool = False

    def match(self, path: str) -> dict[str, str] | None:
        """Return the named parts of `path`, or None if the path does not match."""
        wanted, given = self.path.split("/"), path.split("/")
        if len(wanted) != len(given):
            return None
        parts: dict[str, str] = {}
        for want, part in zip(wanted, given, strict=True):
            if want.startswith("<"):
                parts[want.strip("<>")] = part
            elif want != part:
                return None
        return parts


def application(routes: Sequence[HttpRoute], token: str) -> Application:
    """Return the WSGI application of routes; only open routes need no bearer token."""
    expected = f"Bearer {token}".encode()

    def serve(environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        try:
            status, body, headers = 200, _dispatch(routes, expected, environ), list[tuple[str, str]]()
        except HttpProblem as problem:
            status, headers = problem.status, problem.headers
            body = _problem_json(status, problem.code, problem.detail)
        except (Refused, RefusedMany) as refused:
            status, headers = 400, []
            errors = refused.errors if isinstance(refused, RefusedMany) else (refused,)
            detail = str(errors[0]) if len(errors) == 1 else f"{len(errors)} errors; the first: {errors[0]}"
            body = _problem_json(status, "refused", detail, errors)
        except Exception:
            log.exception("request failed", extra={"fields": {"path": environ.get("PATH_INFO")}})
            status, headers = 500, []
            body = _problem_json(status, "internal", "internal error of the controller; see its log")
        return _send(start_response, status, body, headers)

    return serve


def expect_query(request: HttpRequest, known: Sequence[str]) -> dict[str, str]:
    """Return the parameters of the query.

    Raises:
        Refused: A parameter is not `known`.
    """
    for name, value in request.query.items():
        if name not in known:
            names = ", ".join(known) or "none"
            raise Refused((name,), "unknown_parameter", f"unknown parameter; use only: {names}", value)
    return request.query


def _dispatch(routes: Sequence[HttpRoute], expected: bytes, environ: Environ) -> object:
    path, method = environ.get("PATH_INFO", ""), environ["REQUEST_METHOD"]
    found = [(route, parts) for route in routes if (parts := route.match(path)) is not None]
    if not any(route.open for route, _ in found):
        _authorise(expected, environ)
    if not found:
        raise HttpProblem(404, "not_found", f"the path {shown(path)} does not exist; see docs/northbound.md")
    for route, parts in found:
        if route.method == method:
            return route.handler(HttpRequest(parts, _query(environ.get("QUERY_STRING", "")), environ))
    allowed = ", ".join(sorted(route.method for route, _ in found))
    detail = f"the method {shown(method)} is not allowed for {shown(path)}; use {allowed}"
    raise HttpProblem(405, "method_not_allowed", detail, [("Allow", allowed)])


def _authorise(expected: bytes, environ: Environ) -> None:
    given = environ.get("HTTP_AUTHORIZATION", "").encode("latin-1", "replace")
    if not hmac.compare_digest(given, expected):
        challenge = [("WWW-Authenticate", 'Bearer realm="tercast controller"')]
        raise HttpProblem(
            401, "unauthorised", "send the header Authorization: Bearer TOKEN with a valid token", challenge
        )


def _query(text: str) -> dict[str, str]:
    try:
        pairs = parse_qsl(text, keep_blank_values=True, strict_parsing=bool(text), max_num_fields=20)
    except ValueError:
        detail = f"received {shown(text)}, which is not a query; write NAME=VALUE pairs with & between them"
        raise Refused((), "bad_query", detail, text) from None
    query: dict[str, str] = {}
    for name, value in pairs:
        if name in query:
            raise Refused((name,), "repeated", "this parameter occurs twice; send it once", value)
        query[name] = value
    return query


def _read_body(environ: Environ) -> bytes:
    length = environ.get("CONTENT_LENGTH") or ""
    if length and int(length) > MAX_BODY:
        raise _too_large()
    body: bytes = environ["wsgi.input"].read(MAX_BODY + 1)
    if len(body) > MAX_BODY:
        raise _too_large()
    return body


def _too_large() -> HttpProblem:
    return HttpProblem(413, "too_large", f"a body has at most {MAX_BODY} bytes; send smaller requests")


def _read_json(body: bytes) -> object:
    try:
        return parse_finite(body.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise Refused((), "bad_json", f"the body is not JSON in UTF-8: {reason[:200]}") from None


def _problem_json(status: int, code: str, detail: str, errors: Iterable[Refused] = ()) -> dict[str, object]:
    title = HTTPStatus(status).phrase
    problem: dict[str, object] = {
        "type": "about:blank",
        "title": title,
        "status": status,
        "code": code,
        "detail": detail,
    }
    listed = [_error_json(error) for error in errors]
    return {**problem, "errors": listed} if listed else problem


def _error_json(error: Refused) -> dict[str, object]:
    return {
        "pointer": _pointer(error.path),
        "code": error.code,
        "detail": error.detail,
        "value": _short(error.value),
    }


def _pointer(path: Path) -> str:
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


def _short(value: object) -> object:
    """Return a value that is safe to show: simple and short."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int) and abs(value) < 1 << 53:
        return value
    if isinstance(value, str) and len(value) <= 100:
        return value
    return shown(value)


def _send(
    start_response: StartResponse, status: int, body: object, headers: list[tuple[str, str]]
) -> Iterable[bytes]:
    if isinstance(body, TextAnswer):
        data, kind = body.text.encode(), body.kind
    else:
        data = json.dumps(body, separators=(",", ":")).encode()
        kind = "application/json" if status < 400 else "application/problem+json"
    fixed = [("Content-Type", kind), ("Content-Length", str(len(data))), ("Cache-Control", "no-store")]
    start_response(f"{status} {HTTPStatus(status).phrase}", fixed + headers)
    return [data]
