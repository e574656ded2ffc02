"""What requests merge: they state it with the expected cost, and rows show it once they are active."""

import itertools
import random

import pytest

from controlplane.aggregation import cost_watch
from controlplane.aggregation.models import AggregatedEntry
from controlplane.deployment import session, session_cache
from controlplane.explain.call_cost import cost
from controlplane.planning import planner_state
from controlplane.requestlog.models import Operation, Request
from controlplane.telemetry.models import EventSample
from controlplane.web.requests.accepted_responses import rendered_operations, rendered_requests
from tercast.eventspace.dz import text
from tercast.planner.merged_entries import merged_tables
from tests.support.controlplane import network_world as world

CELLS = [f"0{n:04b}" for n in range(0, 16, 2)]


def run(payload) -> Request:
    row = world.log(payload)
    session.run()
    row.refresh_from_db()
    return row


def decide(announced) -> Request:
    session.run()
    announced.request.refresh_from_db()
    return announced.request


@pytest.fixture
def bounded(network):
    """h1 publishes, and s1 has space for three entries; h3 subscribes to three regions that do not touch."""
    run({"op": "set_aggregation", "method": "la"})
    network.advertisement = world.advertise("h1", ["0"])
    network.subscriptions = [world.subscribe("h3", [cell]) for cell in CELLS[:3]]
    session.run()
    assert run({"op": "set_budget", "switch": "s1", "tcam_budget": 3}).merging is None
    return network


def report(advertisement, count=200) -> None:
    """Events all over the lower half: `low` is the event's dz of ten bits."""
    rng = random.Random(1)
    EventSample.objects.bulk_create(
        EventSample(
            topic=advertisement.topic, advertisement=advertisement, values={"low": rng.randrange(512)}
        )
        for _ in range(count)
    )


def rows() -> set[tuple]:
    found = AggregatedEntry.objects.values_list("switch__name", "topic", "in_port", "dz")
    return set(found)


def planned() -> set[tuple]:
    """The merged entries of a planner that knows nothing but the log."""
    tables = merged_tables(planner_state.load().planner)
    return {(switch, topic, port, text(dz)) for switch, table in tables.items() for topic, port, dz in table}


def redundant_copies(advertisement) -> int:
    """Events that s1 sends to s2 and no subscription of h3 holds, by hand."""
    tops = [dz for name, _, _, dz in rows() if name == "s1"]
    wanted = [sub.dz[0] for sub in world.Subscription.objects.exclude(state="withdrawn")]
    cells = [f"{one.values['low']:010b}" for one in EventSample.objects.all()]
    return sum(
        any(cell.startswith(top) for top in tops) and not any(cell.startswith(dz) for dz in wanted)
        for cell in cells
    )


def test_a_subscription_that_merges_states_the_cost_and_the_rows_are_there(bounded):
    report(bounded.advertisement)
    request = decide(world.subscribe("h3", [CELLS[3]]))
    assert request.state == "active"
    forecast = request.merging
    assert (forecast["merged"], forecast["unmerged"], forecast["switches"], forecast["together"]) == (
        1,
        0,
        ["s1"],
        1,
    )
    assert rows() == planned() != set()
    assert forecast["events"] == 200 and forecast["topics"] == ["quotes"]
    assert forecast["needless"] == pytest.approx(redundant_copies(bounded.advertisement) / 200)
    assert forecast["needless"] > 0 and forecast["unwanted"] == 0, "s2 is exact, and drops them"
    assert forecast["unwanted_per_second"] is None and "publisher_load" in forecast["reason"]
    row = AggregatedEntry.objects.get(dz=min((dz for *_, dz in rows()), key=len))
    assert len(row.subscriptions) == 2 and row.window == 200
    assert row.measured == pytest.approx(forecast["needless"] * 200)


def test_false_positives_are_deliveries_to_hosts_that_did_not_subscribe(bounded):
    report(bounded.advertisement)
    first, second, third = (
        run({"op": "set_budget", "switch": name, "tcam_budget": 1}).merging for name in ("s1", "s2", "s3")
    )
    assert [one["switches"] for one in (first, second, third)] == [["s1"], ["s2"], ["s3"]]
    assert first["needless"] > 0 and first["unwanted"] == 0, "s2 drops what s1 sends too much"
    assert second["needless"] > 0 and second["unwanted"] == 0, "and s3 what s2 does"
    assert third["needless"] == 0 and third["unwanted"] > 0, "h3 is the last"
    assert third["unwanted"] == pytest.approx(first["needless"])


@pytest.mark.parametrize("order", list(itertools.permutations(("s1", "s2", "s3"))))
def test_copies_of_a_new_entry_count_as_far_as_older_merged_entries_pass_them_on(bounded, order):
    """h3 gets false positives once all three switches merge, so the last request causes them all."""
    report(bounded.advertisement)
    forecasts = [run({"op": "set_budget", "switch": name, "tcam_budget": 1}).merging for name in order]
    expected = redundant_copies(bounded.advertisement) / 200
    assert [one["unwanted"] for one in forecasts] == pytest.approx([0, 0, expected])
    assert sum(one["needless"] for one in forecasts) == pytest.approx(2 * expected), (
        "from s1 to s2, from s2 to s3"
    )


