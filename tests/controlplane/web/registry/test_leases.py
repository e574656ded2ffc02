"""Leases of publishers: the encoding they get, the version they confirm, and the validity."""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.utils import timezone

from controlplane.registry.models import Topic
from controlplane.registry.transitions import leases
from controlplane.registry.transitions.models import Encoding, Lease, Move, Stage
from controlplane.requestlog.models import Request
from tests.support.controlplane.api_fixtures import issue, with_text
from tests.support.controlplane.prepared_rows import write_once

AD = {"publisher": "exchange", "topic": "quotes", "filter": "low < 512"}


def announce(world, end):
    assert world.post("advertisements/", AD).status_code == 202
    end()


@pytest.fixture
def lease(world, end):
    """Ask for a lease of the only advertisement."""
    write_once(announce, world, end)
    pk = world.get("advertisements/").json()["results"][0]["id"]

    def ask(version, holder="one", caller=world):
        answer = caller.post(f"advertisements/{pk}/lease/", {"holder": holder, "version": version})
        assert answer.status_code == 200, answer.content
        return answer.json()

    ask.pk = pk
    return ask


def publish(version=2, code=1, indexed=("high",)):
    topic = Topic.objects.get(name="quotes")
    fields = {"version": version, "code": code, "indexed": list(indexed)}
    Encoding.objects.update_or_create(topic=topic, defaults=fields)


def test_a_new_publisher_gets_the_current_encoding(lease):
    body = lease(None)
    assert body["version"] == 1 and body["code"] == 0 and body["indexed"] == ["low", "high"]
    assert body["topic"] == "quotes" and body["expires_in"] == 120 and body["poll_in"] == 1
    row = Lease.objects.get()
    assert (row.holder, row.version) == ("one", 1)


def test_a_question_of_a_publisher_at_rest_needs_five_queries(lease, django_assert_num_queries):
    """Token, role, advertisement with its encoding, lease and number of leases."""
    lease(None)
    lease(1)
    with django_assert_num_queries(5):
        lease(1)


def test_a_lease_is_extended_only_for_the_published_version(lease):
    lease(None)
    soon = timezone.now() + timedelta(seconds=30)
    Lease.objects.update(expires_at=soon)
    publish()
    body = lease(1)
    assert body["version"] == 2 and body["code"] == 1 and body["indexed"] == ["high"]
    assert 0 < body["expires_in"] <= 30 and Lease.objects.get().expires_at == soon
    assert Lease.objects.get().version == 1
    assert lease(2)["expires_in"] == 120
    assert Lease.objects.get().version == 2


def test_a_call_that_says_nothing_new_writes_nothing(lease, django_assert_num_queries):
    lease(None)
    before = Lease.objects.get().expires_at
    body = lease(1)
    assert Lease.objects.get().expires_at == before and 119 <= body["expires_in"] <= 120
    Lease.objects.update(expires_at=timezone.now() + timedelta(seconds=80))
    assert lease(1)["expires_in"] == 120


def test_who_returns_after_its_lease_gets_a_new_one(lease):
    lease(None)
    Lease.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    publish()
    assert lease(1)["version"] == 2
    assert Lease.objects.get().version == 2  # it sends nothing before it has read the answer


def test_who_advertises_after_a_move_began_gets_the_new_encoding(lease, world, end):
    end()
    indexing = world.patch(f"topics/{Topic.objects.get().pk}/", {"indexed": ["high"]}).json()["id"]
    end()
    world.post("advertisements/", {**AD, "filter": "low < 3"})
    end()
    later = world.get("advertisements/?ordering=-id").json()["results"][0]["id"]
    topic = Topic.objects.get(name="quotes")
    moving = Request.objects.get(pk=indexing)
    Move.objects.create(topic=topic, request=moving, version=2, code=1, indexed=["high"])
    assert lease(None)["version"] == 1
    answer = world.post(f"advertisements/{later}/lease/", {"holder": "two", "version": None}).json()
    assert answer["version"] == 2 and answer["code"] == 1
    Move.objects.update(stage=Stage.DONE)
    assert lease(None, "three")["version"] == 1


