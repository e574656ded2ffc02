"""Merged entries and budget curves over the API."""

import pytest
from django.utils import timezone

from controlplane.aggregation.models import AggregatedEntry
from controlplane.network.models import Switch
from controlplane.registry.models import Advertisement, Subscription
from controlplane.telemetry.models import EventSample
from tests.support.controlplane.prepared_rows import write_once


def announce(world, end):
    """h1 publishes, and h3 subscribes to eight separate regions; all events are in the upper half."""
    low = {"name": "low", "type": "int", "min": 0, "max": 1023}
    world.post("topics/", {"name": "heat", "attributes": [low]})
    world.post("advertisements/", {"publisher": "exchange", "topic": "heat", "filter": "low < 512"})
    wanted = [f"low in [{start}, {start + 31}]" for start in range(0, 512, 64)]
    world.post("subscriptions/", [{"subscriber": "bob", "topic": "heat", "filter": text} for text in wanted])
    end()
    ad = Advertisement.objects.get()
    EventSample.objects.bulk_create(
        EventSample(topic=ad.topic, advertisement=ad, values={"low": low}) for low in range(256, 512, 2)
    )


@pytest.fixture
def busy(world, end):
    write_once(announce, world, end)
    return world


@pytest.fixture
def entry(busy):
    return AggregatedEntry.objects.create(
        switch=Switch.objects.get(name="s1"),
        topic="heat",
        dz="01",
        subscriptions=list(Subscription.objects.order_by("id").values_list("pk", flat=True))[:5],
        measured=12.0,
        unwanted=1.0,
        expected=10.5,
        packets=900,
        window=1000,
        position=20,
        measured_at=timezone.now(),
    )


def test_an_entry_is_reported_with_what_it_costs(busy, viewer, entry):
    (row,) = viewer.get(f"switches/{entry.switch_id}/aggregated/").json()["results"]
    assert (row["topic"], row["dz"], row["in_port"], row["subscriptions"]) == ("heat", "01", None, 5)
    assert (row["measured"], row["expected"], row["unwanted"], row["packets"]) == (12.0, 10.5, 1.0, 900)
    assert (row["window"], row["position"]) == (1000, 20)
    assert viewer.get(f"switches/{entry.switch_id}/aggregated/?topic=news").json()["results"] == []
    other = Switch.objects.get(name="s2").pk
    assert viewer.get(f"switches/{other}/aggregated/").json()["results"] == []


def test_the_subscriptions_come_in_pages(viewer, entry):
    (row,) = viewer.get(f"switches/{entry.switch_id}/aggregated/").json()["results"]
    page = viewer.get(f"{row['subscriptions_url']}?limit=3&count=true").json()
    names = [one["name"] for one in page["results"]]
    assert page["count"] == 5 and len(names) == 3
    names += [one["name"] for one in viewer.get(page["next"]).json()["results"]]
    assert names == [f"q{pk}" for pk in entry.subscriptions]
    assert page["results"][0]["subscriber"] == "bob" and page["results"][0]["filter"].startswith("low in")


def test_what_is_not_there(viewer, entry, problem):
    problem(viewer.get("switches/999999999/aggregated/"), 404)
    problem(viewer.get("switches/999999999/budget-curve/"), 404)
    problem(viewer.get(f"switches/{entry.switch_id}/aggregated/999/subscriptions/"), 404)
    other = Switch.objects.get(name="s2").pk
    problem(viewer.get(f"switches/{other}/aggregated/{entry.pk}/subscriptions/"), 404)


def test_a_curve_goes_down_as_the_budget_goes_up(busy, viewer):
    pk = Switch.objects.get(name="s1").pk
    answer = viewer.get(f"switches/{pk}/budget-curve/?method=fa-pb")
    assert answer.status_code == 200, answer.content
    body = answer.json()
    assert (body["switch"], body["method"], body["events"]) == ("s1", "fa-pb", 128)
    points = body["points"]
    assert points[0]["budget"] == 1 and points[-1]["budget"] == 8
    assert all(point["entries"] <= point["budget"] for point in points)
    assert points[0]["needless"] > points[-1]["needless"] == 0


def test_a_curve_at_some_budgets(busy):
    pk = Switch.objects.get(name="s1").pk
    body = busy.get(f"switches/{pk}/budget-curve/?budgets=0,2,100").json()
    assert body["method"] == "optimal"
    assert [point["budget"] for point in body["points"]] == [0, 2, 100]
    assert body["points"][0] == {"budget": 0, "entries": None, "needless": None, "unwanted": None}


@pytest.mark.parametrize(
    ("query", "parameter"),
    [
        ("method=la", "method"),
        ("method=", "method"),
        ("budgets=-1", "budgets"),
        ("budgets=1.5", "budgets"),
        ("budgets=", "budgets"),
        ("budgets=" + ",".join(map(str, range(33))), "budgets"),
        ("budget=5", "budget"),
    ],
)
def test_a_bad_question_is_refused_by_name(busy, error, query, parameter):
    pk = Switch.objects.get(name="s1").pk
    assert error(busy.get(f"switches/{pk}/budget-curve/?{query}"))["parameter"] == parameter
