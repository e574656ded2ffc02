"""The simulator, which processes many events together, agrees with one for single events."""

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercast.offline.plan_file import PlanFile
from tercast.offline.scenario import Scenario
from tercast.offline.simulate_plan import PlanSimulator
from tercast.simulation import publications, single_event
from tercast.simulation import simulator as sending
from tercast.simulation.replay import Replay
from tercast.tables.entries import Table
from tests.property_profiles import examples
from tests.support import plain_simulator
from tests.support.networks import planner_of
from tests.support.plain_simulator import PlainSimulator
from tests.support.simulation_scenes import Document, dense, planned, scenarios, spoiled


def agree(scenario: Scenario, plan: PlanFile, sent: list[Document]) -> None:
    many, plain = PlanSimulator(scenario, plan), PlainSimulator(scenario, plan)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(single_event, "MAX_COPIES", 200)
        patch.setattr(plain_simulator, "MAX_COPIES", 200)
        many.follow(map(many.read, sent))
        for event in sent:
            plain.take(event)
    assert many.counts.report() == plain.counts.report()
    assert (many.counts.loops, many.counts.holds) == (plain.counts.loops, plain.counts.holds)


@examples(120)
@given(scenarios())
def test_both_agree_on_what_the_planner_plans(drawn: tuple[Document, list[Document]]) -> None:
    scenario, plan = planned(drawn[0])
    agree(scenario, plan, drawn[1])


@examples(300)
@given(st.integers(0, 1 << 40))
def test_both_agree_on_plans_that_are_spoiled(seed: int) -> None:
    random = Random(seed)
    document, sent = dense(random)
    scenario, plan = planned(document)
    agree(scenario, spoiled(scenario, plan, random), sent)


def test_such_plans_are_spoiled_in_many_ways() -> None:
    """Without this, the comparison above would prove little."""
    seen: Counter[str] = Counter()
    for seed in range(60):
        random = Random(seed)
        document, sent = dense(random)
        scenario, plan = planned(document)
        simulator = PlanSimulator(scenario, spoiled(scenario, plan, random))
        simulator.follow(map(simulator.read, sent))
        counts = simulator.counts
        for name in ("lost", "doubled", "loops", "unwanted", "delivered"):
            seen[name] += getattr(counts, name) > 0
        seen["needless"] += counts.needless.total() > 0
        seen["fine"] += counts.holds
    assert len(seen) == 7 and min(seen.values()) >= 6, seen


@examples(40)
@given(st.integers(0, 1 << 40))
def test_sizes_of_batches_do_not_matter(seed: int) -> None:
    random = Random(seed)
    document, sent = dense(random)
    scenario, plan = planned(document)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sending, "_BATCH", 2)
        patch.setattr(publications, "_CHUNK", 3)
        agree(scenario, spoiled(scenario, plan, random), sent)


@examples(60)
@given(st.integers(0, 1 << 40))
def test_a_replay_counts_the_same_again_and_again(seed: int) -> None:
    document, sent = dense(Random(seed))
    scenario, plan = planned(document)
    simulator = PlanSimulator(scenario, plan)
    simulator.follow(map(simulator.read, sent))
    planner = planner_of(document)
    planner.apply_all(document["requests"])
    replay = Replay.of(planner, sent)
    empty: dict[str, Table] = {}
    for _ in range(2):
        assert replay.through(planner.tables()).report() == simulator.counts.report()
        assert replay.through(empty).delivered == 0
