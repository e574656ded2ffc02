"""Execution of write calls: audit record, once per idempotency key, version check."""

from collections.abc import Callable
from typing import Any

from django.db import transaction
from django.db.models import F
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.response import Response

from controlplane.accounts.trail import writer
from controlplane.accounts.trail.middleware import BEGUN, resource_of
from controlplane.rest import etags
from controlplane.rest.idempotency import keys
from controlplane.rest.prefer_header import Awaited

EDITS = ("PATCH", "DELETE")


def carry_out(view: Any, request: Request, act: Callable[[], Response]) -> Response:
    """Run `act`, the view's handler, and return its answer.

    A change of a single object and a call with an `Idempotency-Key` are one transaction with everything that
    they store. If the caller asked to wait, the wait starts after this transaction.
    """
    if request.method in SAFE_METHODS:
        read: Response = view.tagged(request, act())
        return read
    dry = request.query_params.get("dry_run") == "true"
    if view.audited and not dry:
        _begin(request)
    key = keys.key_of(request) if view.keyed and not dry else None
    edits = view.versioned and request.method in EDITS and not dry and (view.single or "pk" in view.kwargs)
    response = _once(view, request, key, _edit(view, request, act) if edits else act)
    if not isinstance(response, Awaited):
        return response
    answer = response.settled()
    if key is not None:
        keys.keep_end(request, key, answer)
    return answer


def _once(view: Any, request: Request, key: str | None, act: Callable[[], Response]) -> Response:
    if key is None:
        return act()
    return keys.once(request, key, view.secret, act)


def _edit(view: Any, request: Request, act: Callable[[], Response]) -> Callable[[], Response]:
    """Wrap `act` in a transaction that checks `If-Match` and increments the version of the row."""

    def edit() -> Response:
        with transaction.atomic():
            etags.check_match(view, request)
            response = act()
            model = view.get_queryset().model if hasattr(view, "get_queryset") else None
            if model is not None and etags.has_version(model):
                model._default_manager.filter(pk=view.row_id()).update(version=F("version") + 1)
        return response

    return edit


def _begin(request: Request) -> None:
    """Record the call in the audit trail before it changes anything."""
    call = request._request
    setattr(call, BEGUN, writer.begin(call, resource_of(call)))
