"""The answers of all jobs, computed with loops over lists, to compare with Spark."""

from __future__ import annotations

import json
import math
import random
from collections import Counter, defaultdict
from datetime import UTC, datetime, timedelta
from statistics import fmean
from typing import Any

import numpy as np

from analytics.options import DZ_LENGTH
from tercast.dimensions.learned_space import learned_space as core_learned_space
from tercast.dimensions.workload import Workload
from tercast.encoding.encoder import encode_dz
from tercast.eventspace import dz
from tercast.eventspace.topic import Topic
from tercast.filters.filter import Filter
from tests.support.analytics import messy_telemetry as messy

Row = dict[str, Any]
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def text(time: datetime) -> str:
    return time.astimezone(UTC).replace(tzinfo=None).isoformat() + "Z"


def window(time: datetime, minutes: int) -> str:
    return text(time - (time - EPOCH) % timedelta(minutes=minutes))


def percentile(values: list[float], share: float) -> float:
    values = sorted(values)
    at = share * (len(values) - 1)
    low = math.floor(at)
    return values[low] + (values[min(low + 1, len(values) - 1)] - values[low]) * (at - low)


def ms(start: datetime, end: datetime) -> float:
    return (end - start) / timedelta(microseconds=1) / 1000


def event(row: Row) -> tuple[Any, ...]:
    return row["topic"], row["publisher"], row["seq"]


def flow_table_size(rows: list[Row]) -> list[Row]:
    groups: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        groups[row["switch"], window(row["taken_at"], 1)].append(row)
    return [
        {
            "switch": switch,
            "window_start": start,
            "entries_min": min(row["entries"] for row in group),
            "entries_avg": fmean(row["entries"] for row in group),
            "entries_max": max(row["entries"] for row in group),
            "budget": max(group, key=lambda row: row["taken_at"])["budget"],
            "occupancy_max": max((r["entries"] / r["budget"] for r in group if r["budget"]), default=None),
        }
        for (switch, start), group in sorted(groups.items())
    ]


def first_copies(delivered: list[Row]) -> dict[tuple[Any, ...], Row]:
    first: dict[tuple[Any, ...], Row] = {}
    for row in delivered:
        key = (*event(row), row["host"])
        if key not in first or row["received_at"] < first[key]["received_at"]:
            first[key] = row
    return first


def delay(published: list[Row], delivered: list[Row]) -> list[Row]:
    times = {event(row): row["published_at"] for row in published}
    groups: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    for row in first_copies(delivered).values():
        if event(row) in times:
            at = times[event(row)]
            groups[row["topic"], row["host"], window(at, 60)].append(ms(at, row["received_at"]))
    return [
        {
            "topic": topic,
            "host": host,
            "window_start": start,
            "events": len(delays),
            **{f"p{share}_ms": percentile(delays, share / 100) for share in (50, 95, 99)},
            "max_ms": max(delays),
        }
        for (topic, host, start), delays in sorted(groups.items())
    ]


def false_positives(events: list[Row], published: list[Row], delivered: list[Row]) -> list[Row]:
    good = {row["seq"]: row for row in events}
    first = first_copies(delivered)
    out = []
    for host in ("h1", "h2", "h3", "h4"):
        own = [row for row in first.values() if row["host"] == host]
        came = {event(row) for row in own}
        entries = [entry for entry in messy.SUBSCRIPTIONS["subscriptions"] if entry["host"] == host]
        missed = [
            row
            for row in published
            if row["seq"] % 50
            and any(messy.wants(entry, good[row["seq"]]) for entry in entries)
            and event(row) not in came
        ]
        unwanted = sum(not row["wanted"] for row in own)
        out.append(
            {
                "topic": "t",
                "host": host,
                "delivered": len(own),
                "unwanted": unwanted,
                "fpr": 100 * unwanted / len(own),
                "lost": len(missed),
                "doubled": sum(row["host"] == host for row in delivered) - len(own),
            }
        )
    return out


def publisher_load(published: list[Row], depth: int) -> list[Row]:
    times = [row["published_at"] for row in published]
    seconds = ms(min(times), max(times)) / 1000
    out = []
    for publisher in sorted({row["publisher"] for row in published}):
        own = [row for row in published if row["publisher"] == publisher]
        cells = Counter(row["dz"][:depth] for row in own)
        out.append(
            {
                "publisher": publisher,
                "events": len(own),
                "events_per_s": len(own) / seconds,
                "dz_histogram": dict(cells),
            }
        )
    return out


def event_samples(published: list[Row]) -> list[Row]:
    """Return all events, because there are fewer than in a sample."""
    names = ("topic", "publisher", "seq", "published_at", "values")
    found = {(row["topic"], row["publisher"], row["seq"]): row for row in published}
    by_time = sorted(
        found.values(), key=lambda row: (row["topic"], row["publisher"], row["published_at"], row["seq"])
    )
    return [
        {**{name: row[name] for name in names}, "published_at": text(row["published_at"])}
        for row in by_time
        if row["values"] is not None
    ]


