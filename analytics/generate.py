"""Generated telemetry, equal for equal seeds: `python -m analytics.generate`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from analytics.times import EPOCH, MICROSECOND, micros, parse_time
from tercast.eventspace.dz import text
from tercast.eventspace.event_encoder import event_dz_batch
from tercast.eventspace.topic import Topic
from tercast.requests.kinds import ADVERTISE, SUBSCRIBE, UNADVERTISE, UNSUBSCRIBE
from tercast.runtime.json_files import FileRefused, write_json
from tercast.telemetry import DELIVERED, PUBLISHED, REQUESTS, TABLE_SNAPSHOTS, Dataset
from tercast.telemetry.writer import arrow_schema, write_file

Ints = npt.NDArray[np.int64]
RowColumns = dict[str, Any]

CHUNK = 100_000
DAY = 86_400_000_000
DEPTH = 24
TOPIC = {
    "name": "quotes",
    "code": 2,
    "attributes": [
        {"name": "price", "type": "int", "min": 0, "max": 1023},
        {"name": "volume", "type": "int", "min": 0, "max": 1023},
        {"name": "venue", "type": "int", "min": 0, "max": 15},
    ],
}
NAMES = ("price", "volume", "venue")


@dataclass(frozen=True, slots=True)
class GeneratedPlan:
    """Amounts to generate: events, time range, participants, and shares of faulty deliveries."""

    events: int
    start: int
    length: int = DAY
    publishers: int = 8
    hosts: int = 16
    switches: int = 20
    filters: int = 2
    unwanted: float = 0.02
    lost: float = 0.001
    doubled: float = 0.001
    seed: int = 1


@dataclass(frozen=True, slots=True)
class Boxes:
    """Subscriptions as inclusive ranges of price and volume: a row for each host and filter."""

    low: npt.NDArray[np.int64]
    high: npt.NDArray[np.int64]


def main(arguments: Sequence[str] | None = None) -> int:
    """Write telemetry and `ROOT/subscriptions.json`; return 2 if this is impossible."""
    parser = argparse.ArgumentParser(
        prog="python -m analytics.generate", description=__doc__, allow_abbrev=False
    )
    parser.add_argument("--events", metavar="N", type=_count, required=True, help="number of events")
    parser.add_argument("--out", metavar="ROOT", required=True, help="telemetry root: a new or empty folder")
    parser.add_argument(
        "--start", metavar="T", type=_time, default="2026-01-01", help="time of the first event (%(default)s)"
    )
    parser.add_argument("--seed", metavar="N", type=_count, default="1", help="seed (%(default)s)")
    args = parser.parse_args(arguments)
    root = Path(args.out)
    try:
        if root.exists() and any(root.iterdir()):
            print(f"{root}: the folder is not empty; choose a new one", file=sys.stderr)
            return 2
        generate(root, GeneratedPlan(args.events, micros(args.start), seed=args.seed))
    except FileRefused as refused:
        print(refused, file=sys.stderr)
        return 2
    except OSError as error:
        print(f"{root}: cannot write: {error.strerror or error}", file=sys.stderr)
        return 2
    return 0


def generate(root: Path, plan: GeneratedPlan) -> None:
    """Write the four datasets and the file of subscriptions to `root`."""
    rng = np.random.default_rng(plan.seed)
    boxes = _boxes(plan, rng)
    root.mkdir(parents=True, exist_ok=True)
    write_json(str(root / "subscriptions.json"), subscriptions_json(plan, boxes))
    topic = Topic.from_json(TOPIC)
    for first in range(0, plan.events, CHUNK):
        number = np.arange(first, min(first + CHUNK, plan.events), dtype=np.int64)
        values = {name: _values(rng, name, len(number)) for name in NAMES}
        _write(root, PUBLISHED, _published(plan, topic, number, values))
        _write(root, DELIVERED, _delivered(plan, boxes, rng, number, values))
    _write(root, TABLE_SNAPSHOTS, _snapshots(plan, rng))
    _write(root, REQUESTS, _requests(plan, rng))


def subscriptions_json(plan: GeneratedPlan, boxes: Boxes) -> dict[str, Any]:
    """Return the boxes as a document of subscriptions."""
    rows = []
    for number, (low, high) in enumerate(zip(boxes.low, boxes.high, strict=True)):
        text = f"price in [{low[0]}, {high[0]}] and volume in [{low[1]}, {high[1]}]"
        rows.append(
            {"id": f"s{number}", "host": _host(number // plan.filters), "topic": "quotes", "filter": text}
        )
    return {"topics": [TOPIC], "subscriptions": rows}


def _boxes(plan: GeneratedPlan, rng: np.random.Generator) -> Boxes:
    low = rng.integers(0, 900, (plan.hosts * plan.filters, 2))
    size = np.stack([rng.integers(50, 250, len(low)), rng.integers(300, 900, len(low))], axis=1)
    return Boxes(low, np.minimum(low + size, 1023))


def _values(rng: np.random.Generator, name: str, count: int) -> Ints:
    if name == "price":
        return np.clip(rng.normal(500, 200, count), 0, 1023).astype(np.int64)
    return rng.integers(0, 1024 if name == "volume" else 16, count)


def _times(plan: GeneratedPlan, number: Ints) -> Ints:
    return plan.start + (number * (plan.length / plan.events)).astype(np.int64)


def _names(plan: GeneratedPlan, number: Ints) -> list[str]:
    return [f"a{i}" for i in (number % plan.publishers).tolist()]


def _published(plan: GeneratedPlan, topic: Topic, number: Ints, values: dict[str, Ints]) -> RowColumns:
    rows = list(zip(*(values[name].tolist() for name in NAMES), strict=True))
    events = [dict(zip(NAMES, row, strict=True)) for row in rows]
    return {
        "topic": ["quotes"] * len(rows),
        "publisher": _names(plan, number),
        "host": [_host(i) for i in (number % plan.publishers).tolist()],
        "seq": plan.start + number,
        "published_at": _times(plan, number),
        "dz": [text(dz) for dz in event_dz_batch(topic, events, DEPTH)],
        "values": [
            f'{{"price": {price}, "volume": {volume}, "venue": {venue}}}' for price, volume, venue in rows
        ],
    }


def _delivered(
    plan: GeneratedPlan, boxes: Boxes, rng: np.random.Generator, number: Ints, values: dict[str, Ints]
) -> RowColumns:
    point = np.stack([values["price"], values["volume"]], axis=1)[:, None, :]
    matched = np.all((point >= boxes.low) & (point <= boxes.high), axis=2)
    wanted = matched.reshape(len(number), plan.hosts, plan.filters).any(axis=2)
    chance = rng.random(wanted.shape)
    row, host = np.nonzero(np.where(wanted, chance >= plan.lost, chance < plan.unwanted))
    again = np.flatnonzero(rng.random(len(row)) < plan.doubled)
    row, host = np.concatenate([row, row[again]]), np.concatenate([host, host[again]])
    delay = rng.lognormal(7, 0.6, len(row)).astype(np.int64) + 100
    return {
        "topic": ["quotes"] * len(row),
        "publisher": _names(plan, number[row]),
        "seq": plan.start + number[row],
        "host": [_host(i) for i in host.tolist()],
        "received_at": _times(plan, number)[row] + delay,
        "wanted": wanted[row, host],
        "subscriptions": list(_matching(matched, row, host, plan.filters)),
    }


def _matching(matched: npt.NDArray[np.bool_], row: Ints, host: Ints, filters: int) -> Iterator[list[str]]:
    first = host * filters
    flags = np.stack([matched[row, first + i] for i in range(filters)], axis=1)
    for start, held in zip(first.tolist(), flags.tolist(), strict=True):
        yield [f"s{start + i}" for i, yes in enumerate(held) if yes]


def _snapshots(plan: GeneratedPlan, rng: np.random.Generator) -> RowColumns:
    times = np.arange(plan.start, plan.start + plan.length, 60_000_000, dtype=np.int64)
    count = len(times) * plan.switches
    switch = np.tile(np.arange(plan.switches), len(times))
    entries = np.clip(rng.normal(400, 60, count), 0, 600).astype(np.int64)
    return {
        "taken_at": np.repeat(times, plan.switches),
        "switch": [f"sw{i}" for i in switch.tolist()],
        "entries": entries,
        "budget": [None if i == 0 else 600 for i in switch.tolist()],
        "packets": rng.integers(0, 1 << 40, count),
        "bytes": rng.integers(0, 1 << 50, count),
    }


def _requests(plan: GeneratedPlan, rng: np.random.Generator) -> RowColumns:
    count = max(1, plan.events // 100)
    kinds = (ADVERTISE, UNADVERTISE, SUBSCRIBE, UNSUBSCRIBE)
    failed = rng.random(count) < 0.01
    received = plan.start + np.sort(rng.integers(0, plan.length, count))
    started = received + rng.integers(100, 50_000, count)
    computed = started + rng.integers(50, 20_000, count)
    confirmed = computed + rng.integers(500, 80_000, count)
    return {
        "request": np.arange(1, count + 1),
        "kind": [kinds[i] for i in rng.integers(0, 4, count).tolist()],
        "topic": ["quotes"] * count,
        "partition": [None] * count,
        "received_at": received,
        "started_at": started,
        "computed_at": computed,
        "confirmed_at": [
            None if lost else at for lost, at in zip(failed.tolist(), confirmed.tolist(), strict=True)
        ],
        "status": ["failed" if lost else "active" for lost in failed.tolist()],
        "added": rng.integers(0, 20, count),
        "removed": rng.integers(0, 20, count),
        "modified": rng.integers(0, 20, count),
    }


def _write(root: Path, dataset: Dataset, columns: RowColumns) -> None:
    """Write the rows of columns into a file for each of their days."""
    schema = arrow_schema(dataset)
    table = pa.table({field.name: pa.array(columns[field.name], field.type) for field in schema}, schema)
    day = np.asarray(columns[dataset.time], dtype=np.int64) // DAY
    for number in np.unique(day).tolist():
        date = (EPOCH + number * DAY * MICROSECOND).date().isoformat()
        write_file(root / dataset.name / f"date={date}", table.filter(pa.array(day == number)))


def _host(number: int) -> str:
    return f"h{number}"


def _count(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 1_000_000_000:
        raise argparse.ArgumentTypeError(f"{text!r} is not an integer from 1 to 1000000000")
    return int(text)


def _time(text: str) -> datetime:
    try:
        return parse_time(text).astimezone(UTC)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


if __name__ == "__main__":
    sys.exit(main())
