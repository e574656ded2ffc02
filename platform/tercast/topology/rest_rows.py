"""A topology's switches, links and hosts as rows of the REST API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

API_NAMES: Mapping[str, Mapping[str, str]] = {
    "switches": {"id": "name", "name": "label", "lat": "latitude", "lon": "longitude"},
    "links": {},
    "hosts": {"id": "name"},
}
"""For each part of a topology, the fields with another name in the API. Other names are equal."""

LEARNT = frozenset({"reserve", "capacity", "declared"})
"""Fields of a switch that a running platform finds out itself; the API does not accept them."""


def api_row(part: str, row: Mapping[str, Any]) -> dict[str, Any]:
    """Translate an entry of a topology file into the body that the REST API accepts.

    Every field is kept, except those in `LEARNT`. A field without a value is left out, so that the API uses
    its default. A switch that was found to be full below its budget gets its declared budget back.

    Args:
        part: `switches`, `links` or `hosts`.
        row: an entry of that part, as in a scenario's topology.
    """
    kept = dict(row)
    if part == "switches":
        if kept.get("capacity") is not None:
            kept["tcam_budget"] = kept.get("declared")
        kept = {key: value for key, value in kept.items() if key not in LEARNT}
    names = API_NAMES[part]
    return {names.get(key, key): value for key, value in kept.items() if value is not None}
