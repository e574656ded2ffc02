"""The benchmarks of the mix of filters and of learned cuts return complete rows at a tiny size."""

import random
import sys
from pathlib import Path

import pytest

pytest.importorskip("numba")
sys.path.insert(0, str(Path(__file__).parent))

from bench_cuts import measure_learning, mixed_texts
from bench_mix import measure_case

from tests.support.kernel_modes import restored_kernels  # noqa: F401 - fixture


@pytest.mark.full
def test_a_case_of_the_mix_has_rates_and_percentiles() -> None:
    row = measure_case("fat tree", 4, 0.2, 40, 60)
    assert row["subscribe_per_s"] > 0 and row["batch_per_s"] > 0
    assert row["unchanging"] > 0 and row["unchanging_p99_us"] >= row["unchanging_p50_us"] > 0


def test_learning_reports_the_cuts_that_it_found() -> None:
    found = measure_learning(30, 200, 16)
    assert found["cuts"] == 16 and (found["filters"], found["events"]) == (30, 200)


def test_the_mixed_topic_has_a_filter_of_each_kind() -> None:
    assert len(set(mixed_texts(random.Random(1)).values())) == 7
