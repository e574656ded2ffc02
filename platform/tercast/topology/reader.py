"""Reader for the topology of a scenario, which reports all errors together."""

from __future__ import annotations

from collections.abc import Callable

from tercast.errors import Path, Refused, RefusedMany
from tercast.runtime.strict_json import expect_keys, expect_list
from tercast.topology.topology import Topology


def read_topology(obj: object, family: str, path: Path = ()) -> Topology:
    """Read a topology from a JSON object; raise RefusedMany with one error for each bad item."""
    fields = expect_keys(obj, path, ("switches", "links", "hosts"))
    topology = Topology(family)
    errors: list[Refused] = []
    refused_switches: set[object] = set()
    parts: tuple[tuple[str, Callable[[object, Path], object]], ...] = (
        ("switches", topology.add_switch),
        ("links", topology.add_link),
        ("hosts", topology.add_host),
    )
    for part, add in parts:
        try:
            items = expect_list(fields[part], (*path, part))
        except Refused as refused:
            errors.append(refused)
            continue
        for i, item in enumerate(items):
            try:
                add(item, (*path, part, i))
            except Refused as refused:
                if part == "switches" and isinstance(item, dict):
                    refused_switches.add(str(item.get("id")))
                # A switch with an error is one error. Links and hosts that name it are not reported again.
                elif refused.code == "unknown_switch" and refused.value in refused_switches:
                    continue
                errors.append(refused)
    if errors:
        raise RefusedMany(errors)
    return topology
