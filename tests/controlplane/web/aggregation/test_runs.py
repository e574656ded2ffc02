"""Runs and what-if questions over the API: accepted and refused input; questions change nothing."""

import pytest

from controlplane.aggregation import process_client, runs
from controlplane.aggregation.models import Policy, Run
from controlplane.network.models import Switch
from controlplane.registry.models import Advertisement
from controlplane.requestlog.models import Request
from controlplane.telemetry.models import EventSample
from tests.support.controlplane.prepared_rows import write_once


@pytest.fixture(autouse=True)
def unheard(monkeypatch):
    """Use no broker."""
    monkeypatch.setattr(runs, "wake_aggregation", lambda: None)


def announce(world, end):
    """h1 publishes, and h3 subscribes to eight separate regions; all events are in the upper half."""
    world.post(
        "topics/", {"name": "heat", "attributes": [{"name": "low", "type": "int", "min": 0, "max": 1023}]}
    )
    world.post("advertisements/", {"publisher": "exchange", "topic": "heat", "filter": "low < 512"})
    wanted = [f"low in [{start}, {start + 31}]" for start in range(0, 512, 64)]
    world.post("subscriptions/", [{"subscriber": "bob", "topic": "heat", "filter": text} for text in wanted])
    end()
    ad = Advertisement.objects.get()
    EventSample.objects.bulk_create(
        EventSample(topic=ad.topic, advertisement=ad, values={"low": low}) for low in range(256, 512, 2)
    )


@pytest.fixture
def busy(world, end):
    write_once(announce, world, end)
    return world


def event(low):
    return {"publisher": Advertisement.objects.get().planner_id, "values": {"low": low}}


def of_switch(answer, name):
    return next(row for row in answer["switches"] if row["switch"] == name)


def test_a_run_is_asked_for_and_read(busy):
    answer = busy.post("aggregation/runs/", {"method": "fa-pb", "sampling": 0.5})
    assert answer.status_code == 202
    body = answer.json()
    assert answer.headers["Location"] == body["url"]
    assert (body["state"], body["method"], body["sampling"]) == ("queued", "fa-pb", 0.5)
    assert (body["trigger"], body["results"], body["request"], body["ended_at"]) == (
        "operator",
        None,
        None,
        None,
    )
    assert busy.get(body["url"]).json() == body
    assert busy.get("aggregation/runs/?state=queued").json()["results"] == [body]
    assert busy.get("aggregation/runs/?state=failed").json()["results"] == []


def test_what_is_left_out_is_the_policys(busy):
    Policy.objects.update_or_create(pk=1, defaults={"method": "optimal", "sampling": 0.25})
    body = busy.post("aggregation/runs/", {}).json()
    assert (body["method"], body["sampling"]) == ("optimal", 0.25)


def test_without_a_method_that_has_runs_there_is_a_conflict(busy, problem):
    assert "has no runs" in problem(busy.post("aggregation/runs/", {}), 409)["detail"]


def test_one_at_a_time(busy, problem):
    busy.post("aggregation/runs/", {"method": "fa-pb"})
    assert "in progress" in problem(busy.post("aggregation/runs/", {"method": "fa-pb"}), 409)["detail"]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("method", "none"),
        ("method", "la"),
        ("method", 5),
        ("sampling", 0),
        ("sampling", 1.5),
        ("sampling", -1),
        ("sampling", "all"),
        ("speed", 1),
    ],
)
@pytest.mark.parametrize("query", ["", "?dry_run=true"])
def test_a_bad_run_is_refused_by_name(busy, error, field, value, query):
    assert error(busy.post(f"aggregation/runs/{query}", {field: value}))["pointer"] == f"/{field}"
    assert not Run.objects.exists()


def test_a_run_that_is_not_there(busy, problem):
    problem(busy.get("aggregation/runs/999999999/"), 404)
    problem(busy.post("aggregation/runs/999999999/revert/"), 404)


def test_only_what_was_installed_is_taken_back(busy, problem):
    url = busy.post("aggregation/runs/", {"method": "fa-pb"}).json()["url"]
    assert problem(busy.post(f"{url}revert/"), 409)["type"].endswith("nothing_to_revert")


def test_a_trial_of_a_run_changes_nothing(busy, end):
    pk = Switch.objects.get(name="s1").pk
    busy.patch("aggregation/", {"method": "la"})
    busy.patch(f"switches/{pk}/", {"tcam_budget": 5})
    end()
    answer = busy.post("aggregation/runs/?dry_run=true", {"method": "fa-pb"})
    assert answer.status_code == 200
    body = answer.json()
    assert (body["unmet"], body["events"], body["chosen"]) == ([], 128, "fa-pb")
    row = of_switch(body, "s1")
    assert (row["exact"], row["before"], row["tcam_budget"]) == (8, 5, 5) and row["after"] <= 5
    assert not Run.objects.exists() and not Request.objects.filter(kind="aggregate").exists()


