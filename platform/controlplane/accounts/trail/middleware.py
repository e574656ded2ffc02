"""What of all calls goes into the trail: changes, and whatever was denied."""

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
TOLD = 10
"""Errors of a call that are told."""
logger = logging.getLogger(__name__)


class Trail:
    """Ends what a view has begun in the trail, and notes what was denied before it could begin.

    Log-ins note themselves. An attempt without credentials to read is no more than an open door tried.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """The answer, unchanged; a trail that cannot be written is logged and stops nobody."""
        response = self.get_response(request)
        try:
            self._note(request, response)
        except DatabaseError:
            logger.exception("an action cannot be noted: %s %s", request.method, request.path)
        return response

    def _note(self, request: HttpRequest, response: HttpResponseBase) -> None:
        begun = getattr(request, BEGUN, None)
        status = response.status_code
        if begun is not None:
            writer.end(begun, status, response.headers.get("Location"), detail_of(response))
        elif status in DENIED and _counts(request):
            writer.note(request, resource_of(request), status, detail_of(response))
        elif status in OUTAGES:
            return  # nothing was done, and the database cannot take a row now
        elif request.path.startswith("/admin/") and request.method not in SAFE and not _log_in(request):
            known = request.user.is_authenticated
            writer.note(request, "admin", status if known else 401, "" if known else "not logged in")


def _counts(request: HttpRequest) -> bool:
    """Whether a denied call is told: log-ins tell themselves, and who reads without a log-in is nobody."""
    if _log_in(request):
        return False
    known = writer.actor_of(request)
    return bool(known or request.method not in SAFE or "Authorization" in request.headers)


def _log_in(request: HttpRequest) -> bool:
    return request.path.endswith(("/login/", "/logout/"))


def resource_of(request: HttpRequest) -> str:
    """The kind of thing that a call is about: the address without what identifies one of them."""
    match = request.resolver_match
    path = request.path.removeprefix("/api/v1/")
    for value in match.kwargs.values() if match else ():
        path = path.replace(f"/{value}/", "/", 1)
    return path.strip("/")


def detail_of(response: Any) -> str:
    """Why it was not done, from a problem document; of a bad call places and rules, never its values."""
    data = getattr(response, "data", None)
    if response.status_code < 400 or not isinstance(data, dict):
        return ""
    errors = data.get("errors", ()) if response.status_code == 400 else ()
    return "; ".join(map(_place, errors[:TOLD])) or str(data.get("detail", ""))


def _place(error: dict[str, Any]) -> str:
    item = f"item {error['index']} " if "index" in error else ""
    return f"{item}{error.get('parameter') or error['pointer'] or 'body'}: {error['code']}"
