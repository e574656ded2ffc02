"""Sizes of the experiments on aggregation."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Extent:
    """Sizes of all experiments; `quotes` is the size of the real workload."""

    seeds: tuple[int, ...]
    tree: tuple[int, int]
    switches: int
    hosts: int
    subscriptions: tuple[int, ...]
    budget: int
    budgets: tuple[int, ...]
    networks: tuple[int, ...]
    samplings: tuple[float, ...]
    events: int
    cells: int
    stock_cells: int
    stock_budget: int
    testbed_budget: int
    every: int
    step: int


EXTENTS = {
    "tiny": Extent(
        seeds=(1, 2),
        tree=(2, 2),
        switches=8,
        hosts=12,
        subscriptions=(20, 40),
        budget=60,
        budgets=(80, 60),
        networks=(6, 12),
        samplings=(0.5, 1.0),
        events=200,
        cells=50,
        stock_cells=8,
        stock_budget=60,
        testbed_budget=60,
        every=20,
        step=10,
    ),
    "quick": Extent(
        seeds=(1, 2, 3, 4, 5),
        tree=(3, 3),
        switches=40,
        hosts=120,
        subscriptions=(200, 400, 600),
        budget=100,
        budgets=(200, 100, 50, 25),
        networks=(15, 30, 60),
        samplings=(0.1, 0.4, 0.7, 1.0),
        events=4000,
        cells=50,
        stock_cells=8,
        stock_budget=100,
        testbed_budget=100,
        every=200,
        step=50,
    ),
    "full": Extent(
        seeds=(1, 2, 3, 4, 5),
        tree=(6, 3),
        switches=300,
        hosts=4402,
        subscriptions=(3000, 6000, 9000, 12000, 15000),
        budget=600,
        budgets=(600, 450, 300, 150, 75),
        networks=(60, 120, 180, 240, 300),
        samplings=(0.05, 0.1, 0.2, 0.4, 0.7, 1.0),
        events=100_000,
        cells=50,
        stock_cells=8,
        stock_budget=600,
        testbed_budget=600,
        every=3000,
        step=500,
    ),
}
