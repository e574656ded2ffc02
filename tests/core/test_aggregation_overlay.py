"""Installed tables under any mix of requests: within budgets, as defined, and the same on every way."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tercast.dz import text
from tercast.planner import Outcome
from tests.core.aggregation_oracle import installed_as_defined
from tests.core.judge import Judge, World
from tests.core.networks import DEPTH, TOPICS, dense_scene, flows, planner_for, scenes

Scene = tuple[dict[str, Any], list[dict[str, Any]]]

budgets = st.lists(st.sampled_from([None, 0, 1, 1, 2, 2, 3, 4]), min_size=8, max_size=8)


def with_budgets(network: dict[str, Any], some: list[int | None]) -> dict[str, Any]:
    for switch, budget in zip(network["switches"], some, strict=False):
        switch["tcam_budget"] = budget
    return network


class Follower:
    """Takes requests through a planner, and judges every step."""

    def __init__(self, network: dict[str, Any], max_trees: int = 64, method: str = "la") -> None:
        self.planner = planner_for(network, max_trees)
        self.world = World.of("ipv6", 16, DEPTH, network, TOPICS)
        self.planner.apply({"op": "set_aggregation", "method": method})
        self.gone: set[str] = set()
        self.tables = self.planner.tables()

    def step(self, request: dict[str, Any]) -> Outcome | None:
        planner = self.planner
        if request["op"].startswith("un") and request["id"] in self.gone:
            return None
        before = planner.snapshot(), planner.tables(), planner.trees(), planner.counts()
        outcome = planner.apply(request)
        diff = planner.take_diff()
        self.tables = diff.apply(self.tables)
        assert self.tables == planner.tables()
        if outcome.ok:
            registration = planner.registry.live.get(request.get("id", ""))
            self.world.follow(request, [text(dz) for dz in registration.dz] if registration else None)
        else:
            assert outcome.reason is not None
            assert len(diff) == 0
            after = planner.snapshot(), planner.tables(), planner.trees(), planner.counts()
            assert ({**after[0], "applied": 0}, *after[1:]) == ({**before[0], "applied": 0}, *before[1:])
            if request["op"] in ("subscribe", "advertise"):
                self.gone.add(request["id"])
        self.check(outcome, before[3])
        return outcome

    def check(self, outcome: Outcome, before: dict[str, int]) -> None:
        planner = self.planner
        assert not installed_as_defined(planner)
        for switch, count in planner.counts().items():
            budget = planner.topology.switches[switch].tcam_budget
            assert count == len(planner.table(switch))
            assert budget is None or count <= max(budget, before.get(switch, 0)) or outcome.failed_switches
        assert not [
            problem for problem in Judge(self.world, flows(planner)).problems(tight=False) if lossy(problem)
        ]


def lossy(problem: str) -> bool:
    """Whether something is lost, doubled or looped; needless copies are the price of a budget."""
    return not (
        ("wanted 0" in problem and "got 1 copies" in problem)
        or "says what a shorter entry says" in problem
        or "drops for nothing" in problem
    )


@settings(max_examples=150, deadline=None)
@given(scenes(most=18), budgets, st.sampled_from([1, 2, 64]))
def test_every_step_holds(scene: Scene, some: list[int | None], max_trees: int) -> None:
    network, requests = scene
    follower = Follower(with_budgets(network, some), max_trees)
    for request in requests:
        follower.step(request)


@pytest.mark.parametrize("seed", range(24))
def test_dense_scenes_hold(seed: int) -> None:
    network, requests = dense_scene(seed)
    follower = Follower(with_budgets(network, [seed % 5 + 1] * len(network["switches"])))
    for request in requests:
        follower.step(request)
