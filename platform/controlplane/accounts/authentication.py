"""Authentication by `Authorization: Bearer TOKEN`, and by the session of a browser."""

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
"""Request attribute with the user of a session that sent a write without the CSRF token."""


class BearerAuthentication(BaseAuthentication):
    """Authentication by an access token. It ignores other schemes."""

    def authenticate(self, request: Request) -> tuple[User, Token] | None:
        """Return the token's user and the token; None without a Bearer header.

        Raises:
            AuthenticationFailed: if the header or the token is not valid.
        """
        words = request.META.get("HTTP_AUTHORIZATION", "").split()
        if not words or words[0].lower() != SCHEME:
            return None
        if len(words) != 2:
            raise AuthenticationFailed(
                "The Authorization header is not valid. Send `Authorization: Bearer TOKEN`."
            )
        token = find_token(words[1])
        if token is None:
            raise AuthenticationFailed("The token is unknown. Send a valid token, or create a new one.")
        _check_standing(token)
        note_use(token)
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        """Return the value of `WWW-Authenticate` for 401 answers."""
        return 'Bearer realm="tercast"'


class SessionAuthentication(FrameworkSession):
    """Authentication by the session. A write needs the CSRF token."""

    def enforce_csrf(self, request: Request) -> None:
        """Check the CSRF token like the framework, and store the session's user for the audit trail."""
        user = request._request.user
        try:
            super().enforce_csrf(request)
        except PermissionDenied:
            setattr(request._request, CSRF_REFUSED, user)
            raise


def _check_standing(token: Token) -> None:
    if token.revoked_at is not None:
        raise AuthenticationFailed(
            f"The token was revoked at {token.revoked_at.isoformat()}. Use another one."
        )
    if token.expires_at is not None and token.expires_at <= timezone.now():
        raise AuthenticationFailed(f"The token expired at {token.expires_at.isoformat()}. Use another one.")
    if not token.user.is_active:
        raise AuthenticationFailed("The user of the token is not active. Ask an administrator.")
