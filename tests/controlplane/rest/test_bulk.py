"""Lists in one POST: all items or none, one operation, results by item, documented limits."""

import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from controlplane.registry.models import Advertisement, Subscription
from controlplane.requestlog.models import Operation, Request, State
from controlplane.rest.request_body import MAX_ITEMS
from tests.support.controlplane.bulk_calls import small


def test_one_operation_comes_back(world):
    answer = world.post("subscriptions/", small(3))
    assert answer.status_code == 202
    body = answer.json()
    operation = Operation.objects.get(pk=body["id"])
    assert answer.headers["Location"] == body["url"] == f"/api/v1/operations/{operation.pk}/"
    assert (body["items"], body["finished"], body["progress"]) == (3, False, 0.0)
    assert body["states"] == {
        "queued": 3,
        "planning": 0,
        "deploying": 0,
        "active": 0,
        "failed": 0,
        "withdrawn": 0,
    }
    assert operation.actor.username == "olga"
    rows = list(Subscription.objects.order_by("id"))
    assert [row.filter for row in rows] == ["low < 1", "low < 2", "low < 3"]
    logged = list(Request.objects.filter(operation=operation).order_by("id"))
    assert [request.index for request in logged] == [0, 1, 2]
    assert [request.payload["id"] for request in logged] == [f"q{row.pk}" for row in rows]
    assert [row.request_id for row in rows] == [request.pk for request in logged]
    assert [request.payload["dz"] for request in logged] == [row.dz for row in rows]


def test_results_come_by_item_in_pages(world):
    url = world.post("subscriptions/", small(5)).json()["results"]
    Request.objects.filter(index__lt=2, kind="subscribe").update(state=State.ACTIVE, matched=True)
    Request.objects.filter(index=4, kind="subscribe").update(state=State.FAILED, problem={"detail": "full"})
    page = world.get(f"{url}?limit=3&count=true").json()
    assert [row["index"] for row in page["results"]] == [0, 1, 2] and page["count"] == 5
    first = page["results"][0]
    assert (first["state"], first["matched"]) == ("active", True)
    assert world.get(first["object"]["url"]).json()["filter"] == "low < 1"
    (third, last) = world.get(page["next"]).json()["results"]
    assert (third["state"], last["state"], last["problem"]["detail"]) == ("queued", "failed", "full")
    (failed,) = world.get(f"{url}?state=failed").json()["results"]
    assert failed["index"] == 4
    operation = world.get(failed["operation"]).json()
    assert operation["states"]["active"] == 2 and operation["progress"] == pytest.approx(0.6)
    assert not operation["finished"]


def test_one_bad_item_and_nothing_is_stored(world, pointers):
    before = Request.objects.count(), Operation.objects.count()
    body = small(6)
    body[1]["filter"] = "low > 5000"
    body[2]["topic"] = "nothing"
    body[4] = {"subscriber": "alice", "extra": 1}
    body[5]["subscriber"] = None
    assert pointers(world.post("subscriptions/", body)) == [
        (1, "/filter", "matches_nothing"),
        (2, "/topic", "unknown_topic"),
        (4, "/extra", "unknown_field"),
        (4, "/topic", "required"),
        (4, "/filter", "required"),
        (5, "/subscriber", "null"),
    ]
    assert not Subscription.objects.exists()
    assert (Request.objects.count(), Operation.objects.count()) == before


def test_a_failure_while_storing_stores_nothing(world, monkeypatch):
    before = Request.objects.count(), Operation.objects.count()

    def broken(*args, **kwargs):
        raise RuntimeError("the disk is gone")

    monkeypatch.setattr(Subscription.objects.__class__, "bulk_create", broken)
    world.raise_request_exception = False
    answer = world.post("subscriptions/", small(2))
    assert answer.status_code == 500 and answer.json()["type"].endswith("server_error")
    monkeypatch.undo()
    assert (Request.objects.count(), Operation.objects.count()) == before


@pytest.mark.parametrize("resource", ["subscriptions", "publishers"])
def test_too_many_items_are_refused_with_the_limit(world, problem, resource):
    document = problem(world.raw("POST", f"{resource}/", "[" + "1," * MAX_ITEMS + "1]"), 413)
    assert str(MAX_ITEMS) in document["detail"]


def test_an_atomic_call_may_say_so(world):
    assert world.post("subscriptions/?atomic=true", small(2)).status_code == 202


def test_a_list_of_one_is_an_operation(world):
    assert world.post("subscriptions/", small(1)).json()["items"] == 1


def test_ids_follow_each_other_whatever_was_deleted(world, end):
    world.post("subscriptions/", small(3))
    end(State.FAILED, kind="subscribe")
    last = Subscription.objects.latest("id").pk
    for row in Subscription.objects.all():
        world.delete(f"subscriptions/{row.pk}/")
    world.post("subscriptions/", small(2))
    assert all(pk > last for pk in Subscription.objects.values_list("pk", flat=True))


@pytest.mark.parametrize(
    "resource, model", [("subscriptions", Subscription), ("advertisements", Advertisement)]
)
def test_nothing_is_looked_up_item_by_item(world, resource, model):
    noun, name = ("subscriber", "alice") if model is Subscription else ("publisher", "exchange")
    bodies = [
        [{noun: name, "topic": "quotes", "filter": f"low < {i + 1}"} for i in range(n)] for n in (5, 400)
    ]
    world.post(f"{resource}/", bodies[0])
    reads = []
    for body in bodies:
        with CaptureQueriesContext(connection) as captured:
            world.post(f"{resource}/", body)
        reads.append(sum(query["sql"].startswith("SELECT") for query in captured))
        assert len(captured) <= 14 + len(body) / 20  # rows are inserted in batches; two rows for the trail
    assert reads[0] == reads[1] <= 8


def load(world, count):
    body = [
        {
            "subscriber": ("alice", "bob")[n % 2],
            "topic": "quotes",
            "filter": f"low in [{n % 900}, {n % 900 + 40}] and high in [{n % 97}, {n % 97 + 2.5}]",
        }
        for n in range(count)
    ]
    answer = world.raw("POST", "subscriptions/", json.dumps(body))
    assert answer.status_code == 202 and answer.json()["states"]["queued"] == count
    assert Subscription.objects.count() == count == Request.objects.filter(kind="subscribe").count()


def test_two_thousand_subscriptions_go_in_at_once(world):
    load(world, 2_000)


@pytest.mark.full
def test_twenty_five_thousand_subscriptions_go_in_at_once(world):
    load(world, 25_000)
