"""`filters/preview/`: meaning and cost of a filter while a user types it; nothing is stored."""

import pytest

from controlplane.explain import call_cost
from controlplane.explain.filter_preview import preview as answer
from controlplane.registry.models import Advertisement
from controlplane.requestlog.models import Request
from tests.support.wide_filters import CROSSED, NEIGHBOURS, WIDE_TOPIC

ASK = {"topic": "quotes", "filter": "low in [80, 100]"}


def preview(call, **body):
    answer = call("filters/preview/", {**ASK, **body})
    assert answer.status_code == 200, answer.content
    return answer.json()


@pytest.mark.parametrize(
    ("text", "offset", "length", "expected"),
    [
        ("low <", 5, 0, "a number, a text in double quotes, true or false"),
        ("low < 5 high > 2", 8, 4, '"and", "or" or the end of the filter'),
        ("low < 5 and lwo > 2", 12, 3, None),
        ('symbol = "AA', 9, 1, None),
        ("low < true", 6, 4, None),
        ("low > 2000", None, None, None),
    ],
)
def test_an_error_is_reported_with_its_place(world, text, offset, length, expected):
    body = preview(world.post, filter=text, subscriber="alice")
    (mistake,) = body["errors"]
    assert not body["valid"] and body["dz"] == [] and body["cost"] is None
    found = (mistake["pointer"], mistake["offset"], mistake["length"], mistake["expected"])
    assert found == ("/filter", offset, length, expected)
    assert mistake["detail"] and mistake["code"]


def test_what_a_filter_means(world):
    body = preview(world.post, filter="  low>=80  and low<96", limit=1)
    assert body["valid"] and body["canonical"] == "low >= 80 and low < 96"
    assert body["volume"] == pytest.approx(16 / 1024) == body["covered"]
    assert body["excess"] == 0 == body["volume_error"]
    assert (len(body["dz"]), body["more"]) == (1, body["dz_cells"] - 1)
    rough = preview(world.post, filter='low = 5 and side = "buy"', limit=0)
    assert rough["volume"] == pytest.approx(1 / 2048)  # a strip; side is not indexed
    assert rough["dz"] == [] and rough["more"] == rough["dz_cells"]
    assert rough["excess"] == pytest.approx(rough["covered"] / rough["volume"] - 1) and rough["excess"] > 1


def test_an_estimated_volume_has_its_error(world):
    answer = world.post("topics/", WIDE_TOPIC)
    assert answer.status_code == 201, answer.content
    exact = preview(world.post, topic="wide", filter=NEIGHBOURS)
    assert (exact["volume"], exact["covered"]) == pytest.approx((0.075, 0.328), abs=0.001)
    assert (exact["excess"], exact["volume_error"]) == (pytest.approx(3.37, abs=0.001), 0)
    rough = preview(world.post, topic="wide", filter=CROSSED)
    assert 0 < rough["volume_error"] < 0.1
    assert 0 < rough["volume"] <= rough["covered"]
    assert rough["excess"] == pytest.approx(rough["covered"] / rough["volume"] - 1)
    assert preview(world.post, filter="low <")["volume_error"] is None


def test_whom_it_meets_and_what_it_costs(world, viewer, end):
    world.post("advertisements/", {"publisher": "exchange", "topic": "quotes", "filter": "low < 90"})
    world.post("advertisements/", {"publisher": "exchange", "topic": "quotes", "filter": "low > 500"})
    end()
    logged = Request.objects.count()
    body = preview(viewer.post, subscriber="alice")
    name = f"a{Advertisement.objects.earliest('id').pk}"
    assert body["overlap"] == {
        "kind": "advertisement",
        "matched": 1,
        "looked_at": 2,
        "total": 2,
        "names": [name],
    }
    cost = world.post("subscriptions/?dry_run=true", {**ASK, "subscriber": "alice"}).json()
    assert body["cost"]["entries"] == cost["entries"] and cost["entries"]
    assert body["cost"]["change"] == sum(entry["after"] - entry["before"] for entry in cost["entries"])
    assert body["cost"]["accepted"] and body["cost"]["matched"]
    at_host = preview(viewer.post, host="h2", kind="subscription")
    assert at_host["cost"] == body["cost"] and preview(viewer.post)["cost"] is None
    to_publish = preview(viewer.post, publisher="exchange")
    assert to_publish["overlap"]["kind"] == "subscription" and to_publish["cost"]["accepted"]
    assert Request.objects.count() == logged


def test_a_planner_that_is_busy_holds_up_nobody_who_types(world, monkeypatch):
    monkeypatch.setattr(answer, "PATIENCE", call_cost.Patience(seconds=5.0, waiting=1))
    body = preview(world.post, subscriber="alice")  # requests of the world are waiting
    assert body["valid"] and body["cost"] is None and "Try again" in body["unknown"]


def test_what_stands_around_the_filter_is_refused_as_ever(world, pointers):
    answer = world.post("filters/preview/", {"topic": "quotse", "filter": "low <", "subscriber": "carol"})
    assert pointers(answer) == [
        (None, "/topic", "unknown_topic"),
        (None, "/subscriber", "unknown_subscriber"),
    ]
    answer = world.post("filters/preview/", {**ASK, "kind": "advertisement", "subscriber": "alice"})
    assert pointers(answer) == [(None, "/subscriber", "does_not_fit")]
    assert pointers(world.post("filters/preview/", {"topic": "quotes"})) == [(None, "/filter", "required")]
