"""Topologies that come with Tercast, and how a topology file is read.

A file holds the scenario format's `topology` object; its switches may also have a `name`, `lat` and `lon`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mininet_labs.errors import LabError

FOLDER = Path(__file__).parent
SHOWN_ONLY = frozenset({"name", "lat", "lon"})
"""What a switch has for maps and people, and the core's reader does not know."""


def built_in() -> list[str]:
    """The names of the topologies that come along."""
    return sorted(path.stem for path in FOLDER.glob("*.json"))


def load(source: str | Path) -> dict[str, Any]:
    """The topology in a file, or the one that comes along under that name; LabError when there is none."""
    path = FOLDER / f"{source}.json" if source in built_in() else Path(source)
    try:
        topology = json.loads(path.read_text("utf-8"))
    except OSError as error:
        rule = f"cannot be read ({error.strerror})"
        raise LabError(source, rule, f"name a file or one of {', '.join(built_in())}") from error
    except ValueError as error:
        raise LabError(source, f"is no JSON ({error})", "correct the file") from error
    if not isinstance(topology, dict):
        raise LabError(
            source, "is no topology object", 'write {"switches": [...], "links": [...], "hosts": [...]}'
        )
    for kind in ("switches", "links", "hosts"):
        _check_objects(topology.get(kind, []), f"{source}: {kind}")
    return topology


def core_topology(topology: Mapping[str, Any]) -> dict[str, Any]:
    """The topology as the core's strict reader takes it: without what is for maps and people."""
    switches = [
        {key: value for key, value in switch.items() if key not in SHOWN_ONLY}
        for switch in topology.get("switches", [])
    ]
    return {**topology, "switches": switches}


def _check_objects(entries: object, path: str) -> None:
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise LabError(path, "is no list of objects", "write a list, it may be empty")
