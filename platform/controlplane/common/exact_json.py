"""JSON from the database, with numbers of the same type as when they were written."""

import json
from typing import Any

from tercast.runtime.strict_json import SAFE_INTEGER


class Decoder(json.JSONDecoder):
    """Decoder that reads an integer beyond ±(2^53-1) as the double that was written.

    PostgreSQL stores numbers as decimals, and returns 1e+300 as 301 digits. Our JSON has no integers of that
    size, because they are written as decimal strings.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"parse_int": _parse_int, **options})


def _parse_int(digits: str) -> int | float:
    value = int(digits)
    return value if -SAFE_INTEGER <= value <= SAFE_INTEGER else float(digits)
