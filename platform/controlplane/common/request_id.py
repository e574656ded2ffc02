"""A name for every request, in its answer, its problems and the log."""

import re
import secrets
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from django.http import HttpRequest, HttpResponseBase

HEADER = "X-Request-ID"
_ACCEPTED = re.compile(r"[A-Za-z0-9._-]{8,64}")
_current: ContextVar[str] = ContextVar("request_id", default="-")


class RequestIdMiddleware:
    """Takes a well-formed `X-Request-ID` or makes one for the answer; keeps API answers out of caches."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """The answer, with its id."""
        given = request.headers.get(HEADER, "")
        name = named(given)
        request.request_id = name  # type: ignore[attr-defined]
        _current.set(name)  # stays for what Django logs once the answer is made
        response = self.get_response(request)
        response.headers[HEADER] = name
        if request.path.startswith("/api/"):
            response.headers.setdefault("Cache-Control", "no-store")
        return response


def named(given: str) -> str:
    """The id that a caller gave, where it is well-formed; else a new one."""
    return given if _ACCEPTED.fullmatch(given) else secrets.token_hex(16)


def current() -> str:
    """The id of the call that is being answered; "-" outside of calls."""
    return _current.get()


def request_id(request: Any) -> str:
    """The id of `request`, Django's or the REST framework's."""
    return str(getattr(getattr(request, "_request", request), "request_id", "-"))
