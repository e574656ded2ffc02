"""Encoder: boxes per second, a filter of millions of cells, and the time of each kind of filter."""

from __future__ import annotations

from time import perf_counter
from typing import Any

from bench_child import in_child, log
from bench_extent import DEPTH, Extent
from bench_planners import use_kernels
from encoder_kinds import SPACES, measure_space

from mininet_labs.figures.workloads.synthetic import DOMAIN, Filters, topic
from tercast.encoding.encoder import encode_dz
from tercast.eventspace.topic import Topic
from tercast.filters.filter import Filter
from tercast.runtime import jit

RUNS = 3
LIMITS = (4, 16, 50, 200)
LARGE_ATTRIBUTES, LARGE_LIMIT = 3, 50


def measure(extent: Extent) -> dict[str, Any]:
    """Return rows of rates, and the large filter."""
    rows = []
    for filters in ("zipf", "uniform"):
        for limit in LIMITS:
            row = in_child(measure_case, filters, limit, extent)
            log(
                f"encoder: {filters}, limit {limit}: {row['compiled_per_s']} boxes/s, "
                f"plain Python {row['plain_per_s']}"
            )
            rows.append(row)
    large = in_child(measure_large)
    log(f"encoder: millions of cells, limit {LARGE_LIMIT}: {large['compiled_ms']} ms")
    return {"boxes": rows, "large_filter": large, "kinds": measure_kinds(extent)}


def measure_kinds(extent: Extent) -> list[dict[str, Any]]:
    """Return the time of one call for each operator and type."""
    tiny = extent.boxes < 100
    rows = []
    for space in ("int",) if tiny else SPACES:
        found = in_child(_measure_kinds, space, max(2, extent.plain_boxes // 10), tiny)
        for row in found:
            log(f"encoder: {space}, {row['kind']}: {row['compiled_us']} µs")
        rows += found
    return rows


def _measure_kinds(space: str, filters: int, tiny: bool) -> list[dict[str, Any]]:
    use_kernels("compiled")
    return measure_space(space, filters, tiny)


def measure_case(filters: str, limit: int, extent: Extent) -> dict[str, Any]:
    """Encode parsed filters of 5 attributes to dz sets."""
    use_kernels("compiled")
    known = Topic.from_json(topic(5))
    drawn = Filters(filters, 5, 3)
    boxes = [Filter.parse(drawn.draw(), known) for _ in range(extent.boxes)]
    fast, cells = _rate(boxes, limit, kernels=True)
    plain, same = _rate(boxes[: extent.plain_boxes], limit, kernels=False)
    assert same == cells[: extent.plain_boxes]
    return {
        "filters": filters,
        "attributes": 5,
        "limit": limit,
        "compiled_per_s": round(fast),
        "plain_per_s": round(plain),
        "ratio": round(fast / plain, 1),
    }


def _rate(boxes: list[Filter], limit: int, kernels: bool) -> tuple[float, list[tuple[int, ...]]]:
    """Return the boxes per second in the best of some runs, and the cells of each box."""
    jit.use(kernels)
    times = []
    for _ in range(RUNS):
        start = perf_counter()
        cells = [encode_dz(box, DEPTH, limit) for box in boxes]
        times.append(perf_counter() - start)
    return len(boxes) / min(times), cells


def measure_large() -> dict[str, Any]:
    """Encode all of a space of three attributes except its rim: over a million cells at full length.

    Every cell at a rim x = 1 or x = 1022 has full length there. The last attribute alone has 2 * 1022 * 1022
    such cells.
    """
    use_kernels("compiled")
    known = Topic.from_json(topic(LARGE_ATTRIBUTES))
    text = " and ".join(f"x{n} in [1, {DOMAIN - 2}]" for n in range(LARGE_ATTRIBUTES))
    filter_ = Filter.parse(text, known)
    times = {}
    for name, kernels in (("compiled_ms", True), ("plain_ms", False)):
        rate, _ = _rate([filter_], LARGE_LIMIT, kernels)
        times[name] = round(1000 / rate, 3)
    cells = 2 * (DOMAIN - 2) ** (LARGE_ATTRIBUTES - 1)
    return {"filter": text, "cells_at_least": cells, "limit": LARGE_LIMIT, **times}
