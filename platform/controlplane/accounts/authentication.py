"""Log-in by `Authorization: Bearer TOKEN`, and by the session of a browser."""

from django.contrib.auth.models import User
from django.utils import timezone
from rest_framework.authentication import BaseAuthentication
from rest_framework.authentication import SessionAuthentication as FrameworkSession
from rest_framework.exceptions import AuthenticationFailed, PermissionDenied
from rest_framework.request import Request

from controlplane.accounts.models import Token
from controlplane.accounts.tokens import find_token, note_use

SCHEME = "bearer"
CSRF_REFUSED = "trail_denied_user"
"""Attribute of a request: the user of a session from which a write came without the CSRF token."""


class BearerAuthentication(BaseAuthentication):
    """Authenticates by an access token; other schemes are left to others."""

    def authenticate(self, request: Request) -> tuple[User, Token] | None:
        """The token's user and the token; None without a Bearer header."""
        words = request.META.get("HTTP_AUTHORIZATION", "").split()
        if not words or words[0].lower() != SCHEME:
            return None
        if len(words) != 2:
            raise AuthenticationFailed("The header must be `Authorization: Bearer TOKEN`, with one token.")
        token = find_token(words[1])
        if token is None:
            raise AuthenticationFailed("This token is not known. Issue one with `manage.py token USER`.")
        _check_standing(token)
        note_use(token)
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        """What 401 answers say in `WWW-Authenticate`."""
        return 'Bearer realm="tercast"'


class SessionAuthentication(FrameworkSession):
    """Authenticates by the session; a write needs the CSRF token."""

    def enforce_csrf(self, request: Request) -> None:
        """As the framework does; the audit trail is told whose session it was."""
        user = request._request.user
        try:
            super().enforce_csrf(request)
        except PermissionDenied:
            setattr(request._request, CSRF_REFUSED, user)
            raise


def _check_standing(token: Token) -> None:
    if token.revoked_at is not None:
        raise AuthenticationFailed(f"The token was revoked at {token.revoked_at.isoformat()}.")
    if token.expires_at is not None and token.expires_at <= timezone.now():
        raise AuthenticationFailed(f"The token expired at {token.expires_at.isoformat()}.")
    if not token.user.is_active:
        raise AuthenticationFailed("The token's user is not active.")
