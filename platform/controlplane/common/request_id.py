"""Ids of requests, which occur in answers, problems and the log."""

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
    """Accepts a well-formed `X-Request-ID` or creates one; disables caching of API answers."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Return the answer with its id."""
        given = request.headers.get(HEADER, "")
        name = named(given)
        request.request_id = name  # type: ignore[attr-defined]
        _current.set(name)  # kept for Django's log lines after the answer
        response = self.get_response(request)
        response.headers[HEADER] = name
        if request.path.startswith("/api/"):
            response.headers.setdefault("Cache-Control", "no-store")
        return response


def named(given: str) -> str:
    """Return the caller's id if it is well-formed, otherwise a new one."""
    return given if _ACCEPTED.fullmatch(given) else secrets.token_hex(16)


def current() -> str:
    """Return the id of the current call; "-" outside of calls."""
    return _current.get()


def request_id(request: Any) -> str:
    """Return the id of a request of Django or the REST framework."""
    return str(getattr(getattr(request, "_request", request), "request_id", "-"))
