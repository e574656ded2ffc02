"""Tables are the same whether plain Python or kernels carry out the requests."""

from __future__ import annotations

import json
from dataclasses import dataclass
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercast.encoding.limits import Limits
from tercast.eventspace.address_plan import AddressPlan
from tercast.eventspace.topic import Topic
from tercast.planner.planner import Planner
from tercast.runtime import jit
from tercast.tables.entries import Table
from tercast.topology.reader import read_topology
from tests.property_profiles import examples
from tests.support.kernel_modes import restored_kernels  # noqa: F401 - fixture
from tests.support.networks import DEPTH, TOPICS, dense_scene

pytest.importorskip("numba")

FINISH = {"op": "finish all moves"}
CODES = {"a": 4, "b": 6}


@dataclass(frozen=True, slots=True)
class Story:
    """A network with its changes, including budgets, merges, and finished migrations."""

    seed: int
    network: dict[str, Any]
    requests: list[dict[str, Any]]
    max_trees: int
    hitless: bool


def story(seed: int) -> Story:
    """A network with many dense subscriptions."""
    random = Random(seed)
    network, happens = dense_scene(seed)
    merges = random.random() < 0.4
    requests: list[dict[str, Any]] = []

    def budget(*values: int | None) -> dict[str, Any]:
        switch = random.choice(network["switches"])["id"]
        return {"op": "set_budget", "switch": switch, "tcam_budget": random.choice(values)}

    if merges:
        requests.append({"op": "set_aggregation", "method": "la"})
        requests += [budget(1, 2, 3, 4, 6, 9) for _ in network["switches"]]
    for request in happens:
        requests.append(request)
        if random.random() < 0.1:
            requests.append(FINISH)
        if merges and random.random() < 0.05:
            requests.append(budget(2, 4, 9, None))
    return Story(seed, network, requests, random.choice([1, 2, 64]), random.random() < 0.5)


class Feeder:
    """Carry out a story and take diffs sometimes; the diffs must result in the planned tables."""

    def __init__(self, story: Story) -> None:
        topics = [Topic.from_json({**topic, "code": CODES[topic["name"]]}) for topic in TOPICS]
        limits = Limits(max_dz_length=DEPTH, max_trees=story.max_trees)
        network = read_topology(story.network, "ipv6")
        self.planner = Planner(AddressPlan.default("ipv6"), limits, network, topics, hitless=story.hitless)
        self.random = Random(story.seed)
        self.tables: dict[str, Table] = {}
        self.answers: list[bool] = []

    def singly(self, requests: list[dict[str, Any]]) -> None:
        """One request at a time."""
        for request in requests:
            self._one(request)
            self._look(0.5)

    def in_batches(self, requests: list[dict[str, Any]]) -> None:
        """Many requests together, up to the end of migrations."""
        batch: list[dict[str, Any]] = []
        for request in requests:
            if request is not FINISH:
                batch.append(request)
            if request is FINISH or self.random.random() < 0.1:
                self.answers += [outcome.ok for outcome in self.planner.apply_all(batch)]
                batch.clear()
                self._look(0.5)
            if request is FINISH:
                self._one(request)
        self.answers += [outcome.ok for outcome in self.planner.apply_all(batch)]

    def with_trials_and_restarts(self, requests: list[dict[str, Any]]) -> None:
        """Requests one at a time; some after a dry run, and sometimes with a restart from a snapshot."""
        for request in requests:
            if request is not FINISH and self.random.random() < 0.2:
                before = self.planner.snapshot(), self.planner.tables()
                self.planner.dry_run([request])
                assert (self.planner.snapshot(), self.planner.tables()) == before
            self._one(request)
            if self.random.random() < 0.05:
                self._look(1)
                self.planner = Planner.restore(json.loads(json.dumps(self.planner.snapshot())))
            self._look(0.5)

    def end(self) -> None:
        """The last diff, and the counts of switches."""
        self._look(1)
        counts = {switch: count for switch, count in self.planner.counts().items() if count}
        assert counts == {switch: len(table) for switch, table in self.tables.items()}

    def _one(self, request: dict[str, Any]) -> None:
        if request is not FINISH:
            self.answers.append(self.planner.apply(request).ok)
            return
        for topic in list(self.planner.leaving):
            finish = {"op": "finish_move", "topic": topic, "version": self.planner.version(topic)}
            assert self.planner.apply(finish).ok

    def _look(self, chance: float) -> None:
        if self.random.random() <= chance:
            self.tables = self.planner.take_diff().apply(self.tables)
            assert self.tables == self.planner.tables()


WAYS = (Feeder.singly, Feeder.in_batches, Feeder.with_trials_and_restarts)


def hold(seed: int) -> None:
    """All ways, with and without kernels, have the result of the first one."""
    one = story(seed)
    first: Feeder | None = None
    for kernels in (False, True):
        for way in WAYS:
            jit.use(kernels)
            feeder = Feeder(one)
            way(feeder, one.requests)
            feeder.end()
            first = first or feeder
            assert feeder.answers == first.answers
            assert feeder.tables == first.tables
            assert feeder.planner.snapshot() == first.planner.snapshot()


@examples(40)
@given(st.integers(0, 1_000_000))
def test_all_ways_come_to_the_same(seed: int) -> None:
    hold(seed)


@pytest.mark.full
@examples(3_000)
@given(st.integers(0, 1_000_000))
def test_all_ways_come_to_the_same_in_many_stories(seed: int) -> None:
    hold(seed)
