"""`Idempotency-Key`: a call runs once, however often and by whom it is sent."""

import json
import threading
from dataclasses import replace
from datetime import timedelta

import pytest
from django.db import connections
from django.utils import timezone

from controlplane.accounts.models import Token
from controlplane.network.models import Host
from controlplane.registry.models import Publisher, Subscription
from controlplane.requestlog.models import Request
from controlplane.rest.idempotency import keys as keeping
from controlplane.rest.idempotency.models import Reply

BODY = {"subscriber": "alice", "topic": "quotes", "filter": "low < 9"}
KEY = {"HTTP_IDEMPOTENCY_KEY": "5f0c-1"}


def test_a_replay_gets_the_same_answer_and_does_nothing(world):
    first = world.post("subscriptions/", BODY, **KEY)
    again = world.post("subscriptions/", BODY, **KEY)
    assert first.status_code == again.status_code == 202
    assert again.json() == first.json() and again.headers["Location"] == first.headers["Location"]
    assert again.headers["Idempotency-Replayed"] == "true" and "Idempotency-Replayed" not in first.headers
    assert Subscription.objects.count() == 1
    other = world.post("subscriptions/", BODY, HTTP_IDEMPOTENCY_KEY="other")
    assert other.json()["errors"][0]["existing"] == first.json()["object"]["url"]  # a different call


def test_what_was_waited_for_is_replayed(world, end):
    call = {"HTTP_PREFER": "wait=1", **KEY}
    first = world.post("subscriptions/", BODY, **call)
    end()
    assert world.post("subscriptions/", BODY, **call).json() == first.json()


def test_deletions_and_lists_are_replayed_too(world):
    people = [{"name": f"p{n}", "host": "h1"} for n in range(3)]
    first = world.post("publishers/", people, **KEY)
    assert world.post("publishers/", people, **KEY).json() == first.json()
    address = f"publishers/{Publisher.objects.get(name='p0').pk}/"
    for _ in range(2):
        assert world.delete(address, HTTP_IDEMPOTENCY_KEY="gone").status_code == 204
    assert world.delete(address).status_code == 404


@pytest.mark.parametrize(
    "method, path, body, difference",
    [
        ("post", "subscriptions/", {**BODY, "filter": "low < 8"}, "with another body"),
        ("post", "advertisements/", BODY, "another call"),
        ("post", "subscriptions/?atomic=true", BODY, "another call"),
        ("delete", "subscriptions/1/", None, "another call"),
    ],
)
def test_a_key_is_bound_to_its_call(world, problem, method, path, body, difference):
    world.post("subscriptions/", BODY, **KEY)
    document = problem(getattr(world, method)(path, body, **KEY), 422)
    assert document["type"].endswith("key_reused") and "POST" in document["detail"]
    assert difference in document["detail"]
    assert Subscription.objects.count() == 1


def test_a_key_is_its_callers_own(world, make_user, caller_of):
    other = caller_of(make_user("otto", "operator"))
    world.post("subscriptions/", BODY, **KEY)
    assert other.post("subscriptions/", {**BODY, "filter": "low < 8"}, **KEY).status_code == 202
    assert Subscription.objects.count() == 2


def test_a_refused_call_leaves_its_key_free(world, problem):
    problem(world.post("subscriptions/", {**BODY, "topic": "nothing"}, **KEY), 400)
    assert not Reply.objects.exists()
    assert world.post("subscriptions/", BODY, **KEY).status_code == 202


def test_an_answer_is_stored_with_its_change_or_not_at_all(world, monkeypatch):
    before = Request.objects.count()

    def broken(*args):
        raise RuntimeError("the disk is gone")

    monkeypatch.setattr(keeping, "_keep", broken)
    world.raise_request_exception = False
    assert world.post("subscriptions/", BODY, **KEY).status_code == 500
    assert Request.objects.count() == before and not Subscription.objects.exists()
    monkeypatch.undo()
    assert world.post("subscriptions/", BODY, **KEY).status_code == 202


