"""Runs of aggregation: computed outside the session, installed through the log, and reverted."""

import random

import pytest
from django.core.management import call_command

from controlplane.aggregation import runs, worker
from controlplane.aggregation.models import AggregationRunState, Policy, Run
from controlplane.common.problems import Problem
from controlplane.deployment import replay_check, session
from controlplane.network.models import Switch
from controlplane.planning import planner_state
from controlplane.requestlog import append as request_log
from controlplane.requestlog.models import Request
from controlplane.telemetry.models import EventSample
from tests.support.controlplane import network_world as world

CELLS = [f"0{n:04b}" for n in range(0, 16, 2)]
"""Eight regions that do not touch."""


@pytest.fixture(autouse=True)
def unheard(monkeypatch):
    """No broker is asked."""
    monkeypatch.setattr(runs, "wake_aggregation", lambda: None)


def run(payload) -> Request:
    row = world.log(payload)
    session.run()
    row.refresh_from_db()
    return row


def report(advertisement, lows) -> None:
    EventSample.objects.bulk_create(
        EventSample(topic=advertisement.topic, advertisement=advertisement, values={"low": low})
        for low in lows
    )


@pytest.fixture
def crowded(network):
    """h1 publishes to h3, which wants eight regions; s1 has a budget of five entries and merges."""
    assert run({"op": "set_aggregation", "method": "fa-pb"}).state == "active"
    advertisement = world.advertise("h1", ["0"])
    for cell in CELLS:
        world.subscribe("h3", [cell])
    session.run()
    assert run({"op": "set_budget", "switch": "s1", "tcam_budget": 5}).state == "active"
    assert entries()["s1"] <= 5
    network.advertisement = advertisement
    return network


@pytest.fixture
def hot(crowded):
    """Almost all events are in the upper half of what is advertised."""
    rng = random.Random(1)
    report(crowded.advertisement, [rng.randrange(256, 512) for _ in range(300)])
    return crowded


def entries() -> dict[str, int]:
    return {name: len(rows) for name, rows in world.installed().items()}


def carried_out(row: Run | None = None) -> Run:
    """The run that waits, worked out, and what it asks for, deployed."""
    found = worker.execute_run()
    session.run()
    assert found is not None
    found.refresh_from_db()
    return found


def covers():
    return planner_state.load().planner.snapshot().get("aggregation", {}).get("covers", {})


def test_a_run_installs_what_costs_less(hot):
    asked = runs.request_run(None, None, None)
    assert (asked.state, asked.method, asked.trigger) == ("queued", "fa-pb", "operator")
    done = carried_out()
    assert (done.pk, done.state, done.reason) == (asked.pk, "succeeded", "")
    assert done.events == 300 and done.position and done.started_at <= done.ended_at
    redundant = done.results["needless"]
    assert redundant["after"] < redundant["before"]
    (row,) = [row for row in done.results["switches"] if row["switch"] == "s1"]
    assert (row["tcam_budget"], row["exact"]) == (5, 8) and row["after"] == entries()["s1"] <= 5
    assert row["needless_after"] == redundant["after"] and done.results["chosen"] == "fa-pb"
    request = done.request
    assert (request.kind, request.state) == ("aggregate", "active")
    assert request.payload["covers"].keys() == {"s1"}
    assert list(replay_check.differences()) == []


def test_a_run_is_taken_back(hot):
    before, tables = covers(), hot.tables()
    runs.request_run(None, None, None)
    first = carried_out()
    assert covers() != before
    back = runs.revert(first.pk, None)
    assert (back.state, back.trigger, back.reverts_id) == ("running", "revert", first.pk)
    session.run()
    back.refresh_from_db()
    assert back.state == "succeeded"
    assert covers() == before and hot.tables() == tables
    with pytest.raises(Problem, match="installed no merged entries"):
        runs.revert(back.pk, None)


def test_it_skips_without_traffic(crowded):
    runs.request_run(None, None, None)
    done = carried_out()
    assert (done.state, done.request) == ("skipped", None)
    assert "no events" in done.reason


def test_it_skips_where_all_budgets_hold(network):
    runs.request_run("optimal", None, None)
    done = carried_out()
    assert done.state == "skipped" and "met without" in done.reason


def test_a_periodic_run_needs_a_gain_and_an_operators_does_not(hot):
    runs.request_run("fa-pb", None, None)
    assert carried_out().state == "succeeded"
    before, sent = covers(), hot.mods
    Policy.objects.update(gain=0.1)
    assert runs.request_periodic_run() is not None
    done = carried_out()
    assert done.state == "skipped"
    assert (covers(), hot.mods) == (before, sent)


def test_small_changes_of_traffic_do_not_turn_tables_over(hot):
    Policy.objects.update(gain=0.5)
    rng = random.Random(2)
    states = []
    for _ in range(4):
        report(hot.advertisement, [rng.randrange(256, 512) for _ in range(50)])
        runs.request_periodic_run()
        states.append(carried_out().state)
    assert states == ["succeeded", "skipped", "skipped", "skipped"]


