"""Explanations: they agree with the simulator, and give each host its reason."""

from collections import Counter
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercast.errors import Refused
from tercast.explain.event_values import RawValues
from tercast.explain.explanation import Explanation, explain
from tercast.explain.offline import event_of, situation_of
from tercast.explain.reasons import RECEIVED, DeliveryReason
from tercast.offline.plan_file import PlanFile, plan_json, read_plan
from tercast.offline.scenario import Scenario, read_scenario
from tercast.offline.simulate_plan import PlanSimulator
from tercast.simulation import single_event
from tests.property_profiles import some
from tests.support.networks import example, planner_of
from tests.support.simulation_scenes import dense, planned, scenarios, spoiled

Document = dict[str, Any]


def explained(scenario: Scenario, plan: PlanFile, event: Document) -> Explanation:
    situation = situation_of(scenario, plan)
    return explain(situation, event_of(situation, event["publisher"], RawValues(event["values"])))


def of_document(document: Document, plan: Document | None = None, low: int = 92) -> Document:
    planner = planner_of(document)
    planner.apply_all(document["requests"])
    read = read_plan(plan or plan_json(planner))
    event = {"publisher": "a1", "values": {"low": low}}
    return explained(read_scenario(document), read, event).to_json()


def check(scenario: Scenario, plan: PlanFile, events: list[Document]) -> None:
    """Check that the explanation of each event agrees with all counts of the simulator."""
    for event in events:
        simulator = PlanSimulator(scenario, plan)
        simulator.take(event)
        counts = simulator.counts
        found = explained(scenario, plan, event)
        copies = Counter(
            (hop.switch, step.port)
            for hop in found.way.hops
            for step in hop.steps
            if step.far is not None and found.way.next_hop(hop, step) is not None
        )
        got = found.received
        by_reason = {verdict.host: verdict.reason for verdict in found.verdicts}
        wanted = {host for host, number in counts.wanted_by.items() if number}
        assert (sum(got.values()), found.way.loops) == (counts.delivered, bool(counts.loops))
        assert copies.keys() == counts.copies.keys()
        assert {host for host in got if by_reason[host] is DeliveryReason.MATCH} == wanted & got.keys()
        assert {host for host in got if by_reason[host] is not DeliveryReason.MATCH} == set(
            +counts.unwanted_by
        )
        lost = sum(reason is DeliveryReason.ENTRY_MISSING for reason in by_reason.values())
        assert lost == counts.lost
        assert by_reason.keys() == scenario.final.topology.hosts.keys()
        for host, reason in by_reason.items():
            assert (reason in RECEIVED) == (host in got)


@given(scenarios())
def test_explanations_agree_with_the_simulator(drawn: tuple[Document, list[Document]]) -> None:
    scenario, plan = planned(drawn[0])
    check(scenario, plan, drawn[1])


