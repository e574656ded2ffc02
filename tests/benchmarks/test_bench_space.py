"""The benchmark of event spaces measures all methods with the same unseen events."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from bench_options import SPACES
from bench_space import CASES, measured, summary

from tercast.dimensions.proposal import METHODS


def test_every_case_can_be_chosen() -> None:
    assert tuple(CASES) == SPACES


@pytest.mark.parametrize("name", ["demo", pytest.param("sea", marks=pytest.mark.full)])
def test_a_learned_space_has_fewer_false_positives(name: str) -> None:
    found = measured(name, 1, 300, 64)
    assert set(found) == {*METHODS, "all methods"}
    others = [found[method]["unwanted"] for method in METHODS[:-1]]
    assert 0 <= found["learned"]["unwanted"] < min(others) / 2
    assert 0 < found["learned"]["cuts"] <= 64


def test_a_summary_has_means_and_ratios() -> None:
    row = {"unwanted": 10, "fpr": 5.0, "cells": 3, "cuts": 0}
    runs = [dict.fromkeys(METHODS, row) | {"learned": {**row, "unwanted": n}} for n in (1, 3)]
    assert summary(runs)["learned"]["unwanted"] == 2
    assert summary(runs)["greedy"]["learned_ratio"] == 0.2
