"""Cuts of topics in the API: checks, requests, encodings of filters, and leases."""

import json

import pytest

from controlplane.planning import planner_state
from controlplane.registry.encoding import core_topic
from controlplane.registry.models import Advertisement, Subscription, Topic
from controlplane.registry.transitions import leases
from controlplane.registry.transitions.models import Encoding, Lease
from controlplane.requestlog.models import Request
from tests.support.controlplane.api_fixtures import TOPIC

CUTS = [["low", 100], ["side", "sell"], 5, 0, ["symbol", "GO"], 2, ["high", 12.5], 0, 7]


def test_a_topic_is_created_with_cuts(operator, end):
    body = operator.post("topics/", {**TOPIC, "cuts": CUTS}).json()
    assert body["cuts"] == CUTS and body["indexed"] == ["low", "high"]
    assert operator.get(body["url"]).json() == body
    assert Request.objects.get().payload["topic"]["cuts"] == CUTS
    end()
    planned = planner_state.current_planner().topics["quotes"]
    assert planned == core_topic(Topic.objects.get()) and planned.cuts.count == 4
    assert operator.post("topics/", {**TOPIC, "name": "plain"}).json()["cuts"] == []


def test_cuts_change_by_a_request_and_are_undone_by_another(world, end):
    end()
    pk = Topic.objects.get().pk
    logged = world.patch(f"topics/{pk}/", {"cuts": CUTS})
    assert logged.status_code == 202 and logged.json()["kind"] == "set_indexed"
    assert (logged.json()["asked"]["indexed"], logged.json()["asked"]["cuts"]) == (["low", "high"], 4)
    asked = {"op": "set_indexed", "topic": "quotes", "indexed": ["low", "high"]}
    assert Request.objects.latest("id").payload == {**asked, "cuts": CUTS}
    assert world.get(f"topics/{pk}/").json()["cuts"] == []  # until the planner has changed it
    end()
    assert world.get(f"topics/{pk}/").json()["cuts"] == CUTS
    world.post("subscriptions/", {"subscriber": "alice", "topic": "quotes", "filter": "low < 100"})
    assert Subscription.objects.get().dz == ["0"]
    world.patch(f"topics/{pk}/", {"indexed": ["high"]})
    assert Request.objects.latest("id").payload == {**asked, "indexed": ["high"]}
    end()
    topic = world.get(f"topics/{pk}/").json()
    assert (topic["indexed"], topic["cuts"]) == (["high"], CUTS)
    world.patch(f"topics/{pk}/", {"indexed": ["low", "high"], "cuts": []})
    assert Request.objects.latest("id").payload == {**asked, "cuts": []}
    end()
    assert world.get(f"topics/{pk}/").json()["cuts"] == []
    (shown,) = world.get("subscriptions/").json()["results"]
    assert shown["dz"] != ["0"]


WRONG = [
    ([["low", 0], 1, 1], ["/cuts/0"]),
    ([["low", 100], 1], ["/cuts"]),
    ([["low", 100], 1, 1, 1], ["/cuts/3"]),
    ([["lo", 100], ["low", 2000], 1, 1, 1], ["/cuts/0/0", "/cuts/1/1"]),
    ([["low", 100, 1], -1, "x"], ["/cuts/0", "/cuts/1", "/cuts/2"]),
    ([["low", 100], ["low", 100], 1, 1, 1], ["/cuts/1"]),
    ([["low", "x"], 1, 1], ["/cuts/0/1"]),
    ([["symbol", "s" * 17], 1, 1], ["/cuts/0/1"]),
    ([[None, None], 1, 1], ["/cuts/0/0"]),
    ({"low": 100}, ["/cuts"]),
    ("low", ["/cuts"]),
    (None, ["/cuts"]),
    ([1] * 8194, ["/cuts"]),
]


@pytest.mark.parametrize("cuts, where", WRONG)
def test_all_errors_in_cuts_are_in_the_answer(world, end, pointers, cuts, where):
    end()
    before = Request.objects.count()
    found = pointers(world.post("topics/", {**TOPIC, "cuts": cuts}))
    assert sorted(pointer for _, pointer, _ in found) == sorted([*where, "/name"])
    pk = Topic.objects.get().pk
    found = pointers(world.patch(f"topics/{pk}/", {"indexed": ["low", "low"], "cuts": cuts}))
    assert sorted(pointer for _, pointer, _ in found) == sorted([*where, "/indexed/1"])
    assert Request.objects.count() == before


def test_a_topic_gets_no_cuts_while_a_publisher_cannot_read_them(world, end, problem):
    world.post("advertisements/", {"publisher": "exchange", "topic": "quotes", "filter": "true"})
    end()
    leases.hold(Advertisement.objects.get().pk, "old library", None, "host:1", reads_cuts=False)
    address = f"topics/{Topic.objects.get().pk}/"
    for path in (address, f"{address}?dry_run=true"):
        found = problem(world.patch(path, {"cuts": CUTS}), 409)
        assert found["type"].endswith(":in_band")
        assert "1 advertisement with in-band publishers that cannot read cuts" in found["detail"]
    assert world.patch(address, {"cuts": []}).status_code == 202
    end()
    Lease.objects.update(reads_cuts=True)
    assert world.patch(address, {"cuts": CUTS}).status_code == 202


def test_the_cost_of_cuts_is_estimated(world, end):
    end()
    pk = Topic.objects.get().pk
    answer = world.patch(f"topics/{pk}/?dry_run=true", {"cuts": CUTS})
    assert answer.status_code == 200 and answer.json()["accepted"] is True
    assert not Request.objects.filter(kind="set_indexed").exists()


def test_cuts_keep_every_digit(operator, end):
    """PostgreSQL returns 1e+300 as an integer of 301 digits; integers beyond 2^53-1 are strings."""
    big = str(10**30)
    attributes = [
        {"name": "a", "type": "float", "min": 0.0, "max": 1e308},
        {"name": "b", "type": "int", "min": 0, "max": 10**40},
    ]
    cuts = [["a", 1e300], 0, ["b", big], 1, 2]
    pk = operator.post("topics/", {"name": "wide", "attributes": attributes, "cuts": cuts}).json()["id"]
    assert json.loads(operator.get(f"topics/{pk}/").content)["cuts"] == cuts
    end()
    assert planner_state.current_planner().topics["wide"] == core_topic(Topic.objects.get())


def test_a_lease_has_the_cuts_of_its_encoding(world, end):
    world.post("advertisements/", {"publisher": "exchange", "topic": "quotes", "filter": "low < 512"})
    end()
    pk = world.get("advertisements/").json()["results"][0]["id"]

    def lease():
        return world.post(f"advertisements/{pk}/lease/", {"holder": "one", "version": None}).json()

    assert lease()["cuts"] == []
    Topic.objects.update(cuts=CUTS)
    assert lease()["cuts"] == CUTS
    fields = {"version": 2, "code": 1, "indexed": ["high"], "cuts": [*CUTS[:1], 1, 2]}
    Encoding.objects.create(topic=Topic.objects.get(), **fields)
    assert lease()["cuts"] == [*CUTS[:1], 1, 2]