def what_if(caller, **body):
    answer = caller.post("what-if/", body)
    assert answer.status_code == 200, answer.content
    return answer.json()


def test_what_other_budgets_would_do(busy, viewer):
    logged = Request.objects.count()
    one = what_if(viewer, method="fa-pb", budgets={"s1": 5})
    costs = {f"{what}_{when}": 0 for what in ("needless", "unwanted") for when in ("before", "after")}
    assert of_switch(one, "s1") | costs == {
        "switch": "s1",
        "tcam_budget": 5,
        "exact": 8,
        "before": 8,
        "after": 5,
        **costs,
    }
    assert one["needless"]["before"] == 0 and one["unmet"] == []
    tight = what_if(viewer, method="fa-pb", budget=1)
    assert all(row["after"] <= 1 for row in tight["switches"])
    assert tight["needless"]["after"] > one["needless"]["after"]
    for what in ("needless", "unwanted"):
        total = sum(row[f"{what}_after"] for row in tight["switches"])
        assert total == pytest.approx(tight[what]["after"])
    assert tight["unwanted"]["after"] > 0
    loose = what_if(viewer, method="fa-pb", budget=1, budgets={"s1": None})
    assert loose["needless"]["after"] == 0
    assert Request.objects.count() == logged and not Run.objects.exists()


def test_what_cannot_hold_is_named(busy):
    assert what_if(busy, method="optimal", budgets={"s2": 0})["unmet"] == ["s2"]
    assert what_if(busy, method="none", budgets={"s2": 3})["unmet"] == ["s2"]
    assert what_if(busy, method="la", budgets={"s2": 3})["unmet"] == []


def test_with_other_traffic(busy):
    cold = [event(low) for low in range(0, 256, 2)]
    ours = what_if(busy, method="fa-pb", budgets={"s1": 5})
    theirs = what_if(busy, method="fa-pb", budgets={"s1": 5}, traffic=cold)
    assert ours["events"] == theirs["events"] == 128
    assert what_if(busy, method="fa-pb", budgets={"s1": 5}, traffic=None)["events"] == 128
    assert what_if(busy, method="la", budgets={"s1": 5}, traffic=[])["needless"] == {
        "before": None,
        "after": None,
    }


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"method": "best"}, "/method"),
        ({"sampling": 0}, "/sampling"),
        ({"budget": -1}, "/budget"),
        ({"budget": 1.5}, "/budget"),
        ({"budgets": {"s1": -1}}, "/budgets/s1"),
        ({"budgets": {"s1": 2.5}}, "/budgets/s1"),
        ({"budgets": {"s1": "5"}}, "/budgets/s1"),
        ({"budgets": {"s9": 5}}, "/budgets/s9"),
        ({"budgets": [5]}, "/budgets"),
        ({"traffic": "TRAFFIC.jsonl"}, "/traffic"),
        ({"traffic": [{"publisher": "a999999999", "values": {"low": 1}}]}, "/traffic/0/publisher"),
        ({"traffic": [{"publisher": "a1"}]}, "/traffic/0/values"),
        ({"depth": 3}, "/depth"),
    ],
)
def test_a_bad_question_is_refused_by_name(busy, error, body, pointer):
    assert error(busy.post("what-if/", {"method": "fa-pb", **body}))["pointer"] == pointer


def test_a_path_as_traffic_is_refused_with_the_remedy(busy, error):
    detail = error(busy.post("what-if/", {"method": "fa-pb", "traffic": "TRAFFIC.jsonl"}))["detail"]
    assert "Expected: a list of past events; omitted or null: the stored samples" in detail


def test_an_event_outside_its_advertisement_is_refused(busy, error):
    found = error(busy.post("what-if/", {"method": "fa-pb", "traffic": [event(5), event(700)]}))
    assert found["pointer"].startswith("/traffic/1") and found["code"] == "outside_advertisement"


def test_an_answer_that_takes_too_long_is_given_up(busy, problem, monkeypatch):
    monkeypatch.setattr(process_client, "SECONDS", 0.05)
    answer = busy.post("what-if/", {"method": "fa-pb"})
    assert "no result after" in problem(answer, 503)["detail"] and answer.headers["Retry-After"]


def test_an_answer_that_takes_too_much_memory_is_none(busy, problem, monkeypatch):
    monkeypatch.setattr(
        process_client, "_run", lambda _: {"failed": "more than 5 MiB of memory would be needed"}
    )
    assert "5 MiB" in problem(busy.post("what-if/", {"method": "fa-pb"}), 503)["detail"]


def test_questions_wait_for_each_other(busy, problem, monkeypatch):
    monkeypatch.setattr(process_client, "PATIENCE_SECONDS", 0.05)
    with process_client._one_at_a_time:
        assert "is busy" in problem(busy.post("what-if/", {"method": "fa-pb"}), 503)["detail"]
    assert what_if(busy, method="fa-pb")["events"] == 128
