"""Results of methods on one network: redundant copies, entries, processor seconds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice
from time import process_time
from typing import Any

from mininet_labs.figures.workloads.aggregation import Object, TrafficSource
from tercast.encoding.limits import Limits
from tercast.eventspace.address_plan import AddressPlan
from tercast.optimizer.pipeline import aggregate
from tercast.optimizer.traffic.traffic_reader import read_traffic
from tercast.planner.planner import Planner
from tercast.requests.kinds import ADD_TOPIC, SET_AGGREGATION, SET_BUDGET
from tercast.simulation.delivery_counts import DeliveryCounts
from tercast.simulation.replay import Replay
from tercast.tables.entries import Table

EXACT, LA = "exact", "la"
PERIODIC = ("fa-lb", "fa-pb", "optimal")
METHODS = (EXACT, LA, *PERIODIC)

TRAINING, UNSEEN = 2, 3
"""Seeds of the two sets of events; one even, one odd."""

TablesBySwitch = Mapping[str, Table]


class BudgetTooSmallError(Exception):
    """No merging makes the tables fit into this budget."""


@dataclass(frozen=True, slots=True)
class TrialSetting:
    """A network and a workload, with the `budget` of every switch.

    `cells` is the maximum number of dz of a filter.
    """

    network: Object = field(repr=False)
    workload: TrafficSource
    budget: int
    events: int
    cells: int
    depth: int = 48


class GrowingNetwork:
    """A planner that gets the subscriptions of a setting one at a time."""

    def __init__(self, setting: TrialSetting, policy: str) -> None:
        self.setting = setting
        self.planner = Planner(
            AddressPlan.default("ipv6"),
            Limits(max_dz_length=setting.depth, max_dz_per_filter=setting.cells),
        )
        self.seconds = 0.0
        hosts = [host["id"] for host in setting.network["hosts"]]
        self._waiting = setting.workload.subscriptions(hosts)
        self.deployed = 0
        parts = (("switch", "switches"), ("link", "links"), ("host", "hosts"))
        self.apply(
            *({"op": f"add_{kind}", kind: row} for kind, rows in parts for row in setting.network[rows])
        )
        self.apply({"op": ADD_TOPIC, "topic": setting.workload.topic})
        if policy != "none":
            self.apply({"op": SET_AGGREGATION, "method": policy})
            self.set_budget(setting.budget)
        self.apply(*setting.workload.advertisements(hosts))

    def apply(self, *requests: Object) -> None:
        """Carry out requests; raises BudgetTooSmallError when a budget is too small for one."""
        for request in requests:
            outcome = self.planner.apply(request)
            if outcome.reason is not None and outcome.reason.code == "budget":
                raise BudgetTooSmallError(str(outcome.reason))
            assert outcome.ok, (request["op"], outcome.reason)

    def set_budget(self, budget: int | None) -> None:
        """Set the same budget at all switches."""
        for row in self.setting.network["switches"]:
            self.apply({"op": SET_BUDGET, "switch": row["id"], "tcam_budget": budget})

    def grow(self, number: int) -> None:
        """Add subscriptions until there are `number`, and record the processor seconds."""
        requests = list(islice(self._waiting, number - self.deployed))
        start = process_time()
        self.apply(*requests)
        self.seconds += process_time() - start
        self.deployed = number


class TableJudge:
    """Sends past and unseen events through tables, and compares with the exact tables."""

    def __init__(self, network: GrowingNetwork) -> None:
        setting, planner = network.setting, network.planner
        self.past = setting.workload.events(setting.events, TRAINING)
        unseen = setting.workload.events(setting.events, UNSEEN)
        self._replays = {"training": Replay.of(planner, self.past), "unseen": Replay.of(planner, unseen)}
        self._exact_tables = planner.exact_tables()
        self._exact = {name: replay.through(self._exact_tables) for name, replay in self._replays.items()}

    def exact(self) -> dict[str, Any]:
        """Return the figures of the exact tables."""
        return self._row(self._exact_tables, self._exact)

    def judge(self, tables: TablesBySwitch) -> dict[str, Any]:
        """Return the figures of other tables."""
        return self._row(tables, {name: replay.through(tables) for name, replay in self._replays.items()})

    def _row(self, tables: TablesBySwitch, counts: Mapping[str, DeliveryCounts]) -> dict[str, Any]:
        for name, found in counts.items():
            assert found.holds, (name, found.lost, found.doubled, found.loops)
        sizes = [len(table) for table in tables.values()]
        return {
            "entries": sum(sizes),
            "largest": max(sizes, default=0),
            "merged": round(merged(self._exact_tables, tables), 3),
            **{name: self._events(name, found) for name, found in counts.items()},
        }

    def _events(self, name: str, found: DeliveryCounts) -> dict[str, Any]:
        exact = self._exact[name].copies.total()
        copies = found.copies.total()
        return {
            "copies": copies,
            "needless": found.needless.total(),
            "fpr": round(found.network_fpr, 4),
            "added": copies - exact,
            "added_percent": round(100 * (copies - exact) / exact, 4) if exact else 0.0,
            "unwanted": found.unwanted,
        }


def merged(exact: TablesBySwitch, installed: TablesBySwitch) -> float:
    """Return the percentage of exact entries that are not installed unchanged."""
    total = sum(map(len, exact.values()))
    kept = sum(len({*table} & {*installed.get(switch, ())}) for switch, table in exact.items())
    return 100 * (total - kept) / total if total else 0.0


def periodic(
    network: GrowingNetwork, judge: TableJudge, method: str, sampling: float, seed: int
) -> dict[str, Any]:
    """Run a periodic method on a network with budgets, apply its result, and return the figures."""
    traffic = read_traffic(network.planner, judge.past)
    start = process_time()
    result = aggregate(network.planner, method, traffic, sampling, seed=seed)
    seconds = process_time() - start
    network.apply(result.request)
    tables = network.planner.tables()
    budget = network.setting.budget
    assert all(len(table) <= budget for table in tables.values())
    gap = None if result.optimality_gap is None else round(result.optimality_gap, 4)
    figures = {"seconds": round(seconds, 4), "chosen": result.chosen, "gap": gap}
    return {**figures, **judge.judge(tables)}
