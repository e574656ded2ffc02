"""Duplicates: equivalent filters of one owner in one topic, while the first announcement exists."""

import json
import threading
from collections import Counter

import pytest
from django.db import IntegrityError, connection, transaction

from controlplane.registry.models import Advertisement, Subscriber, Subscription
from controlplane.requestlog.models import Request, State

KINDS = [
    ("advertisements", Advertisement, "publisher", "exchange"),
    ("subscriptions", Subscription, "subscriber", "alice"),
]
BOTH = pytest.mark.parametrize("resource, model, noun, name", KINDS)
SAME = ("low in [1, 2]", "low >= 1 and low <= 2", "low<=2 and (low>=1)", "low = 2 or low = 1")


@BOTH
def test_an_equivalent_filter_is_refused_with_the_address_of_the_first(
    world, problem, error, resource, model, noun, name
):
    body = {noun: name, "topic": "quotes"}
    first = world.post(f"{resource}/", {**body, "filter": SAME[0]}).json()["object"]["url"]
    for text in SAME:
        answer = world.post(f"{resource}/", {**body, "filter": text})
        assert problem(answer, 409)["type"] == "urn:tercast:problem:duplicate"
        found = error(answer, 409)
        assert (found["pointer"], found["code"], found["existing"]) == ("/filter", "duplicate", first)
        assert f"register a second {noun}" in found["detail"]
        assert error(world.post(f"{resource}/?dry_run=true", {**body, "filter": text}), 409) == found
    assert model.objects.count() == Request.objects.filter(payload__has_key="filter").count() == 1


@BOTH
def test_other_owners_topics_and_filters_are_none(world, resource, model, noun, name):
    """Two applications at one host are two publishers or subscribers with separate announcements."""
    world.post(f"{noun}s/", {"name": "second", "host": "h2"})
    topic = {"name": "other", "attributes": [{"name": "low", "type": "int", "min": 0, "max": 9}]}
    assert world.post("topics/", topic).status_code == 201
    for body in (
        {noun: name, "topic": "quotes", "filter": SAME[0]},
        {noun: "second", "topic": "quotes", "filter": SAME[0]},
        {noun: name, "topic": "other", "filter": SAME[0]},
        {noun: name, "topic": "quotes", "filter": "low in [1, 3]"},
    ):
        assert world.post(f"{resource}/", body).status_code == 202


@BOTH
def test_what_is_withdrawn_or_failed_can_be_announced_again(world, end, error, resource, model, noun, name):
    body = {noun: name, "topic": "quotes", "filter": "low < 7"}
    first = world.post(f"{resource}/", body).json()["object"]["url"]
    end()
    assert world.delete(first).status_code == 202
    again = world.post(f"{resource}/", body).json()["object"]["url"]  # the withdrawal is first in the log
    assert error(world.post(f"{resource}/", body), 409)["existing"] == again
    end(State.FAILED, kind__in=("advertise", "subscribe"))
    assert world.post(f"{resource}/", body).status_code == 202


@BOTH
def test_a_withdrawal_that_failed_leaves_the_first_one(world, end, error, resource, model, noun, name):
    body = {noun: name, "topic": "quotes", "filter": "low < 7"}
    first = world.post(f"{resource}/", body).json()["object"]["url"]
    end()
    world.delete(first)
    end(State.FAILED)
    assert error(world.post(f"{resource}/", body), 409)["existing"] == first


@BOTH
def test_a_list_has_all_of_its_duplicates_named(world, pointers, resource, model, noun, name):
    body = {noun: name, "topic": "quotes"}
    world.post(f"{resource}/", {**body, "filter": "low < 7"})
    items = [
        {**body, "filter": text} for text in ("low < 7", "low = 1", "low < 9", "not low != 1", "low < 8")
    ]
    expected = [(0, "/filter", "duplicate"), (3, "/filter", "duplicate")]
    assert pointers(world.post(f"{resource}/", items), 409) == expected
    assert model.objects.count() == 1
    answer = world.post(f"{resource}/?atomic=false", [*items, {**body, "filter": "low >"}])
    assert answer.status_code == 202
    operation = answer.json()
    assert (operation["items"], operation["refused"]) == (6, 3)
    refused = world.get(operation["refused_items"]).json()["results"]
    assert [(row["index"], row["errors"][0]["code"]) for row in refused] == [
        (0, "duplicate"),
        (3, "duplicate"),
        (5, "filter_syntax"),
    ]
    results = world.get(operation["results"]).json()["results"]
    assert [row["index"] for row in results] == [1, 2, 4]
    found = pointers(world.post(f"{resource}/?atomic=false", [*items, {**body, "filter": "low >"}]), 409)
    assert found == [(n, "/filter", "duplicate" if n < 5 else "filter_syntax") for n in range(6)]


