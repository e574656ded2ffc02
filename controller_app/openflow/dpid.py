"""Datapath ids: the numbers of switches, as text of 16 hex digits."""

from __future__ import annotations

import re

from tercast.errors import Path, Refused, shown
from tercast.runtime.strict_json import expect_text

_DPID = re.compile(r"[0-9a-fA-F]{16}")


def parse_dpid(text: object, path: Path = ()) -> int:
    """A datapath id: text of exactly 16 hex digits, not all zero."""
    value = expect_text(text, path)
    if not _DPID.fullmatch(value):
        raise Refused(path, "bad_dpid", f"{shown(value)} is not a datapath id of 16 hex digits", value)
    if not (dpid := int(value, 16)):
        raise Refused(path, "bad_dpid", "0000000000000000 is no datapath id; it is 1 or more", value)
    return dpid
