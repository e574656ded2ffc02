"""The experiments on aggregation run from end to end, and the page shows the committed results."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks import aggregation_page as page

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PAGE = ROOT / "docs" / "aggregation-figures.md"


def bench(*arguments: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(ROOT / "platform"), str(ROOT)])
    return subprocess.run(
        [sys.executable, str(HERE / "bench_aggregation.py"), *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
        check=False,
    )


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    output = tmp_path_factory.mktemp("bench") / "result.json"
    for figures in (["5l", "5k"], ["5b"]):
        done = bench("--tiny", "--seeds", "1", "--figure", *figures, "-o", str(output))
        assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(output.read_text())
    return found


def test_experiments_are_kept_beside_each_other_with_their_machine(result: dict[str, Any]) -> None:
    assert list(result["experiments"]) == ["tree-zipf", "stocks", "testbed", "sawtooth"]
    for experiment in result["experiments"].values():
        assert {"cpu", "cores", "load_average"} <= experiment["machine"].keys()
        assert experiment["unheld"] == {}


def test_all_methods_are_measured_at_every_size(result: dict[str, Any]) -> None:
    rows = result["experiments"]["tree-zipf"]["rows"]
    sizes = result["sizes"]["subscriptions"]
    assert {(row["x"], row["method"]) for row in rows} == {
        (x, method) for x in sizes for method in ("exact", "la", "fa-lb", "fa-pb", "optimal")
    }
    for row in rows:
        assert row["largest"] <= (10_000 if row["method"] == "exact" else result["sizes"]["budget"])
        for events in ("training", "unseen"):
            assert row[events]["added"] == 0 or row["method"] != "exact"
            assert 0 <= row[events]["fpr"] <= 100


def test_periodic_methods_take_effect_in_the_course_of_time(result: dict[str, Any]) -> None:
    rows = result["experiments"]["sawtooth"]["rows"]
    ran = [row["x"] for row in rows if row["method"] == "la with optimal" and "seconds" in row]
    assert ran == [20, 40]


def test_pictures_are_drawn(result: dict[str, Any], tmp_path: Path) -> None:
    for name, experiment in result["experiments"].items():
        page.draw(experiment, tmp_path / f"{name}.png")
        assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG")


def test_aims_are_met_or_not_as_measured() -> None:
    def rows(pb: float, best: float) -> list[dict[str, Any]]:
        values = {"la": 100.0, "fa-pb": pb, "optimal": best}
        return [
            {"seed": 1, "x": 10, "method": name, "unseen": {"added_percent": value}}
            for name, value in values.items()
        ]

    def reported(pb: float, best: float) -> list[str]:
        shares = {"shares-tree-zipf": {"title": "T", "rows": rows(pb, best)}}
        lines = page.aims({"sizes": {"seeds": [1]}, "experiments": shares}).splitlines()
        return [line.split(" | ")[-1].removesuffix(" |") for line in lines[2:5]]

    assert reported(45, 22.5) == ["yes", "yes", "yes"]
    assert reported(46, 22.5) == ["**no**", "yes", "yes"]
    assert reported(45, 23) == ["yes", "**no**", "yes"]
    assert reported(45, 48) == ["yes", "**no**", "**no**"]


def test_what_a_run_costs_is_measured_for_all_methods(tmp_path: Path) -> None:
    sizes = {"switches": 6, "hosts": 12, "subscriptions": 60, "events": 200}
    output = tmp_path / "times.json"
    done = subprocess.run(
        [
            sys.executable,
            str(HERE / "bench_aggregation_time.py"),
            *(word for name, size in sizes.items() for word in (f"--{name}", str(size))),
            *("--budgets", "40", "--no-warm-up", "-o", str(output)),
        ],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "platform"), str(ROOT)])},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(output.read_text())
    assert {name: found[name] for name in sizes} == sizes
    assert [run["method"] for run in found["runs"]] == ["fa-lb", "fa-pb", "optimal"]
    assert all(run["switches_over_budget"] for run in found["runs"])


def test_the_page_shows_the_committed_results() -> None:
    text = PAGE.read_text()
    assert page.filled(text, json.loads(page.RESULTS.read_text())) == text
    for picture in re.findall(r"\((images/[^)]+)\)", text):
        assert (PAGE.parent / picture).is_file(), picture


def test_other_quotes_are_read(tmp_path: Path) -> None:
    sys.path.insert(0, str(HERE))
    try:
        from mininet_labs.figures.workloads.aggregation import Stocks, read_quotes  # noqa: PLC0415
    finally:
        sys.path.remove(str(HERE))
    path = tmp_path / "quotes.csv"
    lines = ["Ticker,Date,Open,High,Low,Close,Volume", "XY,2001-02-03,1.5,2,1,1.75,1000"]
    path.write_text("\n".join([*lines, "AB,2001-02-03,15,20,10,17.5,5", "XY,2001-02-04,2000,2000,9,9,1"]))
    quotes = read_quotes(path)
    assert quotes[0] == {"symbol": "XY", "open": 1.5, "high": 2.0, "low": 1.0, "close": 1.75, "volume": 1000}
    assert [quote["symbol"] for quote in quotes] == ["XY", "AB"]
    events = Stocks(quotes, 1).events(3, seed=1)
    assert events == [{"publisher": "AB", "values": quotes[1]}] * 3
