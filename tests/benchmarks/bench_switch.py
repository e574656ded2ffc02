"""Rate of a switch: `ovs-ofctl --bundle add-flows` on a private Open vSwitch.

It is measured with a planned table, and with the diffs of batches of requests.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from time import perf_counter
from typing import Any

from bench_child import Guard, in_child, log
from bench_extent import Case, Extent
from bench_planners import Subject, use_kernels

from mininet_labs.fabric import Fabric, FabricError
from mininet_labs.install import HostsByName, flow, match
from tercast.tables.entries import Diff, SwitchDiff

RUNS = 3
PARTS = 8
"""Number of switches whose parts of a diff are carried out: the largest one, and others spread by size."""
ONE_SWITCH: dict[str, Any] = {
    "switches": [{"id": "s1", "dpid": f"{1:016x}"}],
    "links": [],
    "hosts": [],
}


def measure(extent: Extent) -> dict[str, Any]:
    """Return the flows per second, the best of three, each time with an empty table."""
    lines = in_child(planned_flows, extent.flows)
    folder = Path(tempfile.mkdtemp(prefix="tb-", dir="/tmp"))
    try:
        with Fabric(folder / "f", ONE_SWITCH, timeout=120) as fabric:
            seconds = [_install(fabric, lines) for _ in range(RUNS)]
            start_ms = _start_ms(fabric)
    except FabricError as error:
        log(f"switch: {error}")
        return {"skipped": str(error)}
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    rate = round(len(lines) / min(seconds))
    log(f"switch: {rate} flows/s with ovs-ofctl --bundle add-flows")
    return {
        "command": "ovs-ofctl -O OpenFlow13 --bundle add-flows BRIDGE -",
        "flows": len(lines),
        "seconds": [round(value, 3) for value in seconds],
        "flows_per_s": rate,
        "start_ms": round(start_ms, 2),
    }


def some_parts(diffs: Iterable[Diff], hosts: HostsByName) -> list[str]:
    """Return some switches' parts of diffs in the syntax of `ovs-ofctl`, the largest first."""
    parts = sorted((part for diff in diffs for part in diff.switches), key=len, reverse=True)
    some = [parts[n * len(parts) // PARTS] for n in range(PARTS)] if len(parts) > PARTS else parts
    return [_text(part, hosts) for part in some]


def _text(part: SwitchDiff, hosts: HostsByName) -> str:
    lines = [
        *(f"add {flow(entry, hosts)}" for entry in part.installs),
        *(f"delete_strict {match(entry)}" for entry in part.removed),
    ]
    return "\n".join(chain(lines, ("",)))


def time_parts(batches: list[dict[str, Any]]) -> None:
    """Replace the `parts` of diffs by the time that a switch needs for them, in milliseconds.

    `switch_ms` is the time for one bundle per switch, one at a time: the mean of the parts times their
    number. `slowest_part_ms` is the time for the largest part, as if all switches worked in parallel. Both
    are None without Open vSwitch, or if nothing changes. Both include the start of `ovs-ofctl`; `start_ms` is
    its time with nothing to add.
    """
    folder = Path(tempfile.mkdtemp(prefix="tb-", dir="/tmp"))
    try:
        with Fabric(folder / "f", ONE_SWITCH, timeout=120) as fabric:
            start_ms = _start_ms(fabric)
            for figures in batches:
                _carry_out(fabric, figures, start_ms)
    except FabricError as error:
        log(f"switch: {error}")
        for figures in batches:
            if figures.pop("parts", None) is not None:
                figures |= {"switch_ms": None, "slowest_part_ms": None, "start_ms": None}
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _carry_out(fabric: Fabric, figures: dict[str, Any], start_ms: float) -> None:
    took = [1000 * min(_seconds(fabric, text) for _ in range(2)) for text in figures.pop("parts")]
    fabric.ofctl("s1", "del-flows")
    figures["switch_ms"] = round(sum(took) / len(took) * figures["switches"], 2) if took else None
    figures["slowest_part_ms"] = round(max(took), 2) if took else None
    figures["start_ms"] = round(start_ms, 2)


def _start_ms(fabric: Fabric) -> float:
    """Return the time of `ovs-ofctl` with nothing to add."""
    return 1000 * min(_seconds(fabric, "") for _ in range(RUNS))


def _seconds(fabric: Fabric, text: str) -> float:
    start = perf_counter()
    fabric.ofctl("s1", "add-flows", "-", "--bundle", input=text)
    return perf_counter() - start


def planned_flows(number: int) -> list[str]:
    """Return entries of a switch of the fat tree, uniform filters, in the syntax of `ovs-ofctl`."""
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
    """Return the seconds to add flows to an empty table, which is emptied afterwards."""
    text = "\n".join(chain(lines, ("",)))
    seconds = _seconds(fabric, text)
    there = fabric.ofctl("s1", "dump-aggregate")
    assert f"flow_count={len(lines)}" in there, there
    fabric.ofctl("s1", "del-flows")
    return seconds
