"""A few rows of telemetry, written like those of the platform."""

from datetime import timedelta

from tercast.telemetry import DATASETS
from tercast.telemetry.writer import BatchWriter


def write(root, dataset, rows):
    """Write a batch of rows, a file for each of their days."""
    writer = BatchWriter(root, DATASETS[dataset])
    for row in rows:
        writer.add(row)
    assert writer.flush(), writer.error


def snapshot(at, seconds=0, switch="s1", entries=10, budget=100):
    time = at + timedelta(seconds=seconds)
    return {"taken_at": time, "switch": switch, "entries": entries, "budget": budget}


def published(at, seq, publisher="a1", dz="0101", values='{"low": 1}'):
    row = {"topic": "quotes", "publisher": publisher, "seq": seq, "host": "h1"}
    return {**row, "published_at": at, "dz": dz, "values": values}


def delivered(at, seq, ms=5, host="h2", publisher="a1", wanted=True):
    row = {"topic": "quotes", "publisher": publisher, "seq": seq, "host": host}
    return {**row, "received_at": at + timedelta(milliseconds=ms), "wanted": wanted, "subscriptions": []}
