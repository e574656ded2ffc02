"""Section `stages`: where the time of a change goes, from the call to confirmed switches."""

from __future__ import annotations

from typing import Any

from bench_child import log, result_of
from bench_extent import Extent


def measure(extent: Extent) -> dict[str, Any]:
    """Run `bench_stages.py`; raises ChildFailed."""
    log(f"stages: {extent.calls} rounds of 1 and of 32 clients, and a list of {extent.listed:,}")
    found = result_of("bench_stages.py", "--rounds", extent.calls, "--bulk", extent.listed)
    return {name: found[name] for name in ("database", "one_client", "clients", "bulk")}
