"""The tables of docs/benchmarks.md, made from the committed results.

    .venv/bin/python tests/benchmarks/bench_tables.py

The text between `<!-- table: NAME -->` and `<!-- end -->` is replaced.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import product
from pathlib import Path
from statistics import geometric_mean
from typing import Any

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results" / "planner.json"
ENCODER_RESULTS = HERE / "results" / "encoder.json"
"""A later run of the section `encoder` alone: the time of each operator and type."""

EVENTS_RESULTS = HERE / "results" / "events.json"
"""A later run of the section `events` alone: also with cuts."""

PAGE = HERE.parents[1] / "docs" / "benchmarks.md"

Result = dict[str, Any]
Row = tuple[object, ...]

_PLACE = re.compile(r"<!-- table: (\w+) -->\n.*?<!-- end -->\n", re.DOTALL)


def main() -> None:
    """Fill the page again."""
    PAGE.write_text(filled(PAGE.read_text(), read_results()))


def read_results() -> Result:
    """Return the committed result, with encoder and events from their own runs."""
    return {
        **json.loads(RESULTS.read_text()),
        "kinds": json.loads(ENCODER_RESULTS.read_text()),
        "events": json.loads(EVENTS_RESULTS.read_text())["events"],
    }


def filled(page: str, result: Result) -> str:
    """Return the page with all tables made from `result`."""

    def fill(found: re.Match[str]) -> str:
        name = found[1]
        return f"<!-- table: {name} -->\n{TABLES[name](result)}<!-- end -->\n"

    return _PLACE.sub(fill, page)


def place(name: str) -> str:
    """Return the place of a table, which is empty."""
    return f"<!-- table: {name} -->\n<!-- end -->\n"


def machine(result: Result) -> str:
    found = result["machine"]
    load = " ".join(map(str, found["load_average"]))
    extent = f"the {result['extent']} run of {found['started']}, {result['seconds']} seconds"
    return (
        f"This is {extent}, on {found['cores']} cores of {found['cpu']}, {found['ram_gib']} GiB, Linux "
        f"{found['kernel']}, Python {found['python']}, NumPy {found['numpy']}, Numba {found['numba']}, "
        f"Open vSwitch {found['open_vswitch']}; load average at the start {load}.\n"
    )


def rates(result: Result) -> str:
    head = ("network", "filters", "attributes", "dz", "deployed", "subscribe", "unsubscribe", "advertise")
    head = (*head, "unadvertise", "subscribe, batch", "unsubscribe, batch", "parse and encode")
    rows = (
        (
            *_names(row),
            *_deployed(row, at),
            *(_number(at[kind]["requests_per_s"]) for kind in KINDS),
            *(_number(at["batches"][kind]["requests_per_s"]) for kind in KINDS[:2]),
            f"{row['parse_and_encode_us']} µs",
        )
        for row, at in _sizes(result)
    )
    return _table(head, rows)


def changes(result: Result) -> str:
    head = ("network", "filters", "attributes", "dz", "deployed", "changing requests/s", "others/s")
    head = (*head, *(f"{kind}: changes/s" for kind in KINDS), "lowest, in switches", "in batches")
    rows = (
        (
            *_names(row),
            *_deployed(row, at),
            _number(at["subscribe"]["changing"]["requests_per_s"]),
            _number(at["subscribe"]["unchanging"]["requests_per_s"]),
            *(_number(at[kind]["changing"]["changes_per_s"]) for kind in KINDS),
            _number(_lowest_ratio(at, "singly")),
            _number(_lowest_ratio(at, "batches")),
        )
        for row, at in _sizes(result)
    )
    return _table(head, rows)


def growth(result: Result) -> str:
    head = ("network", "filters", "attributes", "dz", "from", "to", *(f"{kind}, same diff" for kind in KINDS))
    head = (*head, "median subscribe", "median unsubscribe", "entries", "MiB for 1,000", "stopped")
    return _table(head, (_growth_row(row) for row in result.get("planner", ())))


def _growth_row(row: Result) -> Row:
    found, last = row["growth"] or {}, row["sizes"][-1]
    ends = (_number(found.get("from")), _number(found.get("to")))
    same = (_number(found.get(kind, {}).get("same_diff")) for kind in KINDS)
    middle = (_number(found.get(kind, {}).get("median_request")) for kind in KINDS[:2])
    size = (_number(last["entries"]), _number(last["mib_per_1000"]))
    return (*_names(row), *ends, *same, *middle, *size, row["stopped"] or "")


def whole(result: Result) -> str:
    head = (
        "network",
        "filters",
        "attributes",
        "dz",
        "deployed",
        "leaves",
        "changes",
        "comes back",
        "changes",
    )
    rows = []
    for row in result.get("planner", ()):
        gone, back = row["whole_space"]["unadvertise"], row["whole_space"]["advertise"]
        times = (f"{gone['ms']} ms", _number(gone["changes"]), f"{back['ms']} ms", _number(back["changes"]))
        rows.append((*_names(row), _number(row["sizes"][0]["deployed"]), *times))
    return _table(head, rows)


def switch(result: Result) -> str:
    found = result.get("switch", {})
    if "flows_per_s" not in found:
        return f"Not measured: {found.get('skipped', 'the section was left out')}\n"
    seconds = ", ".join(map(str, found["seconds"]))
    return (
        f"`{found['command']}`: {_number(found['flows'])} flows in {seconds} s, at best "
        f"**{_number(found['flows_per_s'])} flows a second**."
        + (f" With nothing to add it takes {found['start_ms']} ms.\n" if "start_ms" in found else "\n")
    )


def pleroma(result: Result) -> str:
    head = ("filters", "dz", "deployed", "flows", "algorithm 1", "Tercast", "ratio", "in a batch", "ratio")
    rows = (
        (
            row["filters"],
            row["cells"],
            _number(row["deployed"]),
            _number(row["pleroma_flows"]),
            f"{_number(row['pleroma_requests_per_s'])}/s",
            f"{_number(row['requests_per_s'])}/s",
            _number(row["ratio"]),
            _number(row.get("requests_per_s_batch")),
            _number(row.get("ratio_batch")),
        )
        for row in result.get("pleroma", ())
    )
    return _table(head, rows)


def events(result: Result) -> str:
    head = ("attributes", "cuts", "event to address", "event to dz", "one by one", "in batches", "ratio")
    rows = (
        (
            row["attributes"],
            _number(row["cuts"]),
            f"{row['event_to_address_us']} µs",
            f"{row['event_to_dz_us']} µs",
            f"{_number(row['single_events_per_s'])}/s",
            f"{_number(row['batch_events_per_s'])}/s",
            row["batch_to_single"],
        )
        for row in result.get("events", ())
    )
    return _table(head, rows)


def verify(result: Result) -> str:
    head = ("filters", "subscriptions", "entries", "whole proof", "a step", "whole to step", "`tercast plan`")
    head = (*head, "`tercast verify`")
    rows = (
        (
            row["filters"],
            _number(row["subscriptions"]),
            _number(row["entries"]),
            f"{row['whole_s']} s",
            f"{row['step_ms']} ms",
            _number(row["whole_to_step"]),
            f"{row['commands']['plan_s']} s",
            f"{row['commands']['verify_s']} s",
        )
        for row in result.get("verify", ())
    )
    return _table(head, rows)


def large(result: Result) -> str:
    head = ("switches", "links", "filters", "deployed", "of", "entries", "seconds", "requests/s", "changes/s")
    head = (*head, "peak memory", "stopped")
    rows = (
        (
            row["switches"],
            row["links"],
            row["filters"],
            _number(row["deployed"]),
            _number(row["wanted"]),
            _number(row["entries"]),
            row["seconds"],
            _number(row["requests_per_s"]),
            _number(row["changes_per_s"]),
            f"{_number(row['peak_rss_mib'])} MiB",
            row["stopped"] or "",
        )
        for row in result.get("large", ())
    )
    return _table(head, rows)


def links(result: Result) -> str:
    head = (
        "network",
        "links",
        "bridges",
        "forced",
        "trees",
        "links with all events",
        "idle links",
        "events: highest to mean",
        "without bridges",
        "without forced ones",
        "entries: highest to mean",
    )
    rows = (
        (
            row["graph"],
            row[way]["links"],
            row[way]["bridges"],
            _number(row[way].get("forced")),
            row[way]["trees"],
            _number(row[way].get("full")),
            row[way]["events"]["idle_links"],
            row[way]["events"]["highest_to_mean"],
            row[way]["events"]["highest_to_mean_without_bridges"],
            _number(row[way]["events"].get("highest_to_mean_with_choice")),
            row[way]["entries"]["highest_to_mean"],
        )
        for row in result.get("links", ())
        for way in ("trees", "one_tree")
    )
    return _table(head, rows)


def encoder(result: Result) -> str:
    head = ("filters", "limit", "compiled", "plain Python", "ratio")
    found = result.get("encoder", {"boxes": (), "large_filter": None})
    rows = (
        (
            row["filters"],
            row["limit"],
            f"{_number(row['compiled_per_s'])}/s",
            f"{_number(row['plain_per_s'])}/s",
            row["ratio"],
        )
        for row in found["boxes"]
    )
    filter_ = found["large_filter"]
    if filter_ is None:
        return _table(head, rows)
    return _table(head, rows) + (
        f"\nA filter of more than {_number(filter_['cells_at_least'])} cells at full length, at limit "
        f"{filter_['limit']}: {filter_['compiled_ms']} ms compiled, "
        f"{filter_['plain_ms']} ms in plain Python.\n"
    )


def kinds(result: Result) -> str:
    run = result.get("kinds", {"encoder": {"kinds": ()}})
    head = ("type", "filter", "boxes", "compiled", "plain Python", "per box, in conjunctions of the type")
    rows = (
        (
            row["space"],
            row["kind"],
            row["boxes"],
            f"{_number(row['compiled_us'])} µs",
            f"{_number(row['plain_us'])} µs" if "plain_us" in row else "–",
            row["per_box_to_conjunction"],
        )
        for row in run["encoder"]["kinds"]
    )
    return _table(head, rows)


def aims(result: Result) -> str:
    rows = ((text, aim, figure, "yes" if met else "**no**") for text, aim, figure, met in _aims(result))
    return _table(("aim", "at least, or at most", "measured", "met"), rows)


Aim = tuple[str, str, str, bool]

_RATE_AIMS = (("fat tree", 4, 40_000), ("fat tree", 16, 10_000), ("random 300", 4, 4_000))
_RATE_AIMS = (*_RATE_AIMS, ("random 300", 16, 4_000))


def _aims(result: Result) -> Iterator[Aim]:
    largest = [(row, row["sizes"][-1]) for row in result.get("planner", ()) if row["kernels"] == "compiled"]
    for graph, cells, aim in _RATE_AIMS:
        for row, at in largest:
            if (row["graph"], row["filters"], row["cells"]) == (graph, "zipf", cells):
                rate, batch = at["subscribe"]["requests_per_s"], at["batches"]["subscribe"]["requests_per_s"]
                name = (
                    f"subscriptions/s, {graph}, {row['filters']}, {row['attributes']} attributes, {cells} dz"
                )
                yield (
                    f"{name}, {_number(at['deployed'])} deployed",
                    _number(aim),
                    f"{_number(rate)} (in batches {_number(batch)})",
                    rate >= aim,
                )
    yield from _switch_aims(result)
    for row in result.get("pleroma", ()):
        name = f"times algorithm 1, {row['filters']}, {row['cells']} dz"
        batch = row.get("ratio_batch")
        figure = f"{_number(row['ratio'])} (in a batch {_number(batch)})"
        yield name, "200", figure, row["ratio"] >= 200
    ratios = [row["ratio"] for row in result.get("pleroma", ())]
    if ratios:
        middle = round(geometric_mean(ratios))
        yield "times algorithm 1, geometric mean of these workloads", "200", _number(middle), middle >= 200
    yield from _growth_aims(result)
    yield from _other_aims(result)


def uniform(result: Result) -> str:
    """Return the changes and the speed of requests that change tables."""
    head = ("network", "attributes", "dz", "deployed", "subscriptions/s", "entries changed by each")
    head = (
        *head,
        "changes/s",
        "in switches",
        "withdrawals/s",
        "entries changed by each",
        "changes/s",
        "in switches",
    )
    found = [(row, at) for row, at in _sizes(result) if row["filters"] == "uniform"]
    rows = (
        (
            row["graph"] + ("" if row["kernels"] == "compiled" else ", plain Python"),
            row["attributes"],
            row["cells"],
            *_deployed(row, at),
            *(cell for kind in KINDS[:2] for cell in _moving(at, kind)),
        )
        for row, at in found
    )
    return _table(head, rows)


def _moving(at: Result, kind: str) -> Row:
    figures = at[kind]
    each = round(figures["changes"] / figures["requests"], 1)
    ratio = None if at["ratio_to_switch"] is None else at["ratio_to_switch"]["singly"][kind]
    rate = _number(figures["changing"]["changes_per_s"])
    return _number(figures["requests_per_s"]), _number(each), rate, _number(ratio)


def _growth_aims(result: Result) -> Iterator[Aim]:
    for kind in KINDS:
        found = [
            (row["growth"][kind]["same_diff"], ", ".join(map(str, _names(row))))
            for row in result.get("planner", ())
            if row["growth"] and row["growth"][kind]["same_diff"] and row["kernels"] == "compiled"
        ]
        if found:
            ratio, where = max(found)
            name = f"time of a request with the same diff, at the last size to the one before, {kind}, worst"
            yield f"{name} ({where})", "1.5", _number(ratio), ratio <= 1.5


def _other_aims(result: Result) -> Iterator[Aim]:
    for row in result.get("large", ()):
        if row["filters"] == "zipf":
            name = f"memory of {_number(row['deployed'])} subscriptions on {row['switches']} switches, Zipf"
            met = row["deployed"] == row["wanted"] and row["peak_rss_mib"] <= 8192
            yield name, "8,192 MiB", f"{_number(row['peak_rss_mib'])} MiB", met
    for row in result.get("events", ()):
        cuts = f", {_number(row['cuts'])} cuts" if row["cuts"] else ""
        with_ = f"{row['attributes']} attributes{cuts}"
        time, rate = row["event_to_address_us"], row["batch_events_per_s"]
        yield f"an event to its address, {with_}", "10 µs", f"{time} µs", time < 10
        yield f"events/s in batches, {with_}", "1,000,000", _number(rate), rate >= 1_000_000
    for row in result.get("verify", ()):
        name = f"verify {_number(row['subscriptions'])} subscriptions, {row['filters']}"
        yield name, "10 s", f"{row['whole_s']} s", row["whole_s"] < 10


def _switch_aims(result: Result) -> Iterator[Aim]:
    """Yield table changes per second relative to a switch, the lowest of all cases.

    While uniform filters fill tables, many entries in a batch are compared with a bundle of many in the
    switch. For single requests and batches of each kind, the switch's time for the same diff is compared with
    planning.
    """
    rate = result.get("switch", {}).get("flows_per_s")
    if rate is None:
        return
    grown = [
        (at["grown"]["changes_per_s"] / rate, _where(row, at))
        for row, at in _compiled(result, "uniform")
        if at["grown"]["changes_per_s"]
    ]
    if grown:
        ratio, where = min(grown)
        name = "table changes/s while subscriptions in batches fill tables, in switches, uniform, lowest"
        yield f"{name} ({where})", "1", _number(round(ratio, 2)), ratio >= 1
    for way, filters, kind in product(("singly", "in a batch"), ("uniform", "zipf"), KINDS):
        yield from _same_diff(result, way, filters, kind)


def _same_diff(result: Result, way: str, filters: str, kind: str) -> Iterator[Aim]:
    found = [
        (figures["switch_ms"] / figures["planning_ms"], _where(row, at))
        for row, at in _compiled(result, filters)
        for figures in ((at[kind]["sample"] if way == "singly" else at["batches"][kind]),)
        if figures.get("switch_ms") and figures.get("changes", 1) >= figures.get("requests", 1)
    ]
    if found:
        ratio, where = min(found)
        name = f"`ovs-ofctl` with the same diff, in times of planning it {way}, {filters}, {kind}, lowest"
        yield f"{name} ({where})", "1", _number(round(ratio, 1)), ratio >= 1


def _compiled(result: Result, filters: str) -> Iterator[tuple[Result, Result]]:
    return (
        (row, at)
        for row, at in _all_sizes(result)
        if row["kernels"] == "compiled" and row["filters"] == filters
    )


def _ratio(at: Result, way: str, kind: str) -> float | None:
    """Return the table changes per second of a kind of request relative to the switch.

    None if there are too few. The time of a batch includes requests that change nothing, so a batch with
    fewer changes than requests does not count.
    """
    if at["ratio_to_switch"] is None:
        return None
    batch = at["batches"][kind]
    if way == "batches" and batch["changes"] < batch["requests"]:
        return None
    ratio: float | None = at["ratio_to_switch"][way][kind]
    return ratio


def _where(row: Result, at: Result) -> str:
    names = (row["graph"], row["attributes"], row["cells"], f"{_number(at['deployed'])} deployed")
    return ", ".join(map(str, names))


def _lowest_ratio(at: Result, way: str) -> float | None:
    """Return the lowest ratio of requests of any kind to the switch, singly or in batches."""
    ratios = [_ratio(at, way, kind) for kind in KINDS]
    return min((ratio for ratio in ratios if ratio is not None), default=None)


KINDS = ("subscribe", "unsubscribe", "advertise", "unadvertise")


def _sizes(result: Result) -> Iterator[tuple[Result, Result]]:
    """Yield every case at its largest size."""
    return ((row, row["sizes"][-1]) for row in result.get("planner", ()))


def _all_sizes(result: Result) -> Iterator[tuple[Result, Result]]:
    return ((row, at) for row in result.get("planner", ()) for at in row["sizes"])


def _names(row: Result) -> Row:
    plain = "" if row["kernels"] == "compiled" else ", plain Python"
    return row["graph"], row["filters"] + plain, row["attributes"], row["cells"]


def _deployed(row: Result, at: Result) -> Row:
    mark = "" if at["deployed"] == at["wanted"] else f" (of {_number(at['wanted'])})"
    return (_number(at["deployed"]) + mark,)


def _number(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:g}"


def _table(head: Row, rows: Iterable[Row]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines)


TABLES: dict[str, Callable[[Result], str]] = {
    "machine": machine,
    "aims": aims,
    "uniform": uniform,
    "rates": rates,
    "changes": changes,
    "growth": growth,
    "whole": whole,
    "switch": switch,
    "pleroma": pleroma,
    "events": events,
    "verify": verify,
    "large": large,
    "links": links,
    "encoder": encoder,
    "kinds": kinds,
}


if __name__ == "__main__":
    main()