@pytest.mark.parametrize("seed", some(range(40), 6))
def test_they_agree_on_tables_that_nobody_planned(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(single_event, "MAX_COPIES", 2_000)
    random = Random(seed)
    document, events = dense(random)
    sound = planned(document)
    scenario, plan = sound[0], spoiled(*sound, random)
    live = scenario.final.live
    sent = [event for event in events if event["publisher"] in live]
    check(scenario, plan, sent)


@given(scenarios())
def test_the_entries_of_exact_tables_are_exact_and_stand_for_somebody(
    drawn: tuple[Document, list[Document]],
) -> None:
    scenario, plan = planned(drawn[0])
    for event in drawn[1]:
        found = explained(scenario, plan, event)
        for hop, origin in zip(found.way.hops, found.origins, strict=True):
            if hop.entry is not None:
                assert origin is not None
                assert origin.kind == "exact", (hop, origin)
                assert bool(origin.subscriptions) == bool(hop.steps)
        reasons = {verdict.reason for verdict in found.verdicts}
        assert not reasons & {
            DeliveryReason.AGGREGATION,
            DeliveryReason.STALE_ENTRY,
            DeliveryReason.ENTRY_MISSING,
        }


def test_aggregated_entries_are_distinguished_from_exact_ones() -> None:
    assert sum(map(merged_entries_met, range(12))) > 20


def merged_entries_met(seed: int) -> int:
    """How many entries that only aggregation made the events of a drawn network meet."""
    document, events = dense(Random(seed))
    planner = planner_of(document)
    planner.apply({"op": "set_aggregation", "method": "la"})
    planner.apply_all(document["requests"])
    for switch, count in planner.exact_counts().items():
        planner.apply({"op": "set_budget", "switch": switch, "tcam_budget": max(1, count // 3)})
    scenario, plan = read_scenario(document), read_plan(plan_json(planner))
    check(scenario, plan, events)
    exact = planner.exact_tables()
    merged = 0
    for event in events:
        found = explained(scenario, plan, event)
        for hop, origin in zip(found.way.hops, found.origins, strict=True):
            if hop.entry is not None and origin is not None:
                merged += hop.entry not in exact[hop.switch]
                redundant = [out for out in origin.behind if not out.matching and not out.truncated]
                assert origin.kind == "aggregated" if redundant else origin.kind in ("exact", "aggregated")
        for verdict in found.verdicts:
            if verdict.reason is DeliveryReason.AGGREGATION:
                at = [found.origins[hop.number] for hop in found.way.hops if hop.switch == verdict.switch]
                assert "aggregated" in [origin and origin.kind for origin in at]
    return merged


def test_the_path_of_an_event_is_shown_hop_by_hop() -> None:
    answer = of_document(example())
    assert answer["event"] == {
        "publisher": None,
        "advertisement": "a1",
        "filter": "low < 512",
        "host": "h1",
        "switch": "s1",
        "port": 3,
        "topic": "quotes",
        "values": {"low": 92},
        "dz": "0001011100",
        "cuts": [],
        "address": "ff0e:4:1700::",
        "problem": None,
    }
    first, second = answer["path"]
    assert (first["switch"], first["in_port"], first["from_hop"]) == ("s1", 3, None)
    assert first["entry"]["dst"] == "ff0e:4:1400::/38"
    assert first["origin"] == {"kind": "exact", "subscriptions": ["q1"], "subscriptions_count": 1}
    assert [(out["port"], out["next_switch"], out["next_hop"]) for out in first["outputs"]] == [(1, "s2", 1)]
    assert (second["switch"], second["in_port"], second["from_hop"]) == ("s2", 1, 0)
    assert [(out["host"], out["matching"]) for out in second["outputs"]] == [("h2", ["q1"])]
    assert [(row["host"], row["reason"]) for row in answer["received"]] == [("h2", "match")]
    assert [(row["host"], row["reason"]) for row in answer["not_received"]] == [("h1", "no_subscription")]


def reason(answer: Document, host: str = "h2") -> tuple[str, str | None]:
    rows = {row["host"]: row for row in [*answer["received"], *answer["not_received"]]}
    return rows[host]["reason"], rows[host]["at_switch"]


def changed(*requests: Document) -> Document:
    document = example()
    document["requests"] += requests
    return document


WITHDRAWN = {"op": "unsubscribe", "id": "q1"}


def test_reasons_for_not_receiving() -> None:
    assert reason(of_document(example(), low=300)) == ("no_match", None)
    assert reason(of_document(changed(WITHDRAWN))) == ("withdrawn", None)
    assert reason(of_document(changed(WITHDRAWN), low=300)) == ("no_match", None)
    assert reason(of_document(example(), low=512)) == ("no_match", None)
    wide = changed({"op": "subscribe", "id": "q2", "host": "h2", "topic": "quotes", "filter": "true"})
    assert reason(of_document(wide, low=512)) == ("outside_advertisement", None)
    cut = changed({"op": "link_down", "switch": "s1", "port": 1})
    assert reason(of_document(cut)) == ("unreachable", None)
    down = changed({"op": "switch_down", "switch": "s2"}, {"op": "link_down", "switch": "s1", "port": 4})
    assert reason(of_document(down)) == ("host_down", None)


def test_a_host_whose_every_switch_is_down() -> None:
    document = example()
    del document["topology"]["hosts"][1]["standby"]
    document["requests"].append({"op": "switch_down", "switch": "s2"})
    assert reason(of_document(document)) == ("switch_down", None)
    document["requests"][-1]["switch"] = "s1"
    answer = of_document(document)
    assert (answer["path"], reason(answer)) == ([], ("switch_down", None))


def test_a_publisher_without_advertisement() -> None:
    scenario = read_scenario(changed({"op": "unadvertise", "id": "a1"}))
    situation = situation_of(scenario, read_plan(plan_json(planner_of(example()))))
    with pytest.raises(Refused, match="name the topic"):
        event_of(situation, "h1", RawValues({"low": 92}))
    event = event_of(situation, "h1", RawValues({"low": 92}), "quotes")
    verdicts = {verdict.host: verdict.reason for verdict in explain(situation, event).verdicts}
    assert verdicts == {"h1": DeliveryReason.NO_ADVERTISEMENT, "h2": DeliveryReason.NO_ADVERTISEMENT}


def test_a_subscription_without_room_has_failed() -> None:
    plan = plan_json(planner_of(example()))
    plan["failed"] = [{"id": "q1", "switches": ["s1"], "reason": "no free entry at s1"}]
    answer = of_document(example(), plan)
    assert reason(answer) == ("failed", None)
    assert answer["not_received"][1]["detail"].endswith("; no free entry at s1")


@pytest.mark.parametrize("switch", ["s1", "s2"])
def test_a_missing_entry_is_named_with_its_switch(switch: str) -> None:
    planner = planner_of(example())
    planner.apply_all(example()["requests"])
    plan = plan_json(planner)
    del plan["flows"][switch]
    answer = of_document(example(), plan)
    assert reason(answer) == ("entry_missing", switch)
    detail = answer["not_received"][1]["detail"]
    assert switch in detail
    assert "ff0e:4:1700::" in detail


def test_a_coarse_dz_is_reported_as_truncation() -> None:
    document = example()
    document["limits"]["max_dz_length"] = 4
    answer = of_document(document, low=70)
    assert reason(answer) == ("truncation", None)
    assert answer["path"][1]["outputs"][0]["truncated"] == ["q1"]


def test_own_events_come_back_through_the_port() -> None:
    own = {"op": "subscribe", "id": "q2", "host": "h1", "topic": "quotes", "filter": "low < 100"}
    answer = of_document(changed(own))
    assert reason(answer, "h1") == ("match", None)
    first = answer["path"][0]
    assert first["entry"]["in_port"] == 3
    assert [out["host"] for out in first["outputs"]] == [None, "h1"]
    assert first["origin"]["subscriptions"] == ["q1", "q2"]


@pytest.mark.parametrize(
    ("text", "values"),
    [("low=92", {"low": 92}), ('{"low": 92}', {"low": 92}), (' {"low":92}', {"low": 92})],
)
def test_values_are_json_or_pairs(text: str, values: Document) -> None:
    topic = read_scenario(example()).final.topics["quotes"]
    assert RawValues.parse(text).read(topic) == values


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("low", "values"),
        ("=3", "values"),
        ("low=1,low=2", "values.low"),
        ("low=x", "values.low"),
        ("low=5000", "values.low"),
        ("high=5", "values.low"),
        ("", "values.low"),
        ('{"low": 1', "values"),
        ('{"low": 1, "low": 2}', "values.low"),
        ('{"low": "92"}', "values.low"),
        ('{"low": null}', "values.low"),
        ('{"low": NaN}', "values.low"),
    ],
)
def test_values_that_are_none_are_refused_by_place(text: str, place: str) -> None:
    topic = read_scenario(example()).final.topics["quotes"]
    with pytest.raises(Refused) as caught:
        try:
            RawValues.parse(text).read(topic)
        except Exception as error:
            raise getattr(error, "errors", [error])[0] from None
    assert ".".join(map(str, caught.value.path)) == place


@given(st.text(max_size=20))
def test_no_text_of_values_breaks_anything(text: str) -> None:
    topic = read_scenario(example()).final.topics["quotes"]
    try:
        RawValues.parse(text).read(topic)
    except Exception as error:
        assert type(error).__name__ in ("Refused", "RefusedMany")