def test_one_in_flight_is_waited_for_until_it_is_dead(world, problem):
    made = world.post("subscriptions/", BODY, **KEY).json()
    Reply.objects.update(status=None, body="", attempt="of another process")
    answer = world.post("subscriptions/", BODY, **KEY)
    assert problem(answer, 409)["type"].endswith("in_flight") and answer.headers["Retry-After"] == "1"
    Reply.objects.update(began_at=timezone.now() - timedelta(minutes=6))
    world.delete(made["object"]["url"])  # a call that died has committed nothing
    taken = world.post("subscriptions/", BODY, **KEY)
    assert taken.status_code == 202 and taken.json()["id"] != made["id"]


def test_keys_are_forgotten(world):
    world.post("subscriptions/", BODY, **KEY)
    Reply.objects.update(began_at=timezone.now() - timedelta(hours=25))
    assert world.post("subscriptions/", {**BODY, "filter": "low < 8"}, **KEY).status_code == 202
    Reply.objects.update(began_at=timezone.now() - timedelta(hours=25))
    keeping.prune()
    assert not Reply.objects.exists()


def test_secrets_are_not_kept(operator, problem):
    first = operator.post("tokens/", {"name": "made"}, **KEY).json()
    document = problem(operator.post("tokens/", {"name": "made"}, **KEY), 409)
    assert document["type"].endswith("shown_once") and first["url"] in document["detail"]
    assert Token.objects.filter(name="made").count() == 1
    assert first["token"] not in json.dumps(list(Reply.objects.values("body", "digest", "location")))


def test_the_key_of_a_host_is_named_when_it_was_made_before(world, problem):
    address = f"/api/v1/hosts/{Host.objects.get(name='h1').pk}/key/"
    shown = world.post(address, **KEY).json()["key"]
    document = problem(world.post(address, **KEY), 409)
    assert f"has already created {address}" in document["detail"] and shown not in str(document)


@pytest.mark.parametrize("key", ["", "a b", "x" * 256, "\x7f", "ä"])
def test_bad_keys_are_refused(world, error, key):
    answer = world.post("subscriptions/", BODY, HTTP_IDEMPOTENCY_KEY=key)
    assert error(answer)["parameter"] == "Idempotency-Key"


def test_a_dry_run_uses_no_key(world):
    for _ in range(2):
        assert world.post("subscriptions/?dry_run=true", BODY, **KEY).status_code == 200
    assert not Reply.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_parallel_calls_make_one_object(world):
    answers = []

    def send():
        try:
            answers.append(world.post("subscriptions/", BODY, **KEY))
        finally:
            connections.close_all()

    threads = [threading.Thread(target=send) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 8 and {answer.status_code for answer in answers} <= {202, 409}
    assert len({answer.json()["id"] for answer in answers if answer.status_code == 202}) == 1
    assert Subscription.objects.count() == 1


@pytest.mark.parametrize("bound", [{"keys": 2}, {"key_megabytes": 1}])
def test_keys_and_answers_of_a_caller_are_limited(world, problem, settings, bound):
    settings.ENV = replace(settings.ENV, **bound)
    keys = [{"HTTP_IDEMPOTENCY_KEY": f"k{n}"} for n in range(3)]
    bodies = [{**BODY, "filter": f"low < {n}"} for n in (5, 6, 7)]
    for body, each in zip(bodies[:2], keys[:2], strict=True):
        assert world.post("subscriptions/", body, **each).status_code == 202
    assert all(size > 100 for size in Reply.objects.values_list("size", flat=True))
    Reply.objects.update(size=1 << 19)
    answer = world.post("subscriptions/", bodies[2], **keys[2])
    assert problem(answer, 429)["type"].endswith("too_many_keys")
    assert 80_000 < int(answer.headers["Retry-After"]) <= 86_400
    assert Subscription.objects.count() == 2
    assert world.post("subscriptions/", bodies[0], **keys[0]).headers["Idempotency-Replayed"] == "true"
    Reply.objects.update(began_at=timezone.now() - timedelta(hours=25))
    assert world.post("subscriptions/", bodies[2], **keys[2]).status_code == 202
