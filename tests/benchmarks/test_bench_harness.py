"""The benchmark runs from end to end with complete results, and the page shows the committed ones."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks import bench_growth, bench_options, bench_tables

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


def bench(*arguments: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(ROOT / "platform"), str(ROOT)])
    return subprocess.run(
        [sys.executable, str(HERE / "bench_planner.py"), *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
        check=False,
    )


@pytest.fixture(scope="module")
def result() -> dict[str, Any]:
    done = bench("--tiny", "--only", *(each for each in bench_options.SECTIONS if each != "stages"))
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_every_section_is_there_with_the_machine(result: dict[str, Any]) -> None:
    sections = {"switch", "planner", "pleroma", "events", "verify", "large", "links", "encoder", "controller"}
    assert sections <= result.keys()
    assert {"cpu", "cores", "ram_gib", "kernel", "python", "numba", "load_average"} <= result[
        "machine"
    ].keys()


def test_a_case_shows_rates_of_all_kinds_at_all_sizes(result: dict[str, Any]) -> None:
    row = result["planner"][0]
    assert [size["deployed"] for size in row["sizes"]] == [30, 60]
    for size in row["sizes"]:
        for kind in ("subscribe", "unsubscribe", "advertise", "unadvertise"):
            figures = size[kind]
            assert (
                figures["requests"] == figures["changing"]["requests"] + figures["unchanging"]["requests"] > 0
            )
            assert size["batches"][kind]["requests"] > 0
        assert size["subscribe"]["changing"]["changes_per_s"] > 0
        assert size["subscribe"]["changes"] > 0 and size["mib_per_1000"] is not None
        diffs = size["subscribe"]["by_diff"].values()
        assert sum(some["requests"] for some in diffs) == size["subscribe"]["requests"]
    assert row["growth"]["from"] == 30 and row["growth"]["subscribe"]["median_request"] > 0
    assert result["planner"][1]["kernels"] == "plain"


def test_growth_is_reported_at_equal_diffs() -> None:
    def size(deployed: int, by_diff: dict[str, tuple[int, float]]) -> dict[str, Any]:
        figures = {key: {"requests": count, "median_us": middle} for key, (count, middle) in by_diff.items()}
        whole = {"requests": 40, "median_us": 50.0}
        kind = {**whole, "unchanging": whole, "by_diff": figures}
        return {"deployed": deployed, **dict.fromkeys(bench_growth.KINDS, kind)}

    before = size(5, {"0": (30, 10.0), "2-3": (10, 40.0), "8-15": (1, 90.0)})
    after = size(25, {"0": (10, 20.0), "2-3": (30, 40.0), "8-15": (40, 900.0)})
    found = bench_growth.growth([before, after])
    assert found is not None
    assert found["subscribe"] == {"median_request": 1.0, "same_diff": 1.5, "unchanging_request": 1.0}
    assert bench_growth.growth([before]) is None


def test_each_figure_has_its_baseline(result: dict[str, Any]) -> None:
    if "flows_per_s" in result["switch"]:
        size = result["planner"][0]["sizes"][0]
        assert size["ratio_to_switch"]["batches"]["subscribe"] > 0
        batch = size["batches"]["subscribe"]
        assert batch["switch_ms"] >= batch["slowest_part_ms"] > 0 < batch["planning_ms"]
        assert "parts" not in batch and batch["switches"] > 0
        sample = size["subscribe"]["sample"]
        assert sample["switch_ms"] >= sample["slowest_part_ms"] > sample["start_ms"] / 2 > 0
        assert sample["planning_ms"] > 0 and sample["switches"] > 0
    assert all(row["pleroma_requests"] >= 3 and row["ratio"] > 0 for row in result["pleroma"])
    assert all(row["trees"]["trees"] == 8 and row["one_tree"]["trees"] == 1 for row in result["links"])
    assert all(row["peak_rss_mib"] < row["limit_mib"] for row in result["large"])


BOTH = """
import json, bench_planners, bench_pleroma
from bench_extent import TINY, Case
from mininet_labs.figures.experiments.algorithm1 import Algorithm1
from tercast.planner.planner import Planner

theirs, ours = [], []
subscribe, apply = Algorithm1.subscribe, Planner.apply

def their_subscribe(self, host, cells):
    theirs.append([host, sorted(cells)])
    return subscribe(self, host, cells)

def our_apply(self, request):
    if request["op"] == "subscribe":
        ours.append(request)
    return apply(self, request)

Algorithm1.subscribe, Planner.apply = their_subscribe, our_apply
Planner.apply_all = lambda self, requests: [self.apply(request) for request in requests]
bench_planners.BATCH = bench_pleroma.BATCH = 8
bench_pleroma.use_kernels = lambda kernels: None
singly = bench_pleroma.singly
cells = []

def and_cells(planner, requests, seconds):
    result = singly(planner, requests, seconds)
    live = planner.registry.live
    cells.extend([r["host"], sorted(bench_pleroma.dzs.text(dz) for dz in live[r["id"]].dz)] for r in ours)
    return result

bench_pleroma.singly = and_cells
row = bench_pleroma.measure_case(Case("fat tree", "zipf", 5, 4), TINY)
print(json.dumps({"row": row, "theirs": theirs, "ours": cells}))
"""


def test_the_baseline_and_ours_get_the_same_subscriptions_in_the_same_order() -> None:
    path = os.pathsep.join([str(ROOT / "platform"), str(ROOT), str(HERE)])
    done = subprocess.run(
        [sys.executable, "-c", BOTH],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    deployed, timed = report["row"]["deployed"], report["row"]["pleroma_requests"]
    assert len(report["theirs"]) == deployed + timed and deployed == 30 and timed >= 3
    assert len(report["ours"]) == 40
    assert report["ours"][: len(report["theirs"])] == report["theirs"]


def test_sections_can_be_chosen(tmp_path: Path) -> None:
    output = tmp_path / "result.json"
    done = bench("--tiny", "--only", "events", "-o", str(output))
    assert done.returncode == 0 and done.stdout == "", done.stderr
    assert json.loads(output.read_text()).keys() == {"format", "extent", "machine", "events", "seconds"}


def test_the_tables_come_from_any_result(result: dict[str, Any]) -> None:
    text = bench_tables.filled("".join(bench_tables.place(name) for name in bench_tables.TABLES), result)
    assert "fat tree" in text and "None" not in text


def test_the_page_shows_the_committed_results() -> None:
    page = bench_tables.PAGE.read_text()
    assert bench_tables.filled(page, bench_tables.read_results()) == page


@pytest.mark.full
@pytest.mark.fabric
def test_stages_show_each_stage_of_a_change() -> None:
    done = bench("--tiny", "--only", "stages")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)["stages"]
    assert found["one_client"]["changes"] == 4 and found["bulk"]["items"] == 20
    processes = found["one_client"]["per_change"]
    assert {"view", "parsed", "encoded", "logged", "wake-up sent", "waited"} <= {*processes["web"]["stages"]}
    wanted = {"taken", "planned", "verified", "decided", "sent and confirmed", "settled"}
    assert wanted <= {*processes["worker-1"]["stages"]}
    assert all(each["cpu_ms"] > 0 for each in processes.values())
