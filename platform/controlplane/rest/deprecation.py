"""Headers of deprecated addresses: `Deprecation` (RFC 9745), `Sunset` (RFC 8594), `Link`."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.http import http_date


@dataclass(frozen=True, slots=True)
class Deprecated:
    """Start of a deprecation, date of the removal (both with time zones), and explaining link."""

    since: datetime
    sunset: datetime
    link: str

    def add_headers(self, response: Any) -> None:
        """Add the headers to an answer."""
        response.headers["Deprecation"] = f"@{int(self.since.timestamp())}"
        response.headers["Sunset"] = http_date(self.sunset.timestamp())
        response.headers["Link"] = f'<{self.link}>; rel="deprecation"'
