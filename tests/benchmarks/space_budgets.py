"""Copies that aggregation adds in an event space: each table may hold a quarter of its exact entries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mininet_labs.figures.experiments.aggregation_trial import (
    EXACT,
    LA,
    BudgetTooSmallError,
    GrowingNetwork,
    TableJudge,
    TrialSetting,
)
from mininet_labs.figures.workloads.aggregation import Object, regular_tree
from tercast.dimensions.workload import Workload
from tercast.eventspace.topic import Topic
from tercast.filters.syntax_tree import tree_text
from tercast.optimizer.pipeline import aggregate
from tercast.optimizer.traffic.traffic_reader import read_traffic

METHODS = (LA, "fa-pb", "optimal")
PUBLISHERS = 5
SHARE = 4
FEWEST = 16
"""A table may hold its exact entries divided by `SHARE`, but at least `FEWEST`."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A workload in an event space, on the hosts of a network: five publishers send all kinds of events."""

    workload: Workload
    space: Topic

    @property
    def topic(self) -> Object:
        """Return the topic, as in a scenario."""
        return self.space.to_json()

    def advertisements(self, hosts: list[str]) -> list[Object]:
        """Return an advertisement of all events for each publisher."""
        places = hosts[:: max(1, len(hosts) // PUBLISHERS)][:PUBLISHERS]
        return [
            {"op": "advertise", "id": f"a{number}", "host": host, "topic": self.space.name, "filter": ""}
            for number, host in enumerate(places)
        ]

    def subscriptions(self, hosts: list[str]) -> Iterator[Object]:
        """Yield the subscriptions; each host of the workload is a host of the network."""
        numbers = {name: number for number, name in enumerate(self.workload.hosts)}
        for number, (name, filter_) in enumerate(self.workload.subscriptions):
            host = hosts[numbers[name] % len(hosts)]
            at = {
                "host": host,
                "topic": self.space.name,
                "filter": tree_text(filter_.tree, self.space.attributes),
            }
            yield {"op": "subscribe", "id": f"q{number}", **at}

    def events(self, number: int, seed: int) -> list[Object]:
        """Return half of the events: those that chose the space for even seeds, the others for odd ones."""
        rows = self.workload.events[seed % 2 :: 2][:number]
        return [
            {"publisher": f"a{place % PUBLISHERS}", "values": dict(values)}
            for place, values in enumerate(rows)
        ]


class _Budgeted(GrowingNetwork):
    """A network whose switches have their own budgets."""

    def __init__(self, setting: TrialSetting, budgets: Mapping[str, int]) -> None:
        self._budgets = budgets
        super().__init__(setting, LA)

    def set_budget(self, budget: int | None) -> None:
        for switch, own in self._budgets.items():
            self.apply({"op": "set_budget", "switch": switch, "tcam_budget": own})


def with_budgets(workload: Workload, spaces: Mapping[str, Topic], limit: int, depth: int) -> dict[str, Any]:
    """Return the figures on unseen events by space and method, with budgets of a quarter of the entries.

    The budgets of all spaces are those of the first one, so that they are compared at the same sizes.
    """
    budgets: dict[str, int] = {}
    found = {}
    for name, space in spaces.items():
        setting = TrialSetting(regular_tree(2, 4, 32), Placed(workload, space), 0, 4_000, limit, depth)
        exact = GrowingNetwork(setting, "none")
        exact.grow(len(workload.subscriptions))
        judge = TableJudge(exact)
        if not budgets:
            counts = exact.planner.counts()
            budgets = {switch: max(FEWEST, -(-counts[switch] // SHARE)) for switch in sorted(counts)}
        found[name] = {EXACT: judge.exact(), **_by_method(setting, judge, budgets, exact.deployed)}
    return found


def _by_method(
    setting: TrialSetting, judge: TableJudge, budgets: Mapping[str, int], number: int
) -> dict[str, Any]:
    """Return the figures with `number` subscriptions by method."""
    rows: dict[str, Any] = {}
    for method in METHODS:
        network = _Budgeted(setting, budgets)
        try:
            network.grow(number)
        except BudgetTooSmallError as error:
            rows[method] = {"refused": str(error)}
            continue
        if method != LA:
            result = aggregate(network.planner, method, read_traffic(network.planner, judge.past), seed=1)
            network.apply(result.request)
        rows[method] = judge.judge(network.planner.tables())
    return rows


def added(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return sums over seeds by space and method: copies, added copies, false positives, entries."""
    out: dict[str, Any] = {}
    for name, methods in rows[0].items():
        out[name] = {}
        for method in methods:
            mine = [row[name][method] for row in rows]
            if any("refused" in one for one in mine):
                out[name][method] = {"refused": sum("refused" in one for one in mine)}
                continue
            unseen = [one["unseen"] for one in mine]
            out[name][method] = {
                "entries": sum(one["entries"] for one in mine),
                **{key: sum(one[key] for one in unseen) for key in ("copies", "added", "unwanted")},
            }
    return out
