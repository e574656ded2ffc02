"""Planners for benchmarks, and the timing of requests."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from itertools import count
from statistics import median
from time import perf_counter
from typing import Any

from bench_child import Guard
from bench_extent import DEPTH, GRAPHS, PUBLISHERS, Case

from mininet_labs.figures.workloads.synthetic import (
    Filters,
    advertisements,
    construction,
    everything,
    fat_tree,
    subscriptions,
)
from tercast.encoding.limits import Limits
from tercast.encoding.request_encoding import encode_text
from tercast.eventspace.address_plan import AddressPlan
from tercast.planner.planner import Planner
from tercast.runtime import jit
from tercast.runtime.gc_tuning import reduce_gc
from tercast.tables.entries import Diff

BATCH = 500

SAMPLES = 3
"""Number of single requests whose diffs a switch carries out too."""

Requests = list[dict[str, Any]]


def planner_for(network: dict[str, Any], attributes: int, cells: int, max_trees: int = 64) -> Planner:
    """Return a planner with the network and the topic `t`."""
    limits = Limits(max_dz_length=DEPTH, max_dz_per_filter=cells, max_trees=max_trees)
    planner = Planner(AddressPlan.default("ipv6"), limits)
    carry_out(planner, construction(network, attributes))
    planner.take_diff()
    return planner


def carry_out(planner: Planner, requests: Requests) -> None:
    """Apply requests, none of which may be refused."""
    for request, outcome in zip(requests, planner.apply_all(requests), strict=True):
        assert outcome.ok, (request, outcome)


def use_kernels(kernels: str) -> None:
    """Choose compiled kernels or plain Python, and load everything before a measurement.

    The garbage collector is set as in the worker and in the `tercast` command.
    """
    reduce_gc()
    jit.use(kernels == "compiled")
    planner = planner_for(fat_tree(), 2, 4)
    requests = subscriptions(Filters("uniform", 2, 0), ["h1", "h2"], 20)
    carry_out(planner, [everything("h8", 0), *requests])
    planner.take_diff()


class Subject:
    """A planner under load, with an endless supply of requests."""

    def __init__(self, case: Case, publishers: int = PUBLISHERS, seed: int = 1) -> None:
        network = GRAPHS[case.graph]()
        self.case = case
        self.hosts = [host["id"] for host in network["hosts"]]
        self.publishers = publishers
        self.planner = planner_for(network, case.attributes, case.cells)
        carry_out(self.planner, [everything(host, n) for n, host in enumerate(self.hosts[:publishers])])
        self.planner.take_diff()
        self.live: list[str] = []
        self._rng = random.Random(seed)
        self._filters = Filters(case.filters, case.attributes, seed)
        self._numbers = count()

    def subscriptions(self, number: int) -> Requests:
        """Return new subscriptions, which count as live from now on."""
        requests = subscriptions(self._filters, self.hosts, number, next(self._numbers) * 1_000_000)
        self.live += [request["id"] for request in requests]
        return requests

    def unsubscriptions(self, number: int) -> Requests:
        """Return withdrawals of random live subscriptions."""
        chosen = []
        for _ in range(min(number, len(self.live))):
            position = self._rng.randrange(len(self.live))
            self.live[position], self.live[-1] = self.live[-1], self.live[position]
            chosen.append(self.live.pop())
        return [{"op": "unsubscribe", "id": name} for name in chosen]

    def advertisements(self, number: int) -> Requests:
        """Return narrow advertisements at hosts that do not advertise everything."""
        hosts = self.hosts[self.publishers :]
        return advertisements(self._filters, hosts, number, next(self._numbers) * 1_000_000)

    def grow(self, size: int, guard: Guard) -> tuple[dict[str, Any], str | None]:
        """Deploy subscriptions in batches up to `size`; return rates, and why it ended early."""
        requests, changes, seconds = 0, 0, 0.0
        reason = None
        while len(self.live) < size and reason is None:
            batch = self.subscriptions(min(BATCH, size - len(self.live)))
            made, took = in_one_batch(self.planner, batch)
            requests, changes, seconds = requests + len(batch), changes + made, seconds + took
            guard.spent += took
            reason = guard.reason(len(self.live)) if len(self.live) < size else None
        return rates(requests, changes, seconds), reason

    def parse_and_encode_us(self, number: int) -> float:
        """Return the microseconds from the text of a filter to its dz set, as in the planner."""
        texts = [self._filters.draw() for _ in range(number)]
        topic = self.planner.topics["t"]
        start = perf_counter()
        for text in texts:
            encode_text(text, topic, DEPTH, self.case.cells)
        return round((perf_counter() - start) / number * 1e6, 1)


def in_one_batch(planner: Planner, requests: Requests) -> tuple[int, float]:
    """Apply requests as one batch with one diff; return table changes and seconds."""
    diff, seconds = diff_of_batch(planner, requests)
    return len(diff), seconds


def diff_of_batch(planner: Planner, requests: Requests) -> tuple[Diff, float]:
    """Apply requests as one batch; return the diff and the seconds."""
    start = perf_counter()
    outcomes = planner.apply_all(requests)
    diff = planner.take_diff()
    seconds = perf_counter() - start
    assert all(outcome.ok for outcome in outcomes)
    return diff, seconds


def singly(planner: Planner, requests: Iterable[dict[str, Any]], most_seconds: float) -> dict[str, Any]:
    """Return rates of single requests with a diff after each, with and without table changes.

    It ends after `most_seconds`; the result has the number of applied requests. `sample` has the first
    requests that changed a table: their diffs, and the seconds of each.
    """
    times: dict[int, list[float]] = {}
    changes: Counter[int] = Counter()
    sample: list[tuple[Diff, float]] = []
    spent = 0.0
    for request in requests:
        start = perf_counter()
        outcome = planner.apply(request)
        diff = planner.take_diff()
        made = len(diff)
        took = perf_counter() - start
        assert outcome.ok, (request, outcome)
        magnitude = made.bit_length()
        times.setdefault(magnitude, []).append(took)
        changes[magnitude] += made
        if made and len(sample) < SAMPLES:
            sample.append((diff, took))
        spent += took
        if spent > most_seconds:
            break
    changing = [took for magnitude, some in times.items() if magnitude for took in some]
    unchanging = times.get(0, [])
    by_diff = {magnitude: _by_diff(times[magnitude], changes[magnitude]) for magnitude in sorted(times)}
    return {
        **_timed(changing + unchanging, changes.total()),
        "changing": _timed(changing, changes.total()),
        "unchanging": _timed(unchanging, 0),
        "by_diff": {shown_magnitude(magnitude): figures for magnitude, figures in by_diff.items()},
        "sample": sample,
    }


def _by_diff(times: list[float], changes: int) -> dict[str, Any]:
    return {**_middle(times), "changes_per_s": round(changes / sum(times))}


def shown_magnitude(bits: int) -> str:
    """Return the sizes of diffs with a number of bits: "0", "1", "2-3", "4-7" and so on."""
    low, high = 1 << bits - 1 if bits else 0, (1 << bits) - 1
    return str(low) if low == high else f"{low}-{high}"


def _timed(times: list[float], changes: int) -> dict[str, Any]:
    return {**rates(len(times), changes, sum(times)), "median_us": _middle(times)["median_us"]}


def _middle(times: list[float]) -> dict[str, Any]:
    return {"requests": len(times), "median_us": round(median(times) * 1e6, 1) if times else None}


def rates(requests: int, changes: int, seconds: float) -> dict[str, Any]:
    """Return the number of requests, and the rates of requests and table changes; None if there are none."""
    return {
        "requests": requests,
        "requests_per_s": round(requests / seconds) if requests else None,
        "changes": changes,
        "changes_per_s": round(changes / seconds) if changes else None,
    }
