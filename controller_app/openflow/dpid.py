"""Datapath ids of switches: numbers, written as 16 hexadecimal digits."""

from __future__ import annotations

import re

from tercast.errors import Path, Refused, shown
from tercast.runtime.strict_json import expect_text

_DPID = re.compile(r"[0-9a-fA-F]{16}")


def parse_dpid(text: object, path: Path = ()) -> int:
    """Parse a datapath id: text of exactly 16 hexadecimal digits, not all zero.

    Raises:
        Refused: The value is not such a text.
    """
    value = expect_text(text, path)
    if not _DPID.fullmatch(value):
        detail = f'{shown(value)} is not a datapath id; write 16 hexadecimal digits, e.g. "0000000000000001"'
        raise Refused(path, "bad_dpid", detail, value)
    if not (dpid := int(value, 16)):
        raise Refused(path, "bad_dpid", "0000000000000000 is not a datapath id; the lowest is 1", value)
    return dpid
