"""OpenAPI description of the authentication."""

from typing import Any

from drf_spectacular.authentication import SessionScheme as FrameworkScheme
from drf_spectacular.extensions import OpenApiAuthenticationExtension


class BearerScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """Authentication by `Authorization: Bearer TOKEN`."""

    target_class = "controlplane.accounts.authentication.BearerAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        """Return the security scheme object of OpenAPI."""
        return {"type": "http", "scheme": "bearer", "description": "Access token."}


class SessionScheme(FrameworkScheme):  # type: ignore[no-untyped-call]
    """Authentication by the cookie of a session."""

    target_class = "controlplane.accounts.authentication.SessionAuthentication"
