"""Time of one more subscription after many others: PLEROMA's algorithm 1, and the planner."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from statistics import fmean
from time import process_time
from typing import Any

from mininet_labs.figures.experiments.algorithm1 import Algorithm1
from mininet_labs.figures.figure import Size
from mininet_labs.figures.samples import Row
from mininet_labs.figures.workloads.synthetic import (
    Filters,
    construction,
    everything,
    fat_tree,
    subscriptions,
)
from tercast.encoding.limits import Limits
from tercast.encoding.request_encoding import encode_text
from tercast.eventspace import dz as dzs
from tercast.eventspace.address_plan import AddressPlan
from tercast.planner.planner import Planner

ATTRIBUTES, DEPTH, CELLS, PUBLISHERS = 5, 48, 4, 4
BATCH = 500
REQUESTS = "requests"
"""Group of the rows of single requests; their `x` is the number of flows that the request changed."""

ALGORITHM1, PLANNER = "Algorithm 1", "planner"

Object = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ReconfigurationScale:
    """Sizes of the experiment; `scanned` are the numbers of subscriptions for Algorithm 1."""

    deployed: tuple[int, ...]
    scanned: tuple[int, ...]
    further: int


@dataclass(frozen=True, slots=True)
class ReconfigurationExperiment:
    """Milliseconds of processor time for one more subscription, and the flows that it changes."""

    scales: Mapping[Size, ReconfigurationScale]

    def rows(self, size: Size, seed: int) -> Iterator[Row]:
        """Yield the rows of a seed."""
        scale = self.scales[size]
        yield from _by_algorithm1(scale, seed)
        yield from _by_planner(scale, seed)


def _requests(seed: int, first: int, number: int) -> list[Object]:
    """Return subscriptions from `first` on."""
    hosts = [host["id"] for host in fat_tree()["hosts"]]
    filters = Filters("uniform", ATTRIBUTES, seed * 1_000_003 + first)
    return subscriptions(filters, hosts, number, first)


def _publishers() -> list[str]:
    hosts = [host["id"] for host in fat_tree()["hosts"]]
    return hosts[:: len(hosts) // PUBLISHERS]


def _planner() -> Planner:
    limits = Limits(max_dz_length=DEPTH, max_dz_per_filter=CELLS)
    planner = Planner(AddressPlan.default("ipv6"), limits)
    advertisements = [everything(host, number) for number, host in enumerate(_publishers())]
    _apply(planner, [*construction(fat_tree(), ATTRIBUTES), *advertisements])
    return planner


def _apply(planner: Planner, requests: list[Object]) -> int:
    """Apply requests as one batch; return the number of changed flows."""
    for request, outcome in zip(requests, planner.apply_all(requests), strict=True):
        assert outcome.ok, (request, outcome.reason)
    return len(planner.take_diff())


def _by_planner(scale: ReconfigurationScale, seed: int) -> Iterator[Row]:
    planner = _planner()
    known = 0
    for deployed in scale.deployed:
        while known < deployed:
            batch = _requests(seed, known, min(BATCH, deployed - known))
            _apply(planner, batch)
            known += len(batch)
        timed = []
        for request in _requests(seed, known, scale.further):
            start = process_time()
            changed = _apply(planner, [request])
            timed.append((changed, process_time() - start))
        yield from _rows(PLANNER, deployed, timed)
        known += scale.further


def _by_algorithm1(scale: ReconfigurationScale, seed: int) -> Iterator[Row]:
    """Load with indexed tables, and time with lists, for each number of subscriptions."""
    planner = _planner()
    topic = planner.topics["t"]

    def subscribe(controller: Algorithm1, request: Object) -> None:
        cells = encode_text(request["filter"], topic, DEPTH, CELLS)
        controller.subscribe(request["host"], [dzs.text(dz) for dz in cells])

    for deployed in scale.scanned:
        controller = Algorithm1(fat_tree(), planner.address, topic.code, indexed=True)
        for host in _publishers():
            controller.advertise(host, [""])
        for request in _requests(seed, 0, deployed):
            subscribe(controller, request)
        controller.scan_from_now_on()
        before, timed = _flows(controller), []
        for request in _requests(seed, deployed, scale.further):
            start = process_time()
            subscribe(controller, request)
            seconds = process_time() - start
            after = _flows(controller)
            timed.append((len(before ^ after), seconds))
            before = after
        yield from _rows(ALGORITHM1, deployed, timed)


def _flows(controller: Algorithm1) -> set[tuple[str, str, frozenset[object]]]:
    return {
        (switch, flow.dz, frozenset(flow.outs))
        for switch, table in controller.tables.items()
        for flow in table.flows()
    }


def _rows(series: str, deployed: int, timed: list[tuple[int, float]]) -> Iterator[Row]:
    """Yield the mean of a seed, and a row for each request."""
    mean = 1000 * fmean(seconds for _, seconds in timed)
    yield {"x": deployed, "series": series, "ms": round(mean, 4), "per_second": round(1000 / mean, 1)}
    for changed, seconds in timed:
        row = {"x": changed, "series": series, "group": REQUESTS, "deployed": deployed}
        yield {**row, "ms": round(1000 * seconds, 4)}
