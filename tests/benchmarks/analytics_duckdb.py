"""The analytics jobs as queries of DuckDB on the same files, for generated telemetry."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

Row = dict[str, Any]
_RANGE = re.compile(r"price in \[(\d+), (\d+)\] and volume in \[(\d+), (\d+)\]")

_DUPLICATES = "doubled"
"""Column of the job's result for duplicate copies."""

_EVENTS = """
    select topic, publisher, seq, min(published_at) as published_at, min("values") as "values", min(dz) as dz
    from published group by all
"""
_COPIES = """
    select topic, publisher, seq, host, min(received_at) as received_at,
           arg_min(wanted, received_at) as wanted, count(distinct received_at) - 1 as duplicates
    from delivered group by topic, publisher, seq, host
"""
_POINTS = """
    select topic, publisher, seq, cast("values"->>'price' as int) as price,
           cast("values"->>'volume' as int) as volume from events
"""

FLOW_TABLE_SIZE = """
    with s as (select distinct switch, taken_at, entries, budget from table_snapshots)
    select switch, time_bucket(interval '1 minute', taken_at) as window_start, min(entries) as entries_min,
           avg(entries) as entries_avg, max(entries) as entries_max, arg_max(budget, taken_at) as budget,
           max(entries / nullif(budget, 0)) as occupancy_max
    from s group by all order by 1, 2
"""
DELAY = f"""
    with events as ({_EVENTS}), copies as ({_COPIES}), d as (
        select topic, host, time_bucket(interval '1 minute', published_at) as window_start,
               (epoch_us(received_at) - epoch_us(published_at)) / 1000 as ms
        from copies join events using (topic, publisher, seq))
    select topic, host, window_start, count(*) as events, quantile_cont(ms, 0.5) as p50_ms,
           quantile_cont(ms, 0.95) as p95_ms, quantile_cont(ms, 0.99) as p99_ms, max(ms) as max_ms
    from d group by all order by 1, 2, 3
"""
FALSE_POSITIVES = f"""
    with copies as ({_COPIES}), events as ({_EVENTS}), points as ({_POINTS}), expected as (
        select distinct topic, publisher, seq, host from points
        join boxes on price between low and high and volume between least and most),
    missed as (select topic, host, count(*) as lost from expected
               anti join copies using (topic, publisher, seq, host) group by all),
    counted as (select topic, host, count(*) as delivered, count(*) filter (not wanted) as unwanted,
                       cast(sum(duplicates) as bigint) as duplicates from copies group by all)
    select topic, host, coalesce(delivered, 0) as delivered, coalesce(unwanted, 0) as unwanted,
           100 * unwanted / nullif(delivered, 0) as fpr, coalesce(lost, 0) as lost,
           coalesce(duplicates, 0) as {_DUPLICATES}
    from counted full join missed using (topic, host) order by 1, 2
"""
PUBLISHER_LOAD = f"""
    with events as ({_EVENTS}), span as (
        select (epoch_us(max(published_at)) - epoch_us(min(published_at))) / 1e6 as seconds from events),
    cells as (select publisher, dz[1:8] as cell, count(*) as events from events group by all)
    select publisher, cast(sum(events) as bigint) as events, sum(events) / any_value(seconds) as events_per_s,
           map_from_entries(list((cell, events) order by cell)) as dz_histogram
    from cells, span group by publisher order by 1
"""
_SPAN = "(epoch_us({1}) - epoch_us({0})) / 1000"
_STAGE = "{{'p50': quantile_cont({0}, 0.5), 'p95': quantile_cont({0}, 0.95), 'mean': avg({0})}} as {0}"
_STAGES = {
    "waiting_ms": ("received_at", "started_at"),
    "computing_ms": ("started_at", "computed_at"),
    "deploying_ms": ("computed_at", "confirmed_at"),
    "processing_ms": ("received_at", "confirmed_at"),
}
_SPANS = ", ".join(f"{_SPAN.format(*ends)} as {name}" for name, ends in _STAGES.items())
REQUEST_LATENCY = f"""
    with latest as (
        select * from requests qualify row_number() over (partition by request order by
            (started_at is not null)::int + (computed_at is not null)::int
            + (confirmed_at is not null)::int desc) = 1),
    timed as (select kind, status, {_SPANS} from latest)
    select kind, count(*) as requests, {", ".join(_STAGE.format(name) for name in _STAGES)},
           count(*) filter (status = 'failed') as failed
    from timed group by kind order by 1
"""
MATCH_COUNTS = f"""
    with events as ({_EVENTS}), points as ({_POINTS}),
    prices as (select price, count(low) as n from (select distinct price from points)
               left join boxes on price between low and high group by price),
    volumes as (select volume, count(least) as n from (select distinct volume from points)
                left join boxes on volume between least and most group by volume)
    select count(*), covar_samp(p.n, p.n), covar_samp(p.n, v.n), covar_samp(v.n, v.n)
    from points join prices p using (price) join volumes v using (volume)
"""
QUESTIONS = {
    "flow_table_size": FLOW_TABLE_SIZE,
    "delay": DELAY,
    "false_positives": FALSE_POSITIVES,
    "publisher_load": PUBLISHER_LOAD,
    "request_latency": REQUEST_LATENCY,
}


def answer(job: str, root: Path) -> list[Row]:
    """Return the rows of a job, computed by one thread of DuckDB."""
    connection = duckdb.connect()
    connection.execute("set threads = 1; set timezone = 'UTC'")
    for path in root.iterdir():
        if path.is_dir():
            files = f"{path}/*/*.parquet"
            connection.execute(
                f"create view {path.name} as from read_parquet('{files}', hive_partitioning = false)"
            )
    subscriptions = json.loads((root / "subscriptions.json").read_text())["subscriptions"]
    boxes = [(row["host"], *map(int, _RANGE.fullmatch(row["filter"]).groups())) for row in subscriptions]  # type: ignore[union-attr]
    connection.execute("create table boxes (host text, low int, high int, least int, most int)")
    connection.executemany("insert into boxes values (?, ?, ?, ?, ?)", boxes)
    if job == "dimension_selection":
        return [_selection(connection, len(boxes))]
    found = connection.execute(QUESTIONS[job])
    names = [column[0] for column in found.description]
    return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


def _selection(connection: Any, subscriptions: int) -> Row:
    """Return PLEROMA's selection; no subscription tests the venue, so it has no variance."""
    events, price, both, volume = connection.execute(MATCH_COUNTS).fetchone()
    values, vectors = np.linalg.eigh(
        np.array([[price, both, 0], [both, volume, 0], [0, 0, 0]]) * (events - 1)
    )
    weights = np.abs(vectors[:, -1])
    order = np.argsort(-weights, kind="stable")
    names = [("price", "volume", "venue")[i] for i in order]
    kept = int(np.argmax(np.cumsum(weights[order]) >= 0.9 * weights.sum() - 1e-12)) + 1
    return {
        "topic": "quotes",
        "ranking": names,
        "weights": weights[order].tolist(),
        "eigenvalues": values[::-1].tolist(),
        "selected": names[:kept],
        "events": events,
        "subscriptions": subscriptions,
    }
