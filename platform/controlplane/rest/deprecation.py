"""Announcing that an address will go: `Deprecation` (RFC 9745), `Sunset` (RFC 8594), and a link."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.http import http_date


@dataclass(frozen=True, slots=True)
class Deprecated:
    """Since when an address is to go, when it will be gone (both with zones), and where to read about it."""

    since: datetime
    sunset: datetime
    link: str

    def tell(self, response: Any) -> None:
        """Put the headers on an answer."""
        response.headers["Deprecation"] = f"@{int(self.since.timestamp())}"
        response.headers["Sunset"] = http_date(self.sunset.timestamp())
        response.headers["Link"] = f'<{self.link}>; rel="deprecation"'
