"""The benchmark of indexed attributes measures events that did not determine a choice."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from bench_dimensions import METHODS, measured, summary

from mininet_labs.figures.experiments.selection import ATTRIBUTES, limited_workload


def test_every_method_is_judged_by_the_same_events_and_all_means_all() -> None:
    run = measured((0, 2), 12, 1, (30, 300))
    assert set(run) == {"seconds", *METHODS}
    assert len(run["all"]["indexed"]) == ATTRIBUTES
    assert all(0 < run[method]["fpr"] <= 100 for method in METHODS)


def test_held_attributes_keep_to_a_part_of_the_domain() -> None:
    drawn = limited_workload((0, 2), 1, 5, 300).events
    assert len({event["x0"] for event in drawn}) <= 16
    assert len({event["x1"] for event in drawn}) > 100


def test_a_summary_gives_mean_and_range() -> None:
    run = {"seconds": dict.fromkeys(METHODS[1:], 1.0)}
    runs = [{**run, **{m: {"fpr": fpr, "indexed": ["x0"]} for m in METHODS}} for fpr in (10.0, 30.0)]
    assert summary(runs)["greedy"] == {"fpr": 20.0, "lowest": 10.0, "highest": 30.0, "attributes": 1}
