"""Which attributes to index: what is measured is what the exact matcher and the encoder say one by one."""

import json
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercast.cli.main import main
from tercast.dimensions.attribute_matches import AttributeMatches
from tercast.dimensions.greedy import greedy
from tercast.dimensions.measured_cost import Measure
from tercast.dimensions.proposal import propose
from tercast.dimensions.spectral import AttributeSelection, spectral
from tercast.dimensions.workload import Workload
from tercast.encoding.encoder import encode_dz
from tercast.errors import Refused
from tercast.eventspace.dz import covers
from tercast.eventspace.topic import Topic
from tercast.filters.filter import Filter
from tests.property_profiles import examples
from tests.support.dimension_workloads import scenario, workloads

DEPTH, LIMIT = 12, 6


def counted(workload: Workload, indexed: list[str]) -> tuple[int, int, int]:
    """Deliveries, false positives and cells, one event and one host at a time."""
    topic = workload.topic.with_indexed(indexed)
    sets = [(host, encode_dz(Filter(topic, f.tree), DEPTH, LIMIT)) for host, f in workload.subscriptions]
    delivered = unwanted = 0
    for event in workload.events:
        dz = topic.event_dz(event, DEPTH)
        for host in workload.hosts:
            if any(covers(cell, dz) for other, cells in sets for cell in cells if other == host):
                delivered += 1
                wants = any(f.matches(event) for other, f in workload.subscriptions if other == host)
                unwanted += not wants
    return delivered, unwanted, sum(len(cells) for _, cells in sets)


@examples(60)
@given(workloads(), st.data())
def test_costs_are_what_events_taken_one_by_one_come_to(workload: Workload, data: st.DataObject) -> None:
    names = [attribute.name for attribute in workload.topic.attributes]
    indexed = data.draw(st.lists(st.sampled_from(names), min_size=1, unique=True))
    cost = Measure(workload, DEPTH, LIMIT).of(indexed)
    assert (cost.delivered, cost.unwanted, cost.cells) == counted(workload, indexed)
    assert set(cost.indexed) == set(indexed)


@examples(40)
@given(workloads())
def test_the_best_of_a_proposal_is_never_worse_than_what_is_there_on_the_events_that_judge(
    workload: Workload,
) -> None:
    proposal = propose(workload, DEPTH, LIMIT)
    assert proposal.current.cost.indexed == workload.topic.indexed
    assert proposal.best.cost.unwanted == min(c.cost.unwanted for c in proposal.candidates)
    assert proposal.best.cost.unwanted <= proposal.current.cost.unwanted
    if proposal.best.cost.unwanted == proposal.current.cost.unwanted:
        assert proposal.best == proposal.current


@examples(200)
@given(workloads(), st.data())
def test_late_events_alone_judge_and_each_event_is_on_one_side(
    workload: Workload, data: st.DataObject
) -> None:
    later = data.draw(st.integers(1, len(workload.events)))
    seen, unseen = workload.late_halves(later)
    early, late = workload.events[: len(workload.events) - later], workload.events[-later:]
    assert seen.events == (*early, *late[0::2]) and unseen.events == late[1::2]
    assert seen.topic == unseen.topic == workload.topic and seen.subscriptions == workload.subscriptions


@examples(40)
@given(workloads())
def test_a_greedy_choice_falls_at_every_step_and_is_never_worse_than_the_best_single_one(
    workload: Workload,
) -> None:
    measure = Measure(workload, DEPTH, LIMIT)
    choice = greedy(measure)
    unwanted = [cost.unwanted for cost in choice.steps]
    assert unwanted == sorted(set(unwanted), reverse=True)
    assert unwanted[0] == min(measure.of([a.name]).unwanted for a in workload.topic.attributes)
    assert measure.of(choice.selected).unwanted == unwanted[-1]


def numbers(count: int) -> Topic:
    rows = [{"name": f"x{n}", "type": "int", "min": 0, "max": 63} for n in range(count)]
    return Topic.from_json({"name": "t", "code": 2, "attributes": rows})


def workload_of(texts: list[str], drawn: list[dict[str, int]], count: int = 3) -> Workload:
    topic = numbers(count)
    subscriptions = tuple((f"h{n}", Filter.parse(text, topic)) for n, text in enumerate(texts))
    return Workload(topic, subscriptions, tuple(topic.check(values) for values in drawn))


def two_that_distinguish_events(number: int = 200) -> Workload:
    """Filters test x0 and x1 narrowly; x2 is the same in all of them, and in all events."""
    rng = random.Random(1)
    texts = [f"x0 in [{8 * n}, {8 * n + 7}] and x1 in [{8 * n}, {8 * n + 7}] and x2 < 32" for n in range(8)]
    drawn = [{"x0": rng.randrange(64), "x1": rng.randrange(64), "x2": 5} for _ in range(number)]
    return workload_of(texts, drawn)


