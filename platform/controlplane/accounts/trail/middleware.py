"""Middleware that records calls in the audit trail: changes, and all denied calls."""

import logging
from collections.abc import Callable
from typing import Any

from django.db import Error as DatabaseError
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from controlplane.accounts.trail import writer

SAFE = ("GET", "HEAD", "OPTIONS", "TRACE")
DENIED = (401, 403, 429)
OUTAGES = (503, 507)
BEGUN = "trail_begun"
MAX_RECORDED = 10
"""Maximum number of errors of a call in its record."""
logger = logging.getLogger(__name__)


class Trail:
    """Middleware that completes records started by views, and records calls denied earlier.

    Log-ins are recorded by signals. A read without credentials is not recorded.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Return the answer unchanged. If the trail cannot be written, log it and continue."""
        response = self.get_response(request)
        try:
            self._record_request(request, response)
        except DatabaseError:
            logger.exception("the audit trail cannot record %s %s", request.method, request.path)
        return response

    def _record_request(self, request: HttpRequest, response: HttpResponseBase) -> None:
        begun = getattr(request, BEGUN, None)
        status = response.status_code
        if begun is not None:
            writer.end(begun, status, response.headers.get("Location"), detail_of(response))
        elif status in DENIED and _counts(request):
            writer.record_action(request, resource_of(request), status, detail_of(response))
        elif status in OUTAGES:
            return  # nothing was changed, and the database cannot store a row now
        elif request.path.startswith("/admin/") and request.method not in SAFE and not _log_in(request):
            known = request.user.is_authenticated
            writer.record_action(request, "admin", status if known else 401, "" if known else "not logged in")


def _counts(request: HttpRequest) -> bool:
    """Whether a denied call is recorded: not log-ins, and not reads without credentials."""
    if _log_in(request):
        return False
    known = writer.actor_of(request)
    return bool(known or request.method not in SAFE or "Authorization" in request.headers)


def _log_in(request: HttpRequest) -> bool:
    return request.path.endswith(("/login/", "/logout/"))


def resource_of(request: HttpRequest) -> str:
    """Return the kind of object that a call concerns: the address without ids."""
    match = request.resolver_match
    path = request.path.removeprefix("/api/v1/")
    for value in match.kwargs.values() if match else ():
        path = path.replace(f"/{value}/", "/", 1)
    return path.strip("/")


def detail_of(response: Any) -> str:
    """Return why a call failed; for a 400 answer the places and rules, never the values."""
    data = getattr(response, "data", None)
    if response.status_code < 400 or not isinstance(data, dict):
        return ""
    errors = data.get("errors", ()) if response.status_code == 400 else ()
    return "; ".join(map(_place, errors[:MAX_RECORDED])) or str(data.get("detail", ""))


def _place(error: dict[str, Any]) -> str:
    item = f"item {error['index']} " if "index" in error else ""
    return f"{item}{error.get('parameter') or error['pointer'] or 'body'}: {error['code']}"
