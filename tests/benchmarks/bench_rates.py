"""Rates of the four kinds of request, singly and in batches, in a growing planner; and its memory."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import Any

import bench_switch
from bench_child import Guard, in_child, log, settled_rss_mib
from bench_extent import Case, Extent
from bench_growth import KINDS, growth
from bench_planners import (
    BATCH,
    Subject,
    carry_out,
    diff_of_batch,
    in_one_batch,
    rates,
    singly,
    use_kernels,
)

from mininet_labs.figures.workloads.synthetic import everything
from tercast.tables.entries import Diff

ENCODED = 500


def measure(extent: Extent) -> list[dict[str, Any]]:
    """Measure each case in a separate process; then a switch carries out the diffs of batches."""
    rows = []
    for case in extent.cases:
        row = in_child(measure_case, case, extent)
        last = row["sizes"][-1]
        subscribe = last["subscribe"]
        log(
            f"{case}: {last['deployed']} deployed, {last['entries']} entries, {last['rss_mib']:.0f} MiB, "
            f"{subscribe['requests_per_s']} subscriptions/s, {row['seconds']:.0f} s"
            + (f" ({row['stopped']})" if row["stopped"] else "")
        )
        rows.append(row)
    bench_switch.time_parts([figures for row in rows for at in row["sizes"] for figures in _all_figures(at)])
    return rows


def measure_case(case: Case, extent: Extent) -> dict[str, Any]:
    """Measure all sizes of a case with one growing planner."""
    start = perf_counter()
    use_kernels(case.kernels)
    subject = Subject(case)
    row: dict[str, Any] = {
        "graph": case.graph,
        "filters": case.filters,
        "attributes": case.attributes,
        "cells": case.cells,
        "kernels": case.kernels,
        "parse_and_encode_us": subject.parse_and_encode_us(ENCODED),
        "sizes": [],
        "stopped": None,
    }
    empty = settled_rss_mib()
    guard = Guard(extent.memory_mib, extent.growing_seconds)
    for size in extent.deployed:
        grown, row["stopped"] = subject.grow(size, guard)
        row["sizes"].append({"wanted": size, **_at_size(subject, extent, empty), "grown": grown})
        if size == extent.deployed[0]:
            row["whole_space"] = _whole_space(subject)
        if row["stopped"]:
            break
    row["growth"] = growth(row["sizes"])
    row["seconds"] = round(perf_counter() - start, 1)
    return row


def _at_size(subject: Subject, extent: Extent, empty_mib: float) -> dict[str, Any]:
    deployed, rss = len(subject.live), settled_rss_mib()
    found: dict[str, Any] = {
        "deployed": deployed,
        "entries": sum(subject.planner.counts().values()),
        "rss_mib": round(rss, 1),
        "mib_per_1000": round((rss - empty_mib) / deployed * 1000, 2),
    }
    single = _singly(subject, extent)
    for figures in single.values():
        sample = figures["sample"]
        figures["sample"] = _figures([diff for diff, _ in sample], sum(took for _, took in sample), subject)
    return {**found, **single, "batches": _in_batches(subject, extent)}


def _singly(subject: Subject, extent: Extent) -> dict[str, Any]:
    """Measure each kind of request singly; afterwards the number of deployed ones is as before."""
    planner, seconds = subject.planner, extent.single_seconds
    found: dict[str, Any] = {}
    size = len(subject.live)
    found["subscribe"] = singly(planner, _each(subject, extent.singles), seconds)
    surplus = len(subject.live) - size
    found["unsubscribe"] = singly(planner, subject.unsubscriptions(surplus), 10 * seconds)
    ads = subject.advertisements(extent.singles // 2)
    found["advertise"] = singly(planner, ads, seconds)
    made = ads[: found["advertise"]["requests"]]
    found["unadvertise"] = singly(planner, _withdrawals(made), 10 * seconds)
    _withdraw_rest(subject, surplus - found["unsubscribe"]["requests"])
    carry_out(planner, _withdrawals(made[found["unadvertise"]["requests"] :]))
    planner.take_diff()
    return found


def _each(subject: Subject, number: int) -> Any:
    """Yield new subscriptions one at a time, so that only used ones count as live."""
    for _ in range(number):
        yield from subject.subscriptions(1)


def _withdraw_rest(subject: Subject, number: int) -> None:
    """Withdraw what a measurement that ended early has left."""
    carry_out(subject.planner, subject.unsubscriptions(number))


def _withdrawals(ads: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"op": "unadvertise", "id": ad["id"]} for ad in ads]


def _in_batches(subject: Subject, extent: Extent) -> dict[str, Any]:
    """Measure each kind of request in one batch with one diff."""
    size = max(1, min(BATCH, len(subject.live) // 2))
    ads = subject.advertisements(max(1, extent.singles // 10))
    batches = {
        "unsubscribe": subject.unsubscriptions(size),
        "subscribe": subject.subscriptions(size),
        "advertise": ads,
        "unadvertise": _withdrawals(ads),
    }
    found = {}
    for kind, batch in batches.items():
        diff, seconds = diff_of_batch(subject.planner, batch)
        figures = _figures([diff], seconds, subject)
        found[kind] = {**rates(len(batch), len(diff), seconds), **figures}
    return found


def _figures(diffs: Sequence[Diff], seconds: float, subject: Subject) -> dict[str, Any]:
    """Return the figures of diffs and their planning time; `parts` are for a switch to carry out."""
    return {
        "planning_ms": round(seconds * 1000, 3),
        "switches": sum(len(diff.switches) for diff in diffs),
        "parts": bench_switch.some_parts(diffs, subject.planner.topology.hosts),
    }


def _all_figures(at: dict[str, Any]) -> list[dict[str, Any]]:
    """Return all figures of a size that have parts for a switch to carry out."""
    return [*at["batches"].values(), *(at[kind]["sample"] for kind in KINDS)]


def _whole_space(subject: Subject) -> dict[str, Any]:
    """Withdraw and repeat the advertisement of the whole space: single requests that change whole tables."""
    last = subject.publishers - 1
    requests = [{"op": "unadvertise", "id": f"a{last}"}, everything(subject.hosts[last], last)]
    found = {}
    for request in requests:
        changes, seconds = in_one_batch(subject.planner, [request])
        rate = round(changes / seconds) if changes else None
        found[request["op"]] = {"ms": round(seconds * 1000, 2), "changes": changes, "changes_per_s": rate}
    return found