def test_greedy_adds_the_attributes_that_distinguish_events_and_no_others() -> None:
    choice = greedy(Measure(two_that_distinguish_events(), 6, 50))
    assert set(choice.selected) == {"x0", "x1"}
    assert choice.steps[-1].unwanted == 0


def test_an_attribute_that_says_what_another_says_is_not_indexed_beside_it() -> None:
    drawn = [{"x0": n % 64, "x1": n % 64, "x2": 0} for n in range(128)]
    texts = [f"x0 in [{8 * n}, {8 * n + 7}] and x1 in [{8 * n}, {8 * n + 7}]" for n in range(8)]
    assert len(greedy(Measure(workload_of(texts, drawn), 12, 50)).selected) == 1


def test_pleroma_ranks_an_attribute_last_in_which_all_events_match_as_many() -> None:
    found = spectral(two_that_distinguish_events())
    assert found.ranking[-1] == "x2"
    assert found.weights[-1] == 0


def test_where_no_attribute_distinguishes_events_pleroma_keeps_all() -> None:
    found = spectral(workload_of(["x0 < 32"], [{"x0": 1, "x1": 1, "x2": 1}] * 4))
    assert set(found.selected) == {"x0", "x1", "x2"}
    assert found.weights == (0.0, 0.0, 0.0)


def test_projections_count_a_filter_once_in_each_attribute_that_one_of_its_terms_matches() -> None:
    topic = numbers(2)
    parsed = [Filter.parse("x0 < 8 and x1 < 8 or x0 < 16 and x1 > 60", topic), Filter.parse("x1 = 3", topic)]
    counts = AttributeMatches(topic, parsed).counts([{"x0": 12, "x1": 3}, {"x0": 40, "x1": 30}])
    assert counts.tolist() == [[2.0, 2.0], [1.0, 0.0]]


def test_savings_are_shown_per_event_with_their_error() -> None:
    proposal = propose(two_that_distinguish_events(), 6, 50)
    lost = proposal.current.cost.unwanted - proposal.best.cost.unwanted
    assert proposal.saved == pytest.approx(lost / proposal.events)
    assert proposal.is_beyond_chance
    assert not propose(two_that_distinguish_events(2), 6, 50).is_beyond_chance


def test_a_spectrum_that_is_known_already_is_judged_as_it_is() -> None:
    known = AttributeSelection(("x2", "x0", "x1"), (1.0, 0.0, 0.0), (1.0, 0.0, 0.0), ("x2",))
    proposal = propose(two_that_distinguish_events(), 6, 50, spectrum=known)
    assert {c.method: c.cost.indexed for c in proposal.candidates}["spectral"] == ("x2",)


def test_fewer_than_two_events_judge_nothing() -> None:
    with pytest.raises(ValueError, match="two events"):
        propose(workload_of(["x0 < 32"], [{"x0": 1, "x1": 1, "x2": 1}]), 6, 50)


def test_an_attribute_that_the_topic_lacks_is_refused_by_name() -> None:
    with pytest.raises(Refused, match="x9"):
        Measure(two_that_distinguish_events(4), 6, 50).of(["x0", "x9"])


def test_the_command_shows_every_candidate_and_the_best(tmp_path: Path) -> None:
    workload = two_that_distinguish_events()
    (tmp_path / "s.json").write_text(json.dumps(scenario(workload)))
    lines = (json.dumps({"publisher": "a1", "values": values}) for values in workload.events)
    (tmp_path / "e.jsonl").write_text("".join(f"{line}\n" for line in lines))
    arguments = ["dimensions", str(tmp_path / "s.json"), "--events", str(tmp_path / "e.jsonl")]
    assert main([*arguments, "-o", str(tmp_path / "out.json")]) == 0
    found = json.loads((tmp_path / "out.json").read_text())["topics"]["t"]
    by_method = {candidate["method"]: candidate for candidate in found["candidates"]}
    assert set(by_method) == {"current", "all", "spectral", "greedy"}
    assert by_method["greedy"]["unwanted"] < by_method["current"]["unwanted"]
    assert set(found["indexed"]) == {"x0", "x1"} and found["cuts"] == []


def test_the_command_names_the_line_of_an_event_that_cannot_be(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "s.json").write_text(json.dumps(scenario(two_that_distinguish_events())))
    (tmp_path / "e.jsonl").write_text('{"publisher": "a1", "values": {"x0": 99, "x1": 0, "x2": 0}}\n')
    assert main(["dimensions", str(tmp_path / "s.json"), "--events", str(tmp_path / "e.jsonl")]) == 2
    assert "e.jsonl:1: values.x0: 99" in capsys.readouterr().err