STAGES = ("received_at", "started_at", "computed_at", "confirmed_at")
SPANS = {"waiting_ms": (0, 1), "computing_ms": (1, 2), "deploying_ms": (2, 3), "processing_ms": (0, 3)}


def request_latency(rows: list[Row]) -> list[Row]:
    latest: dict[int, Row] = {}
    for row in rows:
        known = latest.get(row["request"])
        if known is None or len(row) > len(known):  # each stage adds one time
            latest[row["request"]] = row
    out = []
    for kind in ("advertise", "subscribe"):
        own = [row for row in latest.values() if row["kind"] == kind]
        answer: Row = {"kind": kind, "requests": len(own)}
        for name, (start, end) in SPANS.items():
            spans = [ms(row[STAGES[start]], row[STAGES[end]]) for row in own if STAGES[end] in row]
            answer[name] = {
                "p50": percentile(spans, 0.5),
                "p95": percentile(spans, 0.95),
                "mean": fmean(spans),
            }
        out.append({**answer, "failed": sum(row["status"] == "failed" for row in own)})
    return out


SIDES = {
    "s1": (lambda a: a < 8, None, None),
    "s2": (lambda a: a >= 4, lambda b: 3 <= b <= 9, None),
    "s3": (None, None, None),
    "s4": (None, lambda b: b > 2, None),
    "s5": (lambda a: a < 14, None, None),
}
"""Whether each subscription matches a value of one attribute for some values of the others; None: always."""


def matrix(events: list[Row]) -> np.ndarray:
    """Return W of PLEROMA, section 5: attributes in rows, events in columns."""
    later = datetime.fromisoformat(messy.LATER)
    out = np.zeros((3, len(events)))
    for column, one in enumerate(events):
        for name, sides in SIDES.items():
            if (name == "s4" and one["at"] < later) or (name == "s5" and one["at"] >= later):
                continue
            for row, side in enumerate(sides):
                out[row, column] += side is None or side(one["abc"[row]])
    return out


def learned_space(events: list[Row]) -> Row:
    """Learn from half of the events; count deliveries of the other half one by one, as a switch does."""
    topic = Topic.from_json(messy.TOPIC)
    entries = [entry for entry in messy.SUBSCRIPTIONS["subscriptions"] if entry["id"] != "s5"]
    filters = [(entry["host"], Filter.parse(entry["filter"], topic)) for entry in entries]
    by_key = sorted(events, key=lambda row: (row["seq"] % 3, row["seq"]))  # three publishers
    values = [{name: row[name] for name in "abc"} for row in by_key]
    random.Random(1).shuffle(values)
    seen, unseen = Workload(topic, tuple(filters), tuple(values)).halves()
    space = core_learned_space(seen, DZ_LENGTH, 50, 1024)
    cuts = json.dumps(space.cuts.to_json(space.attributes))
    head = {"topic": "t", "indexed": list(space.indexed), "cuts": cuts}
    counts = {"events": len(events), "subscriptions": 4, "judged_by": len(unseen.events)}
    return {**head, **counts, **_deliveries(topic, unseen, "_before"), **_deliveries(space, unseen, "")}


def _deliveries(space: Topic, unseen: Workload, suffix: str) -> Row:
    cells = {
        id(wanted): encode_dz(Filter(space, wanted.tree), DZ_LENGTH, 50) for _, wanted in unseen.subscriptions
    }
    delivered = unwanted = 0
    for values in unseen.events:
        name = dz.text(space.event_dz(values, DZ_LENGTH))
        for host in {host for host, _ in unseen.subscriptions}:
            own = [wanted for at, wanted in unseen.subscriptions if at == host]
            if any(name.startswith(dz.text(cell)) for wanted in own for cell in cells[id(wanted)]):
                delivered += 1
                unwanted += not any(wanted.matches(values) for wanted in own)
    found = {"delivered": delivered, "unwanted": unwanted, "cells": sum(map(len, cells.values()))}
    return {name + suffix: count for name, count in found.items()}


def dimension_selection(events: list[Row], threshold: float) -> Row:
    w = matrix(events)
    centred = w - w.mean(axis=1, keepdims=True)
    values, vectors = np.linalg.eigh(centred @ centred.T)
    weights = np.abs(vectors[:, -1])
    order = np.argsort(-weights, kind="stable")
    shares = np.cumsum(weights[order]) / weights.sum()
    names = [("a", "b", "c")[i] for i in order]
    return {
        "topic": "t",
        "ranking": names,
        "weights": weights[order].tolist(),
        "eigenvalues": values[::-1].tolist(),
        "selected": names[: int(np.argmax(shares >= threshold)) + 1],
        "events": len(events),
        "subscriptions": 5,
    }
