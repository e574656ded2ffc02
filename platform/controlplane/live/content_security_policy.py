"""The content security policy: strict, with a new nonce for each response."""

import secrets
from collections.abc import Callable, Mapping

from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponseBase

HEADER = "Content-Security-Policy"

STRICT: Mapping[str, tuple[str, ...]] = {
    "default-src": ("'self'",),
    "script-src": ("'self'", "{nonce}"),
    "style-src": ("'self'", "{nonce}"),
    "img-src": ("'self'", "data:"),
    "connect-src": ("'self'", "{websocket}"),
    "frame-ancestors": ("'none'",),
    "base-uri": ("'none'",),
    "form-action": ("'self'",),
    "object-src": ("'none'",),
}

EXCEPTIONS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    # Swagger UI's page contains a style sheet.
    "/api/docs/": {"style-src": ("'self'", "'unsafe-inline'")},
    # The form of a schedule contains a script; the rest of the admin pages does not.
    "/admin/django_celery_beat/periodictask/": {"script-src": ("'self'", "'unsafe-inline'")},
}
"""Directives that differ only below a path."""


class ContentSecurityPolicy:
    """Middleware that sets the policy of every response and `request.csp_nonce` of requests."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Return the response to `request`, with its policy."""
        nonce = secrets.token_urlsafe(18)
        request.csp_nonce = nonce  # type: ignore[attr-defined]
        response = self.get_response(request)
        response.headers[HEADER] = policy(request.path, nonce, _websocket_origin(request))
        return response


def policy(path: str, nonce: str, websocket: str) -> str:
    """Return the policy for `path`: the strict one, with the directives of an exception."""
    directives = dict(STRICT)
    for prefix, exception in EXCEPTIONS.items():
        if path.startswith(prefix):
            directives |= exception
    filled = {"{nonce}": f"'nonce-{nonce}'", "{websocket}": websocket}
    return "; ".join(
        " ".join((name, *filter(None, (filled.get(source, source) for source in sources))))
        for name, sources in directives.items()
    )


def _websocket_origin(request: HttpRequest) -> str:
    """Return this origin for WebSockets, as not all browsers allow it by 'self'; or empty."""
    try:
        host = request.get_host()
    except DisallowedHost:
        return ""
    return f"{'wss' if request.is_secure() else 'ws'}://{host}"
