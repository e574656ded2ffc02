"""Comparison of a federation by exchanged sets with one by forwarded requests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from random import Random

from mininet_labs.figures.experiments.control_load import forward_requests
from mininet_labs.figures.figure import Size
from mininet_labs.figures.samples import Row
from mininet_labs.figures.workloads.partitioned import RING, ring_scenario
from tercast.federation.world.fault_run import FaultRun
from tercast.federation.world.faults import CUT, Fault
from tercast.federation.world.federated_plan import settle
from tercast.federation.world.federated_world import TREE_MESSAGES, FederatedWorld, WorldOptions
from tercast.offline.scenario import read_scenario

FORWARDED = "forwarded requests"
APART = "exchanged sets, one request at a time"
TOGETHER = "exchanged sets, all requests together"

ROUND_TRIP = 0.055
"""Seconds of a request and its answer over a border of the simulation: twice the mean delay."""

FEWEST_FOR_CUT = 3
"""Minimum number of partitions of a ring that a cut does not divide."""

CUT_BEGIN, CUT_END = 1.0, 30.0


@dataclass(frozen=True, slots=True)
class ExchangeScale:
    """Sizes of the experiment."""

    partitions: tuple[int, ...]
    subscriptions: int


@dataclass(frozen=True, slots=True)
class ExchangeExperiment:
    """Messages between controllers, entries of all switches, and the gap after a cut.

    Requests are forwarded without tables, so these rows have no entries. Their gap is that of the exchanged
    sets plus one round trip for each request of the busiest border, because the paper sends them one at a
    time.

    The series `TOGETHER` has only the share of entries, because its line would be that of `APART`.
    """

    scales: Mapping[Size, ExchangeScale]

    def rows(self, size: Size, seed: int) -> Iterator[Row]:
        """Yield the rows of a seed."""
        scale = self.scales[size]
        undivided = 0
        for partitions in scale.partitions:
            together, _ = _exchange(partitions, scale.subscriptions, seed, together=True)
            apart, world = _exchange(partitions, scale.subscriptions, seed, together=False)
            undivided = undivided or apart["entries"]
            for row in (together, apart):
                row["entries_share"] = round(row["entries"] / undivided, 4)
            forwarded = _forward(partitions, scale.subscriptions, seed)
            busiest = forwarded.pop("busiest")
            if partitions >= FEWEST_FOR_CUT:
                apart.update(_cut(world, seed))
                forwarded["gap"] = round(apart["gap"] + busiest * ROUND_TRIP, 3)
            del together["entries"]
            for name, row in ((APART, apart), (FORWARDED, forwarded), (TOGETHER, together)):
                yield {"x": partitions, "series": name, **row}


def _forward(partitions: int, subscriptions: int, seed: int) -> Row:
    run = forward_requests(RING, partitions, subscriptions, seed)
    return {"messages": run.forwarded.total(), "busiest": max(run.forwarded.values(), default=0)}


def _exchange(partitions: int, subscriptions: int, seed: int, together: bool) -> tuple[Row, FederatedWorld]:
    """Run a federation until it is at rest.

    With `together`, all requests come together. Otherwise each one is complete before the next.
    """
    scenario = read_scenario(ring_scenario(partitions, subscriptions, seed))
    world = FederatedWorld(scenario, WorldOptions(seed=seed))
    settle(world)
    for request in scenario.requests:
        world.request(request)
        if not together:
            world.run_until(world.time.now + 1.0)
    settle(world)
    messages = sum(n for kind, n in world.sent.items() if kind not in TREE_MESSAGES and kind != "Acknowledge")
    return {"messages": messages, "entries": world.tables.count()}, world


def _cut(world: FederatedWorld, seed: int) -> Row:
    """Cut a border of a federation at rest; `violations` is 1 if a guarantee fails."""
    pair = min(one.partitions for one in world.divided.border_links)
    run = FaultRun(world, [Fault(CUT, pair, CUT_BEGIN, CUT_END)], Random(seed)).run()
    recovery = run.gaps[0].recovery
    gap = CUT_END - CUT_BEGIN if recovery is None else recovery
    return {"gap": round(gap, 3), "violations": int(not run.holds)}
