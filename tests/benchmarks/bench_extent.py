"""Extents of the benchmark: everything, the quick part, or a tiny part for tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

from mininet_labs.figures.workloads.synthetic import fat_tree, random_graph

DEPTH = 48
PUBLISHERS = 7
"""Hosts that advertise everything in the planner's cases; the others advertise narrow parts."""

GRAPHS: dict[str, Callable[[], dict[str, Any]]] = {
    "fat tree": fat_tree,
    "random 60": lambda: random_graph(60),
    "random 300": lambda: random_graph(300),
    "random 754": lambda: random_graph(754),
}


@dataclass(frozen=True, slots=True)
class Case:
    """Content of a growing planner; `kernels` is "compiled" or "plain"."""

    graph: str
    filters: str
    attributes: int
    cells: int
    kernels: str = "compiled"

    def __str__(self) -> str:
        kernels = "" if self.kernels == "compiled" else ", plain Python"
        return f"{self.graph}, {self.filters}, {self.attributes} attributes, {self.cells} dz{kernels}"


@dataclass(frozen=True, slots=True)
class Extent:
    """Sizes of all sections; `single_seconds` and `singles` limit a measurement of single requests."""

    cases: tuple[Case, ...]
    deployed: tuple[int, ...]
    singles: int
    single_seconds: float
    growing_seconds: float
    memory_mib: int
    flows: int
    pleroma_deployed: int
    pleroma_filters: tuple[str, ...]
    pleroma_seconds: float
    events: int
    batch_events: int
    verified: tuple[tuple[str, int], ...]
    steps: int
    large_graph: str
    large_deployed: int
    large_uniform_seconds: float
    link_graphs: tuple[str, ...]
    link_events: int
    boxes: int
    plain_boxes: int
    installed: int
    rounds: int
    calls: int
    listed: int


def _matrix() -> Iterator[Case]:
    yield from (
        Case(*row)
        for row in product(("fat tree", "random 60", "random 300"), ("zipf", "uniform"), (2, 5, 10), (4, 16))
    )
    yield from (
        Case("fat tree", kind, 5, cells, "plain") for kind, cells in product(("zipf", "uniform"), (4, 16))
    )


FULL = Extent(
    cases=tuple(_matrix()),
    deployed=(1_000, 5_000, 25_000),
    singles=1_000,
    single_seconds=0.5,
    growing_seconds=15,
    memory_mib=6 * 1024,
    flows=20_000,
    pleroma_deployed=1_000,
    pleroma_filters=("zipf", "uniform"),
    pleroma_seconds=5,
    events=5_000,
    batch_events=200_000,
    verified=(("zipf", 25_000), ("uniform", 25_000)),
    steps=50,
    large_graph="random 754",
    large_deployed=100_000,
    large_uniform_seconds=45,
    link_graphs=("fat tree", "random 60", "random 300"),
    link_events=4_000,
    boxes=2_000,
    plain_boxes=100,
    installed=50_000,
    rounds=5,
    calls=60,
    listed=5_000,
)

QUICK = Extent(
    cases=(
        *(Case("fat tree", kind, 5, cells) for kind, cells in product(("zipf", "uniform"), (4, 16))),
        Case("random 300", "zipf", 5, 4),
        Case("random 300", "uniform", 5, 4),
        Case("fat tree", "zipf", 5, 4, "plain"),
    ),
    deployed=(1_000, 5_000),
    singles=300,
    single_seconds=0.3,
    growing_seconds=5,
    memory_mib=3 * 1024,
    flows=20_000,
    pleroma_deployed=1_000,
    pleroma_filters=("zipf",),
    pleroma_seconds=2,
    events=2_000,
    batch_events=50_000,
    verified=(("zipf", 25_000), ("uniform", 2_000)),
    steps=20,
    large_graph="random 754",
    large_deployed=10_000,
    large_uniform_seconds=3,
    link_graphs=("fat tree", "random 60"),
    link_events=1_000,
    boxes=300,
    plain_boxes=20,
    installed=10_000,
    rounds=3,
    calls=20,
    listed=1_000,
)

TINY = Extent(
    cases=(Case("fat tree", "uniform", 2, 4), Case("fat tree", "zipf", 2, 4, "plain")),
    deployed=(30, 60),
    singles=10,
    single_seconds=0.5,
    growing_seconds=5,
    memory_mib=1024,
    flows=100,
    pleroma_deployed=30,
    pleroma_filters=("uniform",),
    pleroma_seconds=0.2,
    events=20,
    batch_events=100,
    verified=(("uniform", 30),),
    steps=3,
    large_graph="random 60",
    large_deployed=100,
    large_uniform_seconds=1,
    link_graphs=("fat tree",),
    link_events=50,
    boxes=5,
    plain_boxes=2,
    installed=110,
    rounds=1,
    calls=2,
    listed=20,
)