def test_csv_names_the_line(world, problem):
    text = (
        "subscriber,topic,filter\r\nalice,quotes,low < 7\r\nbob,quotes,low < 7\r\nalice,quotes,low <= 6\r\n"
    )
    found = problem(world.raw("POST", "subscriptions/", text, "text/csv"), 409)["errors"]
    assert [(e["index"], e["line"], e["code"]) for e in found] == [(2, 4, "duplicate")]
    answer = world.raw("POST", "subscriptions/?atomic=false", text, "text/csv")
    assert answer.status_code == 202 and Subscription.objects.count() == 2


def test_a_key_replays_the_first_answer_and_another_key_does_not(world, error):
    body = json.dumps({"subscriber": "alice", "topic": "quotes", "filter": "low < 7"})
    first = world.raw("POST", "subscriptions/", body, HTTP_IDEMPOTENCY_KEY="one")
    again = world.raw("POST", "subscriptions/", body, HTTP_IDEMPOTENCY_KEY="one")
    assert (first.status_code, again.status_code) == (202, 202) and first.json() == again.json()
    other = error(world.raw("POST", "subscriptions/", body, HTTP_IDEMPOTENCY_KEY="two"), 409)
    assert other["existing"] == first.json()["object"]["url"]


def test_the_preview_says_it(world, end):
    world.post("subscriptions/", {"subscriber": "alice", "topic": "quotes", "filter": "low < 7"})
    end()
    question = {"subscriber": "alice", "topic": "quotes", "filter": "low <= 6"}
    cost = world.post("filters/preview/", question).json()["cost"]
    assert (cost["accepted"], cost["code"]) == (False, "duplicate") and "subscription" in cost["detail"]
    assert world.post("filters/preview/", {**question, "subscriber": "bob"}).json()["cost"]["accepted"]


@pytest.mark.django_db(transaction=True)
@BOTH
def test_one_of_twenty_parallel_calls_is_taken(world, resource, model, noun, name):
    calls, start, answers = 20, threading.Barrier(20), []

    def call(n):
        try:
            start.wait()
            body = {noun: name, "topic": "quotes", "filter": SAME[n % len(SAME)]}
            answers.append(world.post(f"{resource}/", body))
        finally:
            connection.close()

    threads = [threading.Thread(target=call, args=(n,)) for n in range(calls)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    codes = Counter(answer.status_code for answer in answers)
    assert codes[202] == 1 and codes[409] + codes[503] == 19, codes
    row = model.objects.get()
    errors = [answer.json()["errors"][0] for answer in answers if answer.status_code == 409]
    assert {(each["code"], each["existing"]) for each in errors} == {
        ("duplicate", f"/api/v1/{resource}/{row.pk}/")
    }
    assert Request.objects.filter(payload__has_key="filter").count() == 1


@pytest.mark.django_db(transaction=True)
def test_the_database_keeps_the_rule_by_itself(world):
    """The index holds whatever a call has checked, and releases failed and withdrawn rows."""
    world.post("subscriptions/", {"subscriber": "alice", "topic": "quotes", "filter": "low < 7"})
    row = Subscription.objects.get()
    fields = {"subscriber": row.subscriber, "topic": row.topic, "dz": row.dz, "digest": row.digest}
    with pytest.raises(IntegrityError), transaction.atomic():
        Subscription.objects.create(request=row.request, **fields)
    for change in ({"withdrawal": row.request}, {"state": State.FAILED}, {"digest": None}):
        Subscription.objects.create(request=row.request, **{**fields, **change})
    bob = Subscriber.objects.get(name="bob")
    Subscription.objects.create(request=row.request, **{**fields, "subscriber": bob})
