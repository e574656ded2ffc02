"""Very many subscriptions in a large random network: seconds and memory, limited to 8 GiB."""

from __future__ import annotations

from typing import Any

from bench_child import Guard, in_child, log, peak_rss_mib
from bench_extent import GRAPHS, Case, Extent
from bench_planners import Subject, use_kernels

LIMIT_MIB = 8 * 1024
MARGIN_MIB = 1024
"""Distance to the limit at which growing stops, so that the child process can report its results."""


def measure(extent: Extent) -> list[dict[str, Any]]:
    """Measure Zipf filters completely, and uniform filters as far as time and memory allow."""
    rows = []
    for filters, seconds in (("zipf", 3600.0), ("uniform", extent.large_uniform_seconds)):
        row = in_child(measure_case, filters, seconds, extent, address_space_mib=LIMIT_MIB)
        log(
            f"large: {filters}: {row['deployed']} deployed, {row['entries']} entries, {row['seconds']} s, "
            f"peak {row['peak_rss_mib']} MiB" + (f" ({row['stopped']})" if row["stopped"] else "")
        )
        rows.append(row)
    return rows


def measure_case(filters: str, seconds: float, extent: Extent) -> dict[str, Any]:
    """Grow a planner in batches; `stopped` is the reason why fewer subscriptions were deployed."""
    use_kernels("compiled")
    case = Case(extent.large_graph, filters, 5, 4)
    network = GRAPHS[case.graph]()
    subject = Subject(case, publishers=8)
    guard = Guard(LIMIT_MIB - MARGIN_MIB, seconds)
    grown, stopped = subject.grow(extent.large_deployed, guard)
    return {
        "graph": case.graph,
        "switches": len(network["switches"]),
        "links": len(network["links"]),
        "hosts": len(network["hosts"]),
        "filters": filters,
        "attributes": case.attributes,
        "cells": case.cells,
        "wanted": extent.large_deployed,
        "deployed": len(subject.live),
        "entries": sum(subject.planner.counts().values()),
        "seconds": round(guard.spent, 1),
        "requests_per_s": grown["requests_per_s"],
        "changes_per_s": grown["changes_per_s"],
        "peak_rss_mib": round(peak_rss_mib()),
        "limit_mib": LIMIT_MIB,
        "stopped": stopped,
    }
