"""The page of analytics shows the measured values, and every answer equals that of DuckDB."""

import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
RESULT = HERE / "results" / "analytics.json"


def test_the_table_on_the_page_is_the_committed_result() -> None:
    table = subprocess.run(
        [sys.executable, str(HERE / "bench_analytics.py"), "--table", str(RESULT)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "platform"), str(ROOT)])},
    ).stdout
    assert table.count("\n") > 12
    assert table in (ROOT / "docs" / "analytics.md").read_text()


def test_spark_and_duckdb_gave_the_same_answers() -> None:
    assert all(row["agree"] for row in json.loads(RESULT.read_text())["rows"])