def test_without_events_the_cost_is_unknown_with_a_reason(bounded):
    forecast = decide(world.subscribe("h3", [CELLS[3]])).merging
    assert forecast["merged"] == 1 and forecast["unwanted"] is forecast["needless"] is None
    assert "no recent events of quotes" in forecast["reason"]
    assert rows() == planned() != set()


def test_withdrawals_state_what_they_unmerge(bounded):
    others = [world.subscribe("h3", [cell]) for cell in CELLS[3:5]]
    session.run()
    saved = sum(Request.objects.get(pk=one.request_id).merging["merged"] for one in others)
    assert saved == 2 and len(rows()) > 0
    forecasts = []
    for one in [*others, *bounded.subscriptions]:
        withdrawal = world.withdraw(one)
        session.run()
        withdrawal.refresh_from_db()
        forecasts.append(withdrawal.merging)
        assert rows() == planned()
    assert rows() == set()
    assert sum(one["unmerged"] - one["merged"] for one in forecasts if one) == saved
    last = [one for one in forecasts if one][-1]
    assert (last["unwanted"], last["needless"], last["reason"]) == (0.0, 0.0, "")


def test_an_advertisement_states_what_it_merges(network):
    run({"op": "set_aggregation", "method": "la"})
    for cell in CELLS[:4]:
        world.subscribe("h3", [cell])
    session.run()
    run({"op": "set_budget", "switch": "s1", "tcam_budget": 3})
    forecast = decide(world.advertise("h1", ["0"])).merging
    assert forecast["merged"] == 1 and forecast["switches"] == ["s1"]
    assert rows() == planned() != set()


def test_requests_without_merges_say_nothing(bounded):
    assert Request.objects.exclude(merging=None).count() == 0
    assert rendered_requests(list(Request.objects.all()))[-1]["merging"] is None


def test_a_bulk_call_adds_up_its_requests(bounded):
    report(bounded.advertisement)
    call = Operation.objects.create(items=3)
    subscriptions = [world.subscribe("h3", [cell]) for cell in CELLS[3:6]]
    Request.objects.filter(pk__in=[one.request_id for one in subscriptions]).update(operation=call)
    session.run()
    (shown,) = rendered_operations([call])
    merging = shown["merging"]
    assert merging["requests"] == 3 and merging["merged"] == 3 and merging["switches"] == ["s1"]
    each = [decide(one).merging for one in subscriptions]
    assert {one["together"] for one in each} == {3}
    assert merging["needless"] == each[0]["needless"]
    assert rows() == planned()


def test_a_dry_run_states_what_the_request_would_merge(bounded):
    report(bounded.advertisement)
    ask = {"op": "subscribe", "id": "q99", "host": "h3", "topic": "quotes", "dz": [CELLS[3]]}
    tried = cost([ask], None, 1)["merging"]
    assert rows() == set() and cost([], None, 0)["merging"] is None
    forecast = decide(world.subscribe("h3", [CELLS[3]])).merging
    assert tried == forecast


@pytest.mark.parametrize("method", ["la", "fa-pb", "optimal"])
def test_rows_equal_the_plan_after_any_requests(network, method):
    """Random requests, with restarts in between, and measurements of old states that come late."""
    rng = random.Random(method)
    run({"op": "set_aggregation", "method": method})
    world.advertise("h1", ["0"])
    live = []
    for step in range(25):
        kind = rng.choice(["subscribe", "subscribe", "withdraw", "budget", "restart", "advertise"])
        if kind == "subscribe":
            live.append(world.subscribe(rng.choice(["h2", "h3"]), [f"0{rng.randrange(64):06b}"]))
        elif kind == "withdraw" and live:
            world.withdraw(live.pop(rng.randrange(len(live))))
        elif kind == "budget":
            switch = rng.choice(["s1", "s2", "s3"])
            world.log({"op": "set_budget", "switch": switch, "tcam_budget": rng.choice([None, 3, 5, 8])})
        elif kind == "advertise" and step % 5 == 0:
            world.advertise("h2", ["00"])
        elif kind == "restart":
            session_cache.forget()
        session.run()
        assert rows() == planned()
    if rows():
        AggregatedEntry.objects.update(measured=-1.0)
        cost_watch.look()
        assert not AggregatedEntry.objects.filter(measured=-1.0).exists()
        assert rows() == planned()


def test_a_measurement_of_an_older_state_changes_no_newer_row(bounded, monkeypatch):
    decide(world.subscribe("h3", [CELLS[3]]))
    before = planner_state.load()
    decide(world.subscribe("h3", [CELLS[5]]))
    newest = set(AggregatedEntry.objects.values_list("pk", "dz", "position"))
    monkeypatch.setattr(planner_state, "load", lambda: before)
    cost_watch.look()
    assert set(AggregatedEntry.objects.values_list("pk", "dz", "position")) >= {
        row for row in newest if row[2] > before.position
    }
    monkeypatch.undo()
    assert rows() == planned()
