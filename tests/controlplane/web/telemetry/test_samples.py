"""Samples of past events: possible publishers, the limit per topic, and the numbers in answers."""

import pytest

from controlplane.registry.models import Advertisement, Topic
from controlplane.telemetry import samples
from controlplane.telemetry.models import EventSample
from tests.support.controlplane.prepared_rows import write_once

VALUES = {"low": 5, "high": 1.5, "open": True, "side": "buy", "symbol": "IBM"}


def announce(world, end):
    world.post("advertisements/", {"publisher": "exchange", "topic": "quotes", "filter": "low < 100"})
    end()


@pytest.fixture
def ad(world, end):
    """An advertisement of all events with `low` below 100."""
    write_once(announce, world, end)
    return Advertisement.objects.get()


def sample(ad, **values):
    return {"publisher": ad.planner_id, "values": {**VALUES, **values}}


def test_a_sample_is_kept_and_counted(world, ad):
    answer = world.post("traffic/samples/", sample(ad))
    assert (answer.status_code, answer.json()) == (201, {"items": 1})
    assert world.post("traffic/samples/", [sample(ad, low=n) for n in range(3)]).json() == {"items": 3}
    summary = world.get("traffic/samples/").json()
    (topic,) = summary["topics"]
    assert summary["most"] == samples.KEPT
    assert (topic["topic"], topic["events"]) == ("quotes", 4)
    assert topic["publishers"] == [{"publisher": ad.planner_id, "events": 4}]
    assert topic["oldest"] < topic["newest"]
    assert samples.traffic([ad.planner_id]) == [sample(ad), *(sample(ad, low=n) for n in range(3))]
    assert samples.traffic([ad.planner_id], newest=1) == [sample(ad, low=2)]
    assert samples.traffic(["a999"]) == []
    ids = list(EventSample.objects.order_by("id").values_list("id", flat=True))
    found = samples.numbered([ad.planner_id], after=ids[0], until=ids[-2])
    assert found == list(zip(ids[1:-1], samples.traffic([ad.planner_id])[1:-1], strict=True))


def test_valid_ones_are_stored_and_the_others_reported(world, ad, pointers):
    body = [sample(ad), sample(ad, low=500), {"publisher": "a999", "values": VALUES}, sample(ad, low=7), 7]
    wrong = [(1, "outside_advertisement"), (2, "unknown_publisher"), (4, "wrong_type")]
    answer = world.post("traffic/samples/?atomic=false", body).json()
    assert (answer["items"], answer["refused"]) == (5, 3)
    assert [(error["index"], error["code"]) for error in answer["errors"]] == wrong
    assert [event["values"]["low"] for event in samples.traffic([ad.planner_id])] == [5, 7]
    assert pointers(world.post("traffic/samples/?atomic=false", body[1:2])) == [(0, "/values", wrong[0][1])]
    assert [(index, code) for index, _, code in pointers(world.post("traffic/samples/", body))] == wrong
    assert len(samples.traffic([ad.planner_id])) == 2


def test_samples_are_listed_one_by_one(world, ad, error, django_assert_max_num_queries):
    world.post("traffic/samples/", [sample(ad, low=n) for n in range(5)])
    with django_assert_max_num_queries(6):
        answer = world.get("traffic/samples/events/?topic=quotes&limit=2&ordering=-id").json()
    assert [row["values"]["low"] for row in answer["results"]] == [4, 3] and answer["next"]
    (row, _) = answer["results"]
    assert (row["topic"], row["publisher"], row["advertisement"]) == ("quotes", "exchange", ad.planner_id)
    assert world.get("traffic/samples/events/?publisher=nobody").json()["results"] == []
    assert error(world.get("traffic/samples/events/?topics=quotes"))["code"] == "unknown_parameter"


@pytest.mark.parametrize("name", ["a999", "q1", "exchange", "", "a", "a-1", "a١", "a" + "9" * 30])
def test_an_unknown_publisher_is_named(world, ad, error, name):
    found = error(world.post("traffic/samples/", {"publisher": name, "values": VALUES}))
    assert found["pointer"] == "/publisher" and found["value"] == name
    assert not EventSample.objects.exists()


