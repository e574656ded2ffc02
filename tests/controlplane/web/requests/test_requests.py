"""The request resource: states, stages, and the wait for an end."""

import threading
import time

import pytest
from django.db import connection
from django.utils import timezone

from controlplane.registry.models import Subscription
from controlplane.requestlog.models import Request, State

BODY = {"subscriber": "alice", "topic": "quotes", "filter": "low < 5"}


def test_a_failed_request_says_why(world):
    url = world.post("subscriptions/", BODY).json()["url"]
    stored = {
        "type": "urn:tercast:problem:budget",
        "title": "A budget is exceeded",
        "detail": "s1 may hold 1 entry",
        "switches": ["s1"],
        "errors": [],
    }
    Request.objects.filter(kind="subscribe").update(
        state=State.FAILED, problem=stored, started_at=timezone.now(), computed_at=timezone.now()
    )
    body = world.get(url).json()
    remedy = body["problem"].pop("remedy")
    assert (body["state"], body["progress"], body["problem"]) == ("failed", 1.0, stored)
    assert remedy.endswith(".")
    assert body["stage"]["computed"] and body["stage"]["confirmed"] is None


@pytest.mark.parametrize(
    "state, progress", [("queued", 0), ("planning", 0.25), ("deploying", 0.6), ("active", 1)]
)
def test_progress_follows_the_state(world, state, progress):
    url = world.post("subscriptions/", BODY).json()["url"]
    Request.objects.filter(kind="subscribe").update(state=state)
    assert world.get(url).json()["progress"] == progress


def test_the_log_is_listed_and_filtered(world, end):
    end()
    world.post("subscriptions/", BODY)
    kinds = [row["kind"] for row in world.get("requests/").json()["results"]]
    assert kinds == ["add_switch"] * 3 + ["add_link"] * 2 + ["add_host"] * 3 + ["add_topic", "subscribe"]
    queued = world.get("requests/?state__in=queued,planning&limit=1&count=true").json()
    assert queued["count"] == 1 and queued["results"][0]["kind"] == "subscribe"
    assert len(world.get("requests/?kind=add_host").json()["results"]) == 3
    objects = {row["object"]["type"]: row["object"] for row in world.get("requests/").json()["results"]}
    assert objects.keys() == {"switch", "link", "host", "topic", "subscription"}
    for found in objects.values():
        assert world.get(found["url"]).status_code == 200


def test_the_log_is_searched_by_object_kind_and_call(world, end):
    end()
    logged = world.post("subscriptions/", BODY).json()
    name = logged["object"]["name"]

    def found(**query):
        return [row["object"]["name"] for row in world.get("requests/", query).json()["results"]]

    assert found(q=name.upper()) == found(object=name) == found(q=logged["call"]) == [name]
    assert found(q="_host") == ["h1", "h2", "h3"] and found(q="quotes") == ["quotes"]
    assert found(object__in="s1,h1") == ["s1", "h1"] and found(object="s1:1") == ["s1:1"]
    assert found(q="nothing like it") == []


def test_a_request_shows_its_content_and_what_it_waits_for(world, end):
    end()
    s1 = world.get("switches/?name=s1").json()["results"][0]["url"]
    budget = world.patch(s1, {"tcam_budget": 7}).json()
    assert budget["asked"] == {
        "tcam_budget": 7,
        "method": None,
        "indexed": None,
        "cuts": None,
        "switch": None,
        "port": None,
    }
    assert world.patch("aggregation/", {"method": "la"}).json()["asked"]["method"] == "la"
    Request.objects.filter(kind="set_budget").update(state=State.DEPLOYING, waits_for=["s1"])
    assert world.get(budget["url"]).json()["waits_for"] == ["s1"]
    assert world.post("subscriptions/", BODY).json()["asked"] is None


def test_a_wait_of_nothing_answers_at_once(world):
    answer = world.post("subscriptions/", BODY, HTTP_PREFER="wait=0")
    assert answer.json()["state"] == "queued" and answer.headers["Preference-Applied"] == "wait=0"
    assert "Preference-Applied" not in world.post("subscriptions/", BODY).headers


@pytest.mark.parametrize(
    "prefer, applied", [("respond-async, wait=1", 1), ('Wait="1"', 1), ("wait=1;a=b", 1)]
)
def test_a_wait_ends_with_its_time(world, prefer, applied):
    started = time.monotonic()
    answer = world.post("subscriptions/", BODY, HTTP_PREFER=prefer)
    assert time.monotonic() - started >= applied
    assert answer.json()["state"] == "queued"
    assert answer.headers["Preference-Applied"] == f"wait={applied}"


def test_a_long_wait_is_bounded(world, end):
    end()
    url = f"requests/{Request.objects.latest('id').pk}/"
    assert world.get(url, HTTP_PREFER="wait=999999999").headers["Preference-Applied"] == "wait=60"


@pytest.mark.parametrize(
    "prefer", ["wait", "wait=", "wait=-1", "wait=1.5", "wait=x", "wait=" + "9" * 400, "wait=١"]
)
def test_a_bad_wait_is_refused_before_anything_is_done(world, error, prefer):
    found = error(world.post("subscriptions/", BODY, HTTP_PREFER=prefer.encode().decode("latin-1")))
    assert found["parameter"] == "Prefer" and found["code"] == "bad_wait"
    assert not Subscription.objects.exists()
    pk = Request.objects.first().pk
    assert error(world.get(f"requests/{pk}/", HTTP_PREFER=prefer.encode().decode("latin-1")))


def _later(change):
    def run():
        try:
            while not Request.objects.filter(kind="subscribe").exists():
                time.sleep(0.02)
            change()
        finally:
            connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    return thread


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("items", [1, 3])
def test_a_wait_ends_with_the_request(world, items):
    """Another connection ends the requests while the call waits without a transaction."""
    thread = _later(lambda: Request.objects.update(state=State.ACTIVE, matched=False))
    body = BODY if items == 1 else [{**BODY, "filter": f"low < {n}"} for n in range(1, items + 1)]
    started = time.monotonic()
    answer = world.post("subscriptions/", body, HTTP_PREFER="wait=30")
    assert time.monotonic() - started < 25
    thread.join()
    shown = answer.json()
    if items == 1:
        assert (shown["state"], shown["matched"], shown["progress"]) == ("active", False, 1.0)
    else:
        assert shown["finished"] and shown["states"]["active"] == 3
    assert world.get(shown["url"], HTTP_PREFER="wait=30").json()["id"] == shown["id"]


@pytest.mark.django_db(transaction=True)
def test_the_planner_is_woken_once_all_is_stored(world, woken):
    woken.clear()
    world.post("subscriptions/", [{**BODY, "filter": f"low < {n}"} for n in (1, 2, 3)])
    assert woken == [1]
    world.post("subscriptions/", [BODY, {}])
    assert woken == [1]
