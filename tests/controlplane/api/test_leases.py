"""Leases of publishers: what they are told, what they confirm, and how long they may go on."""

from datetime import timedelta

import pytest
from django.utils import timezone

from controlplane.control.models import Request
from controlplane.moves.models import Encoding, Lease, Move, Stage
from controlplane.registry.models import Topic

AD = {"publisher": "exchange", "topic": "quotes", "filter": "low < 512"}


@pytest.fixture
def lease(world, end):
    """Asks for a lease of the only advertisement."""
    assert world.post("advertisements/", AD).status_code == 202
    end()
    pk = world.get("advertisements/").json()["results"][0]["id"]

    def ask(version, holder="one", caller=world):
        answer = caller.post(f"advertisements/{pk}/lease/", {"holder": holder, "version": version})
        assert answer.status_code == 200, answer.content
        return answer.json()

    ask.pk = pk
    return ask


def tell(version=2, code=1, indexed=("high",)):
    topic = Topic.objects.get(name="quotes")
    fields = {"version": version, "code": code, "indexed": list(indexed)}
    Encoding.objects.update_or_create(topic=topic, defaults=fields)


def test_a_new_publisher_is_told_the_encoding_of_now(lease):
    told = lease(None)
    assert told["version"] == 1 and told["code"] == 0 and told["indexed"] == ["low", "high"]
    assert told["topic"] == "quotes" and told["expires_in"] == 120 and told["poll_in"] == 1
    row = Lease.objects.get()
    assert (row.holder, row.version) == ("one", 1)


def test_a_lease_is_extended_only_for_the_version_that_is_told(lease):
    lease(None)
    soon = timezone.now() + timedelta(seconds=30)
    Lease.objects.update(expires_at=soon)
    tell()
    told = lease(1)
    assert told["version"] == 2 and told["code"] == 1 and told["indexed"] == ["high"]
    assert 0 < told["expires_in"] <= 30 and Lease.objects.get().expires_at == soon
    assert Lease.objects.get().version == 1
    assert lease(2)["expires_in"] == 120
    assert Lease.objects.get().version == 2


def test_a_call_that_says_nothing_new_writes_nothing(lease, django_assert_num_queries):
    lease(None)
    before = Lease.objects.get().expires_at
    told = lease(1)
    assert Lease.objects.get().expires_at == before and 119 <= told["expires_in"] <= 120
    Lease.objects.update(expires_at=timezone.now() + timedelta(seconds=80))
    assert lease(1)["expires_in"] == 120


def test_who_comes_back_after_its_lease_is_told_anew(lease):
    lease(None)
    Lease.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    tell()
    assert lease(1)["version"] == 2
    assert Lease.objects.get().version == 2  # it sends nothing before it has read the answer


def test_who_advertises_after_a_move_began_is_told_where_it_leads(lease, world, end):
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


def test_a_viewer_may_publish_and_nobody_without_a_log_in(lease, viewer, anonymous, problem):
    assert lease(None, caller=viewer)["version"] == 1
    path = f"advertisements/{lease.pk}/lease/"
    problem(anonymous.post(path, {"holder": "x", "version": None}), 401)
    assert viewer.delete(f"{path}?holder=one").status_code == 204
    assert not Lease.objects.exists()


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
    problem(world.post("advertisements/99/lease/", body), 404)
    problem(world.post("advertisements/x/lease/", body), 400)
    problem(world.delete(f"advertisements/{lease.pk}/lease/"), 400)
    world.delete(f"advertisements/{lease.pk}/")
    end()
    problem(world.post(f"advertisements/{lease.pk}/lease/", body), 404)