def test_who_may_not_publish_neither_takes_nor_gives_back_leases(lease, world, viewer, anonymous, problem):
    lease(None)
    path, body = f"advertisements/{lease.pk}/lease/", {"holder": "x", "version": None}
    reads = with_text(issue(world, scopes=["read"])["token"])
    for caller, status in ((viewer, 403), (reads, 403), (anonymous, 401)):
        found = problem(caller.post(path, body), status)
        assert status == 401 or "client token" in found["detail"]
        problem(caller.delete(f"{path}?holder=one"), status)
    assert [row.holder for row in Lease.objects.all()] == ["one"]


def test_a_lease_belongs_to_the_caller_that_took_it(lease, world, administrator, problem):
    path = f"advertisements/{lease.pk}/lease/"
    publisher = with_text(issue(world, publisher="exchange")["token"])
    assert lease(None, "mine", caller=publisher)["version"] == 1
    found = problem(world.post(path, {"holder": "mine", "version": 1}), 409)
    assert found["type"].endswith(":other_holder") and "Another program" in found["detail"]
    again = with_text(issue(world, publisher="exchange")["token"])
    assert lease(1, "mine", caller=again)["version"] == 1
    Lease.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert lease(None, "mine")["version"] == 1
    Lease.objects.update(caller="")  # a row of an earlier release
    assert lease(1, "mine", caller=administrator)["version"] == 1


def test_active_leases_of_an_advertisement_are_limited(lease, world, problem, monkeypatch):
    monkeypatch.setattr(leases, "MOST_OF_AN_ADVERTISEMENT", 2)
    for holder in ("one", "two"):
        lease(None, holder)
    path = f"advertisements/{lease.pk}/lease/"
    found = problem(world.post(path, {"holder": "three", "version": None}), 409)
    assert found["type"].endswith(":too_many_leases") and "has 2 leases; the limit is 2" in found["detail"]
    assert lease(1, "two")["version"] == 1
    Lease.objects.filter(holder="one").update(expires_at=timezone.now() - timedelta(hours=1))
    lease(None, "three")
    assert {row.holder for row in Lease.objects.all()} == {"two", "three"}


def test_leases_of_a_caller_are_limited(lease, world, administrator, problem, settings):
    settings.ENV = replace(settings.ENV, leases_a_caller=2)
    for holder in ("one", "two"):
        lease(None, holder)
    Lease.objects.filter(holder="one").update(expires_at=timezone.now() + timedelta(seconds=40))
    answer = world.post(f"advertisements/{lease.pk}/lease/", {"holder": "three", "version": None})
    found = problem(answer, 429)
    assert found["type"].endswith(":too_many_leases") and 30 < int(answer["Retry-After"]) <= 40
    assert "You hold 2 leases; the limit is 2" in found["detail"]
    lease(None, "four", caller=administrator)
    world.delete(f"advertisements/{lease.pk}/lease/?holder=one")
    lease(None, "three")


def test_a_caller_with_many_leases_delays_its_own_questions_alone(lease, administrator):
    lease(None)
    ends = timezone.now() + timedelta(seconds=100)
    rows = [
        Lease(advertisement_id=lease.pk, holder=f"h{n}", caller="user:0", version=1, expires_at=ends)
        for n in range(2000)
    ]
    Lease.objects.bulk_create(rows)
    assert lease(1)["poll_in"] == 1
    Lease.objects.exclude(holder="one").update(caller=Lease.objects.get(holder="one").caller)
    assert lease(1)["poll_in"] == 30  # a quarter of the lease


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"version": None}, "/holder"),
        ({"holder": "x"}, "/version"),
        ({"holder": "x y", "version": None}, "/holder"),
        ({"holder": "x" * 65, "version": None}, "/holder"),
        ({"holder": "x", "version": 0}, "/version"),
        ({"holder": "x", "version": 2**80}, "/version"),
        ({"holder": "x", "version": "1"}, "/version"),
    ],
)
def test_bad_bodies_are_refused_by_name(lease, world, error, body, pointer):
    assert error(world.post(f"advertisements/{lease.pk}/lease/", body))["pointer"] == pointer


def test_unknown_and_withdrawn_advertisements_have_no_lease(lease, world, end, problem):
    body = {"holder": "x", "version": None}
    problem(world.post("advertisements/999999999/lease/", body), 404)
    problem(world.post("advertisements/x/lease/", body), 400)
    problem(world.delete(f"advertisements/{lease.pk}/lease/"), 400)
    world.delete(f"advertisements/{lease.pk}/")
    end()
    problem(world.post(f"advertisements/{lease.pk}/lease/", body), 404)