def test_a_withdrawn_advertisement_publishes_no_more(world, ad, error, end):
    world.delete(f"advertisements/{ad.pk}/")
    assert world.post("traffic/samples/", sample(ad)).status_code == 201  # it may still have sent it
    end()
    assert error(world.post("traffic/samples/", sample(ad)))["code"] == "unknown_publisher"


def test_an_event_outside_its_advertisement_is_named(world, ad, pointers):
    answer = world.post(
        "traffic/samples/", [sample(ad), sample(ad, low=100), sample(ad), sample(ad, low=700)]
    )
    assert pointers(answer) == [
        (1, "/values", "outside_advertisement"),
        (3, "/values", "outside_advertisement"),
    ]
    assert "a" in answer.json()["errors"][0]["detail"] and "low < 100" in answer.json()["errors"][0]["detail"]
    assert not EventSample.objects.exists()


@pytest.mark.parametrize(
    ("values", "pointer"),
    [
        ({"low": 1.5}, "/values/low"),
        ({"low": True}, "/values/low"),
        ({"low": 1024}, "/values/low"),
        ({"side": "hold"}, "/values/side"),
        ({"nothing": 1}, "/values/nothing"),
        ({"symbol": None}, "/values/symbol"),
    ],
)
def test_a_value_that_the_topic_does_not_have_is_named(world, ad, error, values, pointer):
    assert error(world.post("traffic/samples/", sample(ad, **values)))["pointer"] == pointer


@pytest.mark.parametrize(
    "body", [{}, {"publisher": 7, "values": VALUES}, {"publisher": "a1", "values": []}, 5, []]
)
def test_a_body_of_another_shape_is_refused(world, ad, problem, body):
    problem(world.post("traffic/samples/", body), 400)


def test_a_missing_value_is_named(world, ad, error):
    body = sample(ad)
    del body["values"]["side"]
    assert error(world.post("traffic/samples/", body))["pointer"].startswith("/values")


def test_newest_samples_of_each_topic_stay(world, ad, monkeypatch, end):
    monkeypatch.setattr(samples, "KEPT", 3)
    other = {"name": "news", "attributes": [{"name": "urgent", "type": "bool"}]}
    world.post("topics/", other)
    world.post("advertisements/", {"publisher": "exchange", "topic": "news", "filter": ""})
    end()
    news = Advertisement.objects.get(topic__name="news")
    world.post("traffic/samples/", {"publisher": news.planner_id, "values": {"urgent": True}})
    world.post("traffic/samples/", [sample(ad, low=n) for n in range(5)])
    world.post("traffic/samples/", sample(ad, low=9))
    assert [row["values"]["low"] for row in samples.traffic([ad.planner_id])] == [3, 4, 9]
    assert {row["topic"]: row["events"] for row in world.get("traffic/samples/").json()["topics"]} == {
        "quotes": 3,
        "news": 1,
    }


def test_large_integers_and_doubles_come_back_as_they_were(world, end):
    big = {"name": "big", "min": str(-(2**63)), "max": str(2**63), "type": "int"}
    world.post(
        "topics/", {"name": "wide", "attributes": [big, {"name": "x", "type": "float", "min": 0, "max": 1}]}
    )
    world.post("advertisements/", {"publisher": "exchange", "topic": "wide", "filter": ""})
    end()
    ad = Advertisement.objects.get(topic=Topic.objects.get(name="wide"))
    body = {"publisher": ad.planner_id, "values": {"big": str(2**62 + 1), "x": 0.1}}
    assert world.post("traffic/samples/", body).status_code == 201
    assert samples.traffic([ad.planner_id]) == [body]


def test_they_go_with_their_advertisement(world, ad):
    world.post("traffic/samples/", sample(ad))
    EventSample.objects.all()
    Advertisement.objects.all().delete()
    assert not EventSample.objects.exists()
