"""Section `controller`: entries installed through the controller, compared with `ovs-ofctl`."""

from __future__ import annotations

from typing import Any

from bench_child import log, result_of
from bench_extent import Extent


def measure(extent: Extent) -> dict[str, Any]:
    """Run `bench_controller.py` with one and with eleven switches; raises ChildFailed."""
    log(f"controller: {extent.installed:,} entries on 1 and on 11 switches")
    sizes = ("--entries", extent.installed, "--rounds", extent.rounds, "--switches", 1, 11)
    found = result_of("bench_controller.py", *sizes)
    return {name: found[name] for name in ("entries", "rounds", "switches")}
