"""Small telemetry with all possible faults, and its rows that count."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pyarrow as pa
import pyarrow.parquet as pq

from tercast.telemetry import DATASETS, Dataset
from tercast.telemetry.writer import arrow_schema, rows_table

NOW = datetime(2026, 3, 29, 12, tzinfo=UTC)
START = datetime(2026, 3, 28, 22, tzinfo=UTC)
TOPIC = {
    "name": "t",
    "code": 2,
    "attributes": [
        {"name": "a", "type": "int", "min": 0, "max": 15},
        {"name": "b", "type": "int", "min": 0, "max": 15},
        {"name": "c", "type": "enum", "values": ["x", "y", "z"]},
    ],
}
LATER = "2026-03-29T00:00:00+00:00"
SUBSCRIPTIONS = {
    "topics": [TOPIC],
    "subscriptions": [
        {"id": "s1", "host": "h1", "topic": "t", "filter": "a < 8"},
        {"id": "s2", "host": "h2", "topic": "t", "filter": "a >= 4 and b in [3, 9]"},
        {"id": "s3", "host": "h2", "topic": "t", "filter": 'a = 15 or b = 0 and c != "z"'},
        {"id": "s4", "host": "h3", "topic": "t", "filter": "b > 2", "from": LATER, "until": None},
        {"id": "s5", "host": "h4", "topic": "t", "filter": "a < 14", "from": None, "until": LATER},
    ],
}
Row = dict[str, Any]


def wants(entry: Row, event: Row) -> bool:
    """Return the subscriptions above that match, written by hand."""
    a, b, c = event["a"], event["b"], event["c"]
    late = event["at"] >= datetime.fromisoformat(LATER)
    return {
        "s1": a < 8,
        "s2": a >= 4 and 3 <= b <= 9,
        "s3": a == 15 or (b == 0 and c != "z"),
        "s4": b > 2 and late,
        "s5": a < 14 and not late,
    }[entry["id"]]


@dataclass
class Messy:
    """Valid rows by dataset, each once, and the number of rejected ones."""

    root: Path
    rows: dict[str, list[Row]] = field(default_factory=dict)
    events: list[Row] = field(default_factory=list)


def write(
    root: Path, dataset: Dataset, rows: list[Row], name: str = "x.parquet", day: str | None = None
) -> Path:
    folder = root / dataset.name / f"date={day or '2026-03-28'}"
    folder.mkdir(parents=True, exist_ok=True)
    whole = [{column.name: row.get(column.name) for column in dataset.columns} for row in rows]
    pq.write_table(rows_table(whole, dataset), folder / name)
    return folder / name


def write_otherwise(root: Path, dataset: Dataset, rows: list[Row], zone: Any, unit: str) -> None:
    """Write the rows like another writer: nanoseconds, other time zones, wide integers, more columns."""
    fields = []
    for one in arrow_schema(dataset):
        kind = one.type
        if pa.types.is_timestamp(kind):
            kind = pa.timestamp(unit, tz=zone and str(zone))
        elif pa.types.is_int32(kind):
            kind = pa.int64()
        elif kind == pa.string():
            kind = pa.large_string()
        fields.append(pa.field(one.name, kind))
    naive = zone is None

    def value(one: Any) -> Any:
        if not isinstance(one, datetime):
            return one
        return one.replace(tzinfo=None) if naive else one.astimezone(zone)

    columns = [pa.array([value(row.get(f.name)) for row in rows], f.type) for f in fields]
    table = pa.Table.from_arrays(columns, schema=pa.schema(fields)).append_column(
        "more", pa.array([1] * len(rows))
    )
    folder = root / dataset.name / "date=2026-03-29"
    folder.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, folder / f"other-{unit}.parquet")


def spread(root: Path, dataset: Dataset, rows: list[Row], key: str) -> None:
    """Write rows in three kinds of files, some twice, together with rows and files to reject."""
    third = len(rows) // 3
    write(root, dataset, rows[:third] + rows[:3])
    write(root, dataset, rows[5:9], "again.parquet", "2026-03-29")  # late, and equal to rows of another file
    write_otherwise(root, dataset, rows[third : 2 * third], ZoneInfo("Europe/Berlin"), "us")
    write_otherwise(root, dataset, rows[2 * third :] + rows[-2:], None, "ns")
    write(root, dataset, [{**rows[0], key: None}, {**rows[1], key: None}], "null.parquet")
    ahead = {**rows[0], dataset.time: NOW + timedelta(days=1, microseconds=1)}
    write(root, dataset, [ahead], "ahead.parquet")
    folder = root / dataset.name / "date=2026-03-28"
    whole = (folder / "x.parquet").read_bytes()
    (folder / "cut.parquet").write_bytes(whole[: len(whole) // 2])
    (folder / "empty.parquet").write_bytes(b"")
    (folder / ".half.parquet.part").write_bytes(b"PAR1")


def make(root: Path) -> Messy:
    rng = random.Random(5)
    messy = Messy(root)
    published, delivered = _events(rng, messy)
    snapshots = [
        {
            "taken_at": START + timedelta(seconds=20 * i),
            "switch": f"sw{s}",
            "entries": rng.randrange(50),
            "budget": b,
        }
        for i in range(12)
        for s, b in ((1, None), (2, 40 + i), (3, 0))
    ]
    messy.rows = {
        "published": published,
        "delivered": delivered,
        "table_snapshots": snapshots,
        "requests": _requests(rng),
    }
    for name, key in (
        ("published", "seq"),
        ("delivered", "host"),
        ("table_snapshots", "switch"),
        ("requests", "request"),
    ):
        spread(root, DATASETS[name], messy.rows[name], key)
    return messy


def _events(rng: random.Random, messy: Messy) -> tuple[list[Row], list[Row]]:
    published, delivered = [], []
    for seq in range(150):
        at = START + timedelta(seconds=100 * seq, microseconds=rng.randrange(10**6))
        event = {"a": rng.randrange(16), "b": rng.randrange(16), "c": rng.choice("xyz")}
        messy.events.append({**event, "at": at, "seq": seq})
        name = {"topic": "t", "publisher": f"p{seq % 3}", "seq": seq}
        dz = "".join(rng.choice("01") for _ in range(rng.choice((2, 6, 6))))
        text = json.dumps(event) if seq % 50 else '{"a": 99, "b": 1, "c": "x"}'
        published.append({**name, "host": "h0", "published_at": at, "dz": dz, "values": text})
        for host in ("h1", "h2", "h3", "h4"):
            delivered += _deliveries(rng, name, host, at, messy.events[-1])
    for row in delivered[:2]:
        delivered.append({**row, "seq": 10_000})  # no such event was published
    return published, delivered


def _deliveries(rng: random.Random, name: Row, host: str, at: datetime, event: Row) -> list[Row]:
    own = [entry for entry in SUBSCRIPTIONS["subscriptions"] if entry["host"] == host]
    matching = [entry["id"] for entry in own if wants(entry, event)]
    if rng.random() < (0.1 if matching else 0.8):
        return []
    times = [
        at + timedelta(microseconds=rng.randrange(-200, 9000)) for _ in range(rng.choice((1, 1, 1, 2, 3)))
    ]
    return [
        {**name, "host": host, "received_at": time, "wanted": bool(matching), "subscriptions": matching}
        for time in dict.fromkeys(times)
    ]


def _requests(rng: random.Random) -> list[Row]:
    rows = []
    for number in range(40):
        at = START + timedelta(minutes=number)
        row = {
            "request": number,
            "kind": rng.choice(("subscribe", "advertise")),
            "topic": "t",
            "received_at": at,
        }
        stages: list[Row] = [{**row, "status": "queued"}]
        for stage in ("started_at", "computed_at", "confirmed_at")[: rng.randrange(4)]:
            at += timedelta(microseconds=rng.randrange(-2_000, 20_000))
            stages.append({**stages[-1], stage: at, "status": "deploying"})
        stages[-1]["status"] = rng.choice(("active", "failed"))
        rows += stages
    rng.shuffle(rows)
    return rows
