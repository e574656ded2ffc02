"""Sealed topics: access to keys, changes of keys and of the setting, and no disclosure of keys."""

import base64
import dataclasses
from datetime import timedelta

import pytest
from django.utils import timezone

from controlplane.accounts.trail.models import Action
from controlplane.network.models import Host
from controlplane.registry import event_keys
from controlplane.registry.models import Advertisement, Origin, Publisher, SealKey, Subscription, Topic
from controlplane.requestlog.models import OutboxEvent
from controlplane.signalling.actions import do
from controlplane.signalling.errors import Refusing
from tercast.signalling.messages import ControlMessage, FilterText, MessageType, RunningPublisher
from tests.support.controlplane.api_fixtures import issue, with_text
from tests.support.controlplane.routes import LISTS, NESTED, SINGLES

AD = {"publisher": "exchange", "topic": "quotes", "filter": "low < 512"}
WANT = {"subscriber": "alice", "topic": "quotes", "filter": "low < 9"}


@pytest.fixture(autouse=True)
def folder(settings, tmp_path):
    """Use separate secrets for the test."""
    settings.ENV = dataclasses.replace(settings.ENV, state_dir=tmp_path)


@pytest.fixture
def people(world, end):
    """The operator, and client tokens of a publisher and a subscriber, at a sealed topic."""
    pk = Topic.objects.get().pk
    assert world.patch(f"topics/{pk}/", {"seal": True}).json()["seal"] is True
    world.post("publishers/", {"name": "rival", "host": "h3"})
    assert world.post("advertisements/", [AD, {**AD, "publisher": "rival"}]).status_code == 202
    world.post("subscriptions/", WANT)
    end()
    world.exchange = with_text(issue(world, publisher="exchange")["token"])
    world.alice = with_text(issue(world, subscriber="alice")["token"])
    world.sources = f"topics/{pk}/sources/"
    world.keys = f"topics/{pk}/keys/"
    world.ads = list(Advertisement.objects.values_list("pk", flat=True))
    return world


def lease(caller, pk):
    answer = caller.post(f"advertisements/{pk}/lease/", {"holder": "one", "version": None})
    assert answer.status_code == 200, answer.content
    assert answer.headers["Cache-Control"] == "no-store"
    return answer.json()["seal"]


def sources(caller, path):
    answer = caller.get(path)
    assert answer.headers["Cache-Control"] == "no-store"
    return {row["id"]: row for row in answer.json()["results"]}


def later(monkeypatch, **time):
    moment = timezone.now() + timedelta(**time)
    monkeypatch.setattr(timezone, "now", lambda: moment)


def test_a_topic_is_not_sealed_unless_it_says_so(world, end, viewer):
    world.post("advertisements/", AD)
    end()
    (ad,) = Advertisement.objects.all()
    assert lease(world, ad.pk) is None
    row = sources(viewer, f"topics/{ad.topic_id}/sources/")[ad.pk]
    assert (row["seal"], row["keys"]) == ("off", None) and not SealKey.objects.exists()
    made = world.post("topics/", {"name": "secret", "attributes": ad.topic.attributes, "seal": True})
    assert made.status_code == 201 and made.json()["seal"] is True
    assert SealKey.objects.get().topic.name == "secret"


def test_publisher_and_subscriber_get_the_same_key_of_each_advertisement(people):
    mine, rivals = people.ads
    given = lease(people.exchange, mine)
    assert len(base64.b64decode(given["key"])) == 32
    rows = sources(people.alice, people.sources)
    assert rows[mine]["keys"] == [given]
    (other,) = rows[rivals]["keys"]
    assert other["number"] == given["number"] and other["key"] != given["key"]
    assert sources(people, people.sources) == rows  # with an operator's token


def test_others_get_no_key(people, viewer, problem):
    _mine, rivals = people.ads
    problem(people.exchange.post(f"advertisements/{rivals}/lease/", {"holder": "x", "version": None}), 404)
    problem(people.exchange.get(people.sources), 403)
    bob = with_text(issue(people, subscriber="bob")["token"])
    problem(bob.get(people.sources), 404)
    for caller in (viewer, with_text(issue(people, scopes=["read"])["token"])):
        assert {row["keys"] for row in sources(caller, people.sources).values()} == {None}
    problem(viewer.post(people.keys), 403)


