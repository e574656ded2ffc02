"""What a switch takes: `ovs-ofctl --bundle add-flows` on a private Open vSwitch, with a planned table."""

from __future__ import annotations

import shutil
import tempfile
from itertools import chain
from pathlib import Path
from time import perf_counter
from typing import Any

from bench_child import Guard, in_child, tell
from bench_extent import Case, Extent
from bench_planners import Subject, use_kernels

from mininet_labs.fabric import Fabric, FabricError
from mininet_labs.install import flow

RUNS = 3
ONE_SWITCH: dict[str, Any] = {
    "switches": [{"id": "s1", "dpid": f"{1:016x}"}],
    "links": [],
    "hosts": [],
}


def measure(extent: Extent) -> dict[str, Any]:
    """Flows a second, the best of three; each time into an empty table."""
    lines = in_child(planned_flows, extent.flows)
    folder = Path(tempfile.mkdtemp(prefix="tb-", dir="/tmp"))
    try:
        with Fabric(folder / "f", ONE_SWITCH, timeout=120) as fabric:
            seconds = [_install(fabric, lines) for _ in range(RUNS)]
    except FabricError as error:
        tell(f"switch: {error}")
        return {"skipped": str(error)}
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    rate = round(len(lines) / min(seconds))
    tell(f"switch: {rate} flows/s with ovs-ofctl --bundle add-flows")
    return {
        "command": "ovs-ofctl -O OpenFlow13 --bundle add-flows BRIDGE -",
        "flows": len(lines),
        "seconds": [round(value, 3) for value in seconds],
        "flows_per_s": rate,
    }


def planned_flows(number: int) -> list[str]:
    """So many entries of one switch of the fat tree, uniform filters, in the words of `ovs-ofctl`."""
    use_kernels("compiled")
    subject = Subject(Case("fat tree", "uniform", 5, 4))
    entries: list[Any] = []
    size = 0
    while len(entries) < number:
        size += max(25, number // 4)
        subject.grow(size, Guard(4096, 600))
        tables = subject.planner.tables()
        entries = max(tables.values(), key=len)
    hosts = subject.planner.topology.hosts
    return [flow(entry, hosts) for entry in entries[:number]]


def _install(fabric: Fabric, lines: list[str]) -> float:
    """Seconds to add the flows to an empty table; afterwards it is empty again."""
    text = "\n".join(chain(lines, ("",)))
    start = perf_counter()
    fabric.ofctl("s1", "add-flows", "-", "--bundle", input=text)
    seconds = perf_counter() - start
    there = fabric.ofctl("s1", "dump-aggregate")
    assert f"flow_count={len(lines)}" in there, there
    fabric.ofctl("s1", "del-flows")
    return seconds
