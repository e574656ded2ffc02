"""Reader of sets of dz in requests."""

from __future__ import annotations

from tercast.errors import Path, Refused
from tercast.eventspace import dz as dzs
from tercast.eventspace.dz import DzSet
from tercast.runtime.strict_json import expect_list, expect_text

MAX_CELLS = 1 << 16
"""Maximum number of cells in a request."""


def read_cells(value: object, path: Path, fewest: int = 1) -> DzSet:
    """Read a set of dz from a list of texts; at least `fewest`."""
    items = expect_list(value, path)
    if not fewest <= len(items) <= MAX_CELLS:
        detail = f"the list has {len(items)} cells; a set of dz has {fewest} to {MAX_CELLS}"
        raise Refused(path, "bad_count", detail)
    return dzs.canonical(dzs.parse(expect_text(item, (*path, i)), (*path, i)) for i, item in enumerate(items))
