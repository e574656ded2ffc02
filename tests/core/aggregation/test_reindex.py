"""Other indexed attributes within budgets: the new encoding fits, or the request changes nothing."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercast.planner.planner import Planner
from tests.property_profiles import examples
from tests.support.networks import host, link, planner_of, topology

INDEXED = {"op": "set_indexed", "topic": "a", "indexed": ["x", "y"]}


def two_switches(budget: int | None, method: str, *requests: dict[str, Any]) -> Planner:
    """A host each at s1, which has a budget, and at s2; of x and y only y is indexed."""
    network = topology(2, [link("s1", 1, "s2", 1)], [host("p", "s1", 9, 1), host("h", "s2", 9, 2)])
    network["switches"][0]["tcam_budget"] = budget
    attributes = [{"name": name, "type": "int", "min": 0, "max": 7} for name in "xy"]
    scenario = {
        "address": {"family": "ipv6", "prefix": "ff0e::/16", "topic_bits": 16},
        "limits": {"max_dz_length": 6},
        "topology": network,
        "topics": [{"name": "a", "code": 4, "attributes": attributes, "indexed": ["y"]}],
        "requests": [],
    }
    planner = planner_of(scenario)
    planner.apply_all([{"op": "set_aggregation", "method": method}, *requests])
    planner.take_diff()
    return planner


def asked(op: str, name: str, at: str, wanted: str) -> dict[str, Any]:
    return {"op": op, "id": name, "host": at, "topic": "a", "filter": wanted}


BY_Y_ALONE_ONE_ENTRY = (
    asked("subscribe", "q", "p", "x in [4, 5] and y in [5, 7]"),
    asked("advertise", "a", "p", "y in [5, 5]"),
    asked("subscribe", "r", "h", "x in [6, 7] and y in [3, 7]"),
)


@pytest.mark.parametrize("method", ["none", "la", "optimal"])
def test_without_room_it_fails_with_the_reason_and_changes_nothing(method: str) -> None:
    planner = two_switches(1, method, *BY_Y_ALONE_ONE_ENTRY)
    before, tables = planner.snapshot(), planner.tables()
    outcome = planner.apply(INDEXED)
    assert not outcome.ok and outcome.failed_switches == ("s1",)
    assert outcome.reason is not None and outcome.reason.code == "budget"
    assert '"a" needs more entries than these switches may have: "s1" (budget 1)' in str(outcome.reason)
    assert (planner.snapshot(), planner.tables()) == ({**before, "applied": before["applied"] + 1}, tables)
    assert planner.topics["a"].indexed == ("y",)
    assert len(planner.take_diff()) == 0


@pytest.mark.parametrize("method", ["none", "la"])
def test_after_it_failed_it_does_what_it_does_without_a_budget(method: str) -> None:
    planner, free = (two_switches(budget, method, *BY_Y_ALONE_ONE_ENTRY) for budget in (1, None))
    assert not planner.apply(INDEXED).ok
    assert planner.apply({"op": "set_budget", "switch": "s1", "tcam_budget": None}).ok
    for one in (planner, free):
        assert one.apply(INDEXED).ok
    assert planner.tables() == free.tables()


def some_requests(random: Random) -> list[dict[str, Any]]:
    requests = []
    for n in range(10):
        (left, right), (low, high) = (sorted(random.choices(range(8), k=2)) for _ in "xy")
        wanted = f"x in [{left}, {right}] and y in [{low}, {high}]"
        op = random.choice(["advertise", "subscribe", "subscribe"])
        requests.append(asked(op, f"r{n}", random.choice("ph"), wanted))
    return requests


@given(st.integers(0, 100_000), st.integers(1, 6), st.sampled_from(["none", "la"]))
@examples(60)
def test_it_never_takes_a_table_over_its_budget(seed: int, budget: int, method: str) -> None:
    planner = two_switches(budget, method, *some_requests(Random(seed)))
    before, tables = planner.snapshot(), planner.tables()
    free = Planner.restore({**before, "enforce_budgets": False})
    assert free.apply(INDEXED).ok
    outcome = planner.apply(INDEXED)
    assert planner.counts()["s1"] <= budget
    assert outcome.ok == (free.counts()["s1"] <= budget)
    expected = free if outcome.ok else Planner.restore(before)
    assert planner.tables() == expected.tables()
    assert outcome.ok or planner.tables() == tables
    assert {**planner.snapshot(), "applied": 0, "enforce_budgets": 0} == {
        **expected.snapshot(),
        "applied": 0,
        "enforce_budgets": 0,
    }
