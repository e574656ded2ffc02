"""The options that are printed without the environment name the parts of the benchmarks."""

import sys
from pathlib import Path

from analytics.cli import JOB_NAMES

sys.path.insert(0, str(Path(__file__).parent))

import bench_options
import bench_planner

from mininet_labs.figures.experiments.aggregation import FIGURES
from mininet_labs.figures.experiments.aggregation_extents import EXTENTS


def test_the_choices_are_those_of_the_benchmarks() -> None:
    assert tuple(bench_planner.SECTIONS) == bench_options.SECTIONS
    assert tuple(EXTENTS) == bench_options.SIZES
    names = {name for one in FIGURES for name in (*one.shows, one.name)}
    assert {*bench_options.FIGURES} == names
    assert {*bench_options.JOBS, "event_samples", "learned_space"} == {*JOB_NAMES}
