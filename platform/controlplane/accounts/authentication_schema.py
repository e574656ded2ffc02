"""How the API's schema describes the log-ins."""

from typing import Any

from drf_spectacular.authentication import SessionScheme as FrameworkScheme
from drf_spectacular.extensions import OpenApiAuthenticationExtension


class BearerScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """`Authorization: Bearer TOKEN`."""

    target_class = "controlplane.accounts.authentication.BearerAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        """The security scheme object of OpenAPI."""
        return {"type": "http", "scheme": "bearer", "description": "An access token."}


class SessionScheme(FrameworkScheme):  # type: ignore[no-untyped-call]
    """The session's cookie."""

    target_class = "controlplane.accounts.authentication.SessionAuthentication"
