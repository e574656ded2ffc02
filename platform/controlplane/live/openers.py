"""Openers of streams: the same users, by session or token, that the REST API accepts."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from io import BytesIO
from typing import Any, cast
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth import get_user
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.core.exceptions import DisallowedHost
from django.core.handlers.asgi import ASGIRequest
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import APIException
from rest_framework.request import Request
from rest_framework.settings import api_settings

from controlplane.accounts.callers import caller_of, principal
from controlplane.accounts.roles import Role
from controlplane.accounts.scopes import Scope as TokenScope
from controlplane.live.protocol import Close, Ended, StreamEvent

ConnectionScope = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Opener:
    """The opener of a stream; `name` is the subject of limits: a token, or a user in a browser."""

    user: AbstractBaseUser
    name: str


def identify(scope: ConnectionScope) -> Opener:
    """Return the opener of the stream with the handshake `scope`.

    Every call reads the database again, so a later call checks whether the log-in is still valid.

    Raises:
        Ended: The log-in or the origin is missing or invalid.
    """
    request = _handshake(scope)
    _check_origin(request)
    call = Request(request, authenticators=_authenticators())
    try:
        user = call.user
    except APIException as error:
        raise Ended(Close.LOG_IN, str(error.detail)) from None
    if user is None or not user.is_authenticated:
        raise Ended(
            Close.LOG_IN, "not logged in: log in at /login/, or send the header 'Authorization: Bearer TOKEN'"
        )
    if not caller_of(call).has(Role.VIEWER, TokenScope.READ):
        raise Ended(
            Close.LOG_IN,
            "the token may not read the live stream: use one with the scope read that is not a client token",
        )
    return Opener(user, principal(call))


def may_see(user: AbstractBaseUser | AnonymousUser, event: StreamEvent) -> bool:
    """Whether `user` may see `event`; at present every active user may see all events."""
    return bool(user.is_active)


def _authenticators() -> list[BaseAuthentication]:
    classes = cast("list[type[BaseAuthentication]]", api_settings.DEFAULT_AUTHENTICATION_CLASSES)
    return [make() for make in classes]


def _handshake(scope: ConnectionScope) -> ASGIRequest:
    """Return the handshake as the GET request that it is, with session and user."""
    request = ASGIRequest({**scope, "type": "http", "method": "GET"}, BytesIO())
    store = import_module(settings.SESSION_ENGINE).SessionStore
    request.session = store(request.COOKIES.get(settings.SESSION_COOKIE_NAME))
    request.user = get_user(request)
    return request


def _check_origin(request: ASGIRequest) -> None:
    """Check the origin: a browser sends the page's origin, and programs send none.

    The origin must be this server or a trusted one. Without an origin, a session cookie is not sufficient,
    because it would not show who uses it.
    """
    origin = request.headers.get("Origin")
    try:
        host = request.get_host()
    except DisallowedHost:
        raise Ended(
            Close.ORIGIN, "the Host header does not name this server; connect under one of the server's names"
        ) from None
    if origin is None:
        if "Authorization" not in request.headers:
            raise Ended(
                Close.LOG_IN,
                "a connection without an Origin header needs the header 'Authorization: Bearer TOKEN'",
            )
        return
    if origin not in settings.CSRF_TRUSTED_ORIGINS and _authority(origin) != _authority(f"//{host}"):
        raise Ended(Close.ORIGIN, "this page is not from this server, so it may not open the live stream")


def _authority(url: str) -> tuple[str | None, int | None]:
    """Return host and port; the port is None if it is the default one."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return None, None
    default = {"http": 80, "https": 443}.get(parts.scheme)
    return parts.hostname, None if port == default else port
