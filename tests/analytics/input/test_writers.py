"""The rows that writers of telemetry lost are reported with each result."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from analytics.input.writers import count_writers, read_writers

pytestmark = pytest.mark.spark

NOW = datetime(2026, 3, 29, 12, tzinfo=UTC)


def write(folder: Path, name: str, **report: Any) -> None:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(json.dumps({"taken": 10, "period_s": 5.0, **report}))


def counts(spark: Any, root: Path) -> dict[str, int]:
    return count_writers(read_writers(spark, str(root)), NOW)


def test_losses_add_up_and_who_stopped_is_counted(spark: Any, tmp_path: Path) -> None:
    assert counts(spark, tmp_path) == {
        "writers": 0,
        "lost": 0,
        "without_end": 0,
    }
    folder = tmp_path / "_writers"
    ago = {seconds: (NOW - timedelta(seconds=seconds)).isoformat() for seconds in (1, 74, 76, 86400)}
    write(folder, "a.json", lost=3, closed=True, told_at=ago[86400])
    write(folder, "b.json", lost=4, closed=False, told_at=ago[1])
    write(folder, "c.json", lost=0, closed=False, told_at=ago[74])
    write(folder, "d.json", lost=0, closed=False, told_at=ago[76])
    (folder / "e.json").write_text("{ no report")
    (folder / ".f.json.1.part").write_text("{}")
    assert counts(spark, tmp_path) == {
        "writers": 4,
        "lost": 7,
        "without_end": 1,
    }
