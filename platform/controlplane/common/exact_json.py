"""Reading JSON back from the database without losing what a number was."""

import json
from typing import Any

from tercast.runtime.strict_json import SAFE_INTEGER


class Decoder(json.JSONDecoder):
    """Reads an integer beyond ±(2^53-1) as the double that it was when it was written.

    PostgreSQL keeps numbers as decimals, and gives 1e+300 back as 301 digits. Integers of that size never
    stand in our JSON: they are written as decimal strings.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"parse_int": _parse_int, **options})


def _parse_int(digits: str) -> int | float:
    value = int(digits)
    return value if -SAFE_INTEGER <= value <= SAFE_INTEGER else float(digits)