def test_keys_are_in_no_other_answer_no_trail_no_live_event_and_no_database_row(people, administrator):
    keys = {row["keys"][0]["key"] for row in sources(people.alice, people.sources).values()}
    lease(people.exchange, people.ads[0])
    people.post(people.keys)
    keys |= {key["key"] for row in sources(people.alice, people.sources).values() for key in row["keys"]}
    assert len(keys) == 4
    texts = [str(row.payload) for row in OutboxEvent.objects.all()]
    texts += [str(row) for row in Action.objects.values()]
    texts += [str(row) for row in (*SealKey.objects.values(), *Topic.objects.values())]
    own = {people.sources}
    for path in (*(f"{name}/" for name in LISTS), *SINGLES, *NESTED):
        if path.replace("/1/", f"/{Topic.objects.get().pk}/") not in own:
            for caller in (people, administrator):
                texts.append(caller.get(path).content.decode())
    for path in ("topics/", "advertisements/", "subscriptions/"):
        texts.append(b"".join(people.get(path, {"format": "csv"})).decode() if path != "topics/" else "")
    assert not [key for key in keys for text in texts if key in text]


def test_keys_are_replaced_on_demand_and_the_old_ones_end(people, monkeypatch):
    first = lease(people.exchange, people.ads[0])
    made = people.post(people.keys)
    assert made.status_code == 201 and made.json()["number"] > first["number"]
    second = lease(people.exchange, people.ads[0])
    assert second["number"] == made.json()["number"] and second["key"] != first["key"]
    assert sources(people.alice, people.sources)[people.ads[0]]["keys"] == [first, second]
    moment = event_keys.overlap() + timedelta(seconds=1)
    later(monkeypatch, seconds=moment.total_seconds())
    assert sources(people.alice, people.sources)[people.ads[0]]["keys"] == [second]


def test_keys_are_replaced_when_their_period_is_over(people, monkeypatch):
    first = lease(people.exchange, people.ads[0])
    later(monkeypatch, hours=25)
    second = lease(people.exchange, people.ads[0])
    assert second["number"] > first["number"]
    assert lease(people.exchange, people.ads[0]) == second
    assert sources(people.alice, people.sources)[people.ads[0]]["keys"] == [first, second]


def test_who_has_withdrawn_does_not_get_the_next_key(people, problem, end):
    assert len(sources(people.alice, people.sources)) == 2
    assert people.alice.delete(f"subscriptions/{Subscription.objects.get().pk}/").status_code == 202
    people.post(people.keys)
    problem(people.alice.get(people.sources), 404)
    end()
    problem(people.alice.get(people.sources), 404)


def test_both_are_accepted_until_every_lease_is_over(people, monkeypatch):
    def policy():
        return {row["seal"] for row in sources(people.alice, people.sources).values()}

    assert policy() == {"changing"}
    later(monkeypatch, seconds=event_keys.overlap().total_seconds() + 1)
    assert policy() == {"required"}
    topic = people.sources.removesuffix("sources/")
    assert people.patch(topic, {"seal": False}).json()["seal"] is False
    assert policy() == {"changing"} and lease(people.exchange, people.ads[0]) is None
    assert len(sources(people.alice, people.sources)[people.ads[0]]["keys"]) == 1
    later(monkeypatch, seconds=event_keys.overlap().total_seconds() + 1)
    assert policy() == {"off"}
    assert sources(people.alice, people.sources)[people.ads[0]]["keys"] == []


def test_a_topic_with_hosts_in_band_is_not_sealed(world, end, problem):
    world.post("advertisements/", AD)
    end()
    Publisher.objects.update(origin=Origin.IN_BAND)
    pk = Topic.objects.get().pk
    refused = problem(world.patch(f"topics/{pk}/", {"seal": True}), 409)
    assert "1 advertisement that hosts sent in band" in refused["detail"] and not Topic.objects.get().seal
    problem(world.post(f"topics/{pk}/keys/"), 409)
    problem(world.post("topics/0/keys/"), 404)


def test_hosts_in_band_are_refused_at_a_sealed_topic(people):
    host = Host.objects.get(name="h1")
    asked = (
        (MessageType.SUBSCRIBE, FilterText("quotes", "low < 9")),
        (MessageType.ADVERTISE, FilterText("quotes", "low < 9")),
        (MessageType.LEASE, RunningPublisher(f"a{people.ads[0]}", 1, 0)),
    )
    for kind, body in asked:
        with pytest.raises(Refusing, match="the events of topic quotes are sealed") as refused:
            do(host, ControlMessage(kind, 1, body, True))
        assert refused.value.reason == "sealed_topic"


def test_seal_is_a_flag(world, error):
    assert error(world.patch(f"topics/{Topic.objects.get().pk}/", {"seal": "yes"}))["pointer"] == "/seal"
