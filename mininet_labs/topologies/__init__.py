"""Topologies that Tercast includes, and the reading of topology files.

A file has the `topology` object of a scenario. Its switches may also have `name`, `lat` and `lon`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mininet_labs.errors import LabError

FOLDER = Path(__file__).parent
SHOWN_ONLY = frozenset({"name", "lat", "lon"})
"""Fields of a switch for maps, which the reader of the core library does not know."""


def built_in() -> list[str]:
    """Return the names of the included topologies."""
    return sorted(path.stem for path in FOLDER.glob("*.json"))


def load(source: str | Path) -> dict[str, Any]:
    """Return the topology in a file, or the included one with this name.

    Raises:
        LabError: There is none, or it is malformed.
    """
    path = FOLDER / f"{source}.json" if source in built_in() else Path(source)
    try:
        topology = json.loads(path.read_text("utf-8"))
    except OSError as error:
        rule = f"cannot be read ({error.strerror})"
        raise LabError(
            source,
            rule,
            f"use the path of a file, or the name of an included topology: {', '.join(built_in())}",
        ) from error
    except ValueError as error:
        raise LabError(source, f"is not JSON ({error})", "correct the file") from error
    if not isinstance(topology, dict):
        raise LabError(
            source, "is not a topology object", 'write {"switches": [...], "links": [...], "hosts": [...]}'
        )
    for kind in ("switches", "links", "hosts"):
        _check_objects(topology.get(kind, []), f"{source}: {kind}")
    return topology


def core_topology(topology: Mapping[str, Any]) -> dict[str, Any]:
    """Return the topology without fields for maps, for the core library's strict reader."""
    switches = [
        {key: value for key, value in switch.items() if key not in SHOWN_ONLY}
        for switch in topology.get("switches", [])
    ]
    return {**topology, "switches": switches}


def _check_objects(entries: object, path: str) -> None:
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise LabError(path, "is not a list of objects", "write a list, which may be empty")
