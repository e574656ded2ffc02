"""Reports of telemetry writers."""

import dataclasses
from datetime import UTC, datetime

import pytest

from controlplane.telemetry import writer_watch

NOW = datetime.now(UTC).replace(microsecond=1234)


@pytest.fixture(autouse=True)
def root(settings, tmp_path):
    settings.ENV = dataclasses.replace(settings.ENV, telemetry=tmp_path / "telemetry")
    return settings.ENV.telemetry_root


def report(**change):
    counts = dict.fromkeys(writer_watch.COUNTS, 0)
    times = {"started_at": NOW.isoformat(), "told_at": NOW.isoformat()}
    return (
        {"name": "w1", "host": "h1", "period_s": 5, "closed": False, "error": None} | counts | times | change
    )
