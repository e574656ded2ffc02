"""Publishers and subscribers: their hosts, and their removal."""

import pytest

from controlplane.registry.models import Publisher, Subscriber
from controlplane.requestlog.models import State

KINDS = [
    ("publishers", Publisher, "advertisements", "publisher"),
    ("subscribers", Subscriber, "subscriptions", "subscriber"),
]
BOTH = pytest.mark.parametrize("resource, model, announcements, noun", KINDS)


@BOTH
def test_one_is_registered(network, resource, model, announcements, noun):
    answer = network.post(f"{resource}/", {"name": "ann", "host": "h1"})
    assert answer.status_code == 201
    body = answer.json()
    assert answer.headers["Location"] == body["url"] == f"/api/v1/{resource}/{model.objects.get().pk}/"
    assert (body["name"], body["host"]) == ("ann", "h1")
    assert network.get(body["url"]).json() == body


@BOTH
def test_a_list_is_registered_together(network, resource, model, announcements, noun):
    answer = network.post(f"{resource}/", [{"name": f"n{i}", "host": "h1"} for i in range(3)])
    assert answer.status_code == 201
    body = answer.json()
    assert body["items"] == 3
    assert [(r["index"], r["name"]) for r in body["results"]] == [(0, "n0"), (1, "n1"), (2, "n2")]
    assert network.get(body["results"][2]["url"]).json()["name"] == "n2"


@BOTH
def test_one_bad_item_and_none_is_stored(network, pointers, resource, model, announcements, noun):
    network.post(f"{resource}/", {"name": "ann", "host": "h1"})
    items = [
        {"name": "good", "host": "h1"},
        {"name": "ann", "host": "h1"},
        {"name": "good", "host": "h1"},
        {"name": "x", "host": "nowhere"},
        {"name": "a b", "host": 1},
    ]
    assert pointers(network.post(f"{resource}/", items)) == [
        (1, "/name", "not_unique"),
        (2, "/name", "not_unique"),
        (3, "/host", "unknown_host"),
        (4, "/name", "bad_name"),
        (4, "/host", "wrong_type"),
    ]
    assert model.objects.count() == 1


@BOTH
def test_nobody_registers_at_a_host_that_goes_or_never_came(
    network, end, error, resource, model, announcements, noun
):
    end(State.FAILED, kind="add_host", payload__host__id="h2")
    end()
    hosts = {row["name"]: row["id"] for row in network.get("hosts/").json()["results"]}
    network.delete(f"hosts/{hosts['h1']}/")
    assert error(network.post(f"{resource}/", {"name": "a", "host": "h1"}))["code"] == "being_removed"
    assert error(network.post(f"{resource}/", {"name": "a", "host": "h2"}))["code"] == "not_in_network"
    assert network.post(f"{resource}/", {"name": "a", "host": "h3"}).status_code == 201


@BOTH
def test_who_has_announced_something_stays(world, end, problem, resource, model, announcements, noun):
    row = model.objects.first()
    body = {noun: row.name, "topic": "quotes", "filter": "true"}
    pk = world.post(f"{announcements}/", body).json()["object"]["id"]
    detail = problem(world.delete(f"{resource}/{row.pk}/"), 409)["detail"]
    assert detail.endswith(f", first withdraw its 1 {announcements[:-1]}.")
    world.delete(f"{announcements}/{pk}/")
    problem(world.delete(f"{resource}/{row.pk}/"), 409)  # until the withdrawal has ended
    end()
    assert world.delete(f"{resource}/{row.pk}/").status_code == 204
    problem(world.get(f"{resource}/{row.pk}/"), 404)
    problem(world.get(f"{announcements}/{pk}/"), 404)


@BOTH
def test_ids_are_never_given_again(world, resource, model, announcements, noun):
    first = world.post(f"{resource}/", {"name": "last", "host": "h1"}).json()
    world.delete(first["url"])
    assert world.post(f"{resource}/", {"name": "last", "host": "h1"}).json()["id"] > first["id"]