def test_traffic_that_shifts_does(hot):
    runs.request_periodic_run()
    assert carried_out().state == "succeeded"
    EventSample.objects.all().delete()
    rng = random.Random(3)
    report(hot.advertisement, [rng.randrange(0, 256) for _ in range(300)])
    runs.request_periodic_run()
    done = carried_out()
    assert (
        done.state == "succeeded" and done.results["needless"]["after"] < done.results["needless"]["before"]
    )


def test_never_two_at_once(hot):
    first = runs.request_run(None, None, None)
    with pytest.raises(Problem, match=f"Run {first.pk} is in progress"):
        runs.request_run(None, None, None)
    assert runs.request_periodic_run() is None
    worker.execute_run()
    with pytest.raises(Problem, match="in progress"):  # what it found waits in the log
        runs.request_run(None, None, None)
    session.run()
    runs.request_run(None, None, None)


def test_by_the_policy_alone_there_are_no_runs_without_a_method_that_has_them(network):
    for method in ("none", "la"):
        run({"op": "set_aggregation", "method": method})
        assert runs.request_periodic_run() is None
        with pytest.raises(Problem, match="has no runs"):
            runs.request_run(None, None, None)
    assert not Run.objects.exists()


def test_what_was_found_may_not_fit_any_more(hot):
    """The network changes while a run is worked out: the log decides, and budgets hold all the same."""
    runs.request_run(None, None, None)
    worker.execute_run()
    Request.objects.filter(kind="aggregate").update(state="failed", problem={"detail": "later"})  # not yet
    Request.objects.filter(kind="aggregate").update(state="queued", problem=None)
    late = Request.objects.get(kind="aggregate")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(request_log, "_wake", lambda: None)
        budget = world.log({"op": "set_budget", "switch": "s1", "tcam_budget": 1})
    Request.objects.filter(pk=late.pk).update(id=budget.pk + 10)  # as if it had been logged before
    Run.objects.update(request=budget.pk + 10)
    session.run()
    done = Run.objects.get()
    assert done.state in ("succeeded", "failed")
    assert entries()["s1"] <= Switch.objects.get(name="s1").tcam_budget
    assert list(replay_check.differences()) == []


def test_a_request_that_fails_fails_its_run(hot, monkeypatch):
    runs.request_run(None, None, None)
    worker.execute_run()
    request = Request.objects.get(kind="aggregate")
    Request.objects.filter(pk=request.pk).update(payload={**request.payload, "covers": {"s77": {}}})
    session.run()
    done = Run.objects.get()
    assert done.state == "failed" and "s77" in done.reason


def test_a_run_whose_computation_fails_says_why(hot, monkeypatch):
    def fail(*_, **__):
        raise ZeroDivisionError("by zero")

    monkeypatch.setattr(worker.compute, "run", fail)
    runs.request_run(None, None, None)
    done = carried_out()
    assert done.state == "failed" and "ZeroDivisionError" in done.reason
    assert done.under_way is None


def test_a_run_that_takes_too_long_fails(hot, monkeypatch):
    monkeypatch.setattr(worker, "SECONDS", 1)

    def hang(*_, **__):
        while True:
            pass

    monkeypatch.setattr(worker.compute, "run", hang)
    runs.request_run(None, None, None)
    done = carried_out()
    assert done.state == "failed" and "more than 1 s" in done.reason


def test_an_abandoned_run_starts_again_a_limited_number_of_times(hot):
    Run.objects.create(trigger="operator", method="fa-pb", state=AggregationRunState.RUNNING, attempts=1)
    assert carried_out().state == "succeeded"
    Run.objects.create(trigger="operator", method="fa-pb", state=AggregationRunState.RUNNING, attempts=3)
    assert worker.execute_run() is None
    last = Run.objects.latest("id")
    assert last.state == "failed" and "3 worker processes" in last.reason


def test_by_hand(hot, capsys):
    call_command("aggregate")
    assert "no run is queued" in capsys.readouterr().out
    runs.request_run("fa-lb", 0.5, None)
    call_command("aggregate")
    assert "by fa-lb is running" in capsys.readouterr().out
    session.run()
    assert Run.objects.get().state == "succeeded"


@pytest.mark.parametrize("method", ["fa-lb", "fa-pb", "optimal"])
def test_every_method(hot, method):
    runs.request_run(method, None, None)
    done = carried_out()
    assert done.state in ("succeeded", "skipped"), done.reason
    assert entries()["s1"] <= 5
    assert list(replay_check.differences()) == []


def test_old_runs_go(db, monkeypatch):
    monkeypatch.setattr(runs, "KEPT", 3)
    for n in range(5):
        row = Run.objects.create(trigger="periodic", method="fa-pb")
        runs.end(row, AggregationRunState.SKIPPED, str(n))
    assert list(Run.objects.values_list("reason", flat=True)) == ["2", "3", "4"]
