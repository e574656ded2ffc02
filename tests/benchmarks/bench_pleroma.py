"""Subscriptions per second, compared with PLEROMA's algorithm 1: same network, load and encoder."""

from __future__ import annotations

from time import perf_counter
from typing import Any

from bench_child import in_child, log
from bench_extent import DEPTH, GRAPHS, Case, Extent
from bench_planners import BATCH, Requests, Subject, in_one_batch, rates, singly, use_kernels

from mininet_labs.figures.experiments.algorithm1 import Algorithm1
from tercast.encoding.request_encoding import encode_text
from tercast.eventspace import dz as dzs
from tercast.planner.planner import Planner

PUBLISHERS = 8
FEWEST = 3
"""Lowest number of requests for which the baseline is timed."""


def measure(extent: Extent) -> list[dict[str, Any]]:
    """Return a row for each kind of filters and limit of cells, on the fat tree with 5 attributes."""
    rows = []
    for filters in extent.pleroma_filters:
        for cells in (4, 16):
            row = in_child(measure_case, Case("fat tree", filters, 5, cells), extent)
            log(
                f"algorithm 1: {filters}, {cells} dz: {row['pleroma_requests_per_s']} requests/s, "
                f"ours {row['requests_per_s']}, {row['ratio']} times, in a batch {row['ratio_batch']}"
            )
            rows.append(row)
    return rows


def measure_case(case: Case, extent: Extent) -> dict[str, Any]:
    """Time both with the same deployed subscriptions and the same further ones, in the same order.

    The baseline is timed for as many of the first further ones as its time allows.
    """
    use_kernels("compiled")
    subject = Subject(case, PUBLISHERS)
    deployed = subject.subscriptions(extent.pleroma_deployed)
    further = subject.subscriptions(extent.singles)
    baseline, requests, seconds = _baseline(subject, deployed, further, extent.pleroma_seconds)
    ours, batch = _ours(case, deployed, further)
    return {
        "graph": case.graph,
        "filters": case.filters,
        "attributes": case.attributes,
        "cells": case.cells,
        "deployed": len(deployed),
        "pleroma_flows": sum(len(table.flows()) for table in baseline.tables.values()),
        "pleroma_requests": requests,
        "pleroma_requests_per_s": round(requests / seconds, 2),
        "requests_per_s": ours["requests_per_s"],
        "requests_per_s_changing": ours["changing"]["requests_per_s"],
        "ratio": round(ours["requests_per_s"] * seconds / requests),
        "requests_per_s_batch": batch["requests_per_s"],
        "ratio_batch": round(batch["requests_per_s"] * seconds / requests),
    }


def _ours(case: Case, deployed: Requests, further: Requests) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return rates of the further ones, one at a time, and (with another planner) in one batch."""
    one_by_one = singly(_loaded(case, deployed), further, 60)
    made, took = in_one_batch(_loaded(case, deployed), further)
    return one_by_one, rates(len(further), made, took)


def _loaded(case: Case, deployed: Requests) -> Planner:
    planner = Subject(case, PUBLISHERS).planner
    for start in range(0, len(deployed), BATCH):
        in_one_batch(planner, deployed[start : start + BATCH])
    return planner


def _baseline(
    subject: Subject, deployed: Requests, further: Requests, most_seconds: float
) -> tuple[Algorithm1, int, float]:
    """Load the baseline fast, time it with lists, and return it with the number of requests and the time."""
    planner = subject.planner
    topic = planner.topics["t"]

    def subscribe(request: dict[str, Any]) -> None:
        cells = encode_text(request["filter"], topic, DEPTH, subject.case.cells)
        baseline.subscribe(request["host"], [dzs.text(dz) for dz in cells])

    baseline = Algorithm1(GRAPHS[subject.case.graph](), planner.address, topic.code, indexed=True)
    for host in subject.hosts[: subject.publishers]:
        baseline.advertise(host, [""])
    for request in deployed:
        subscribe(request)
    baseline.scan_from_now_on()
    done = 0
    start = perf_counter()
    for request in further:
        subscribe(request)
        done += 1
        if done >= FEWEST and perf_counter() - start > most_seconds:
            break
    return baseline, done, perf_counter() - start
