"""The content security policy: strict, with a fresh nonce for each response."""

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
    # Swagger UI's page comes with a style sheet inside.
    "/api/docs/": {"style-src": ("'self'", "'unsafe-inline'")},
    # The form of a schedule comes with a script inside; the rest of the admin needs nothing.
    "/admin/django_celery_beat/periodictask/": {"script-src": ("'self'", "'unsafe-inline'")},
}
"""Directives that differ below a path, and nowhere else."""


class ContentSecurityPolicy:
    """Middleware that puts the policy on every response and `request.csp_nonce` on every request."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """The response to `request`, with its policy."""
        nonce = secrets.token_urlsafe(18)
        request.csp_nonce = nonce  # type: ignore[attr-defined]
        response = self.get_response(request)
        response.headers[HEADER] = policy(request.path, nonce, _websocket_origin(request))
        return response


def policy(path: str, nonce: str, websocket: str) -> str:
    """The policy for `path`: the strict one, but for directives of an exception that it is under."""
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
    """This origin's WebSocket twin, which not every browser counts as 'self'; empty for a bad Host."""
    try:
        host = request.get_host()
    except DisallowedHost:
        return ""
    return f"{'wss' if request.is_secure() else 'ws'}://{host}"
