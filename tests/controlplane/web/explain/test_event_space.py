"""`topics/<id>/space/`: the projection of an event space onto two attributes."""

import pytest

from controlplane.registry.models import Topic
from tests.support.controlplane.prepared_rows import write_once

ADVERTISE = {"publisher": "exchange", "topic": "quotes", "filter": 'low < 512 and side = "buy"'}


def announce(world, end):
    """Create one advertisement, three subscriptions, two events."""
    world.post("advertisements/", ADVERTISE)
    filters = ("low in [80, 100] or low = 7", 'high >= 50.0 and symbol = "IBM"', 'symbol prefix "A"')
    for text in filters:
        answer = world.post("subscriptions/", {"subscriber": "alice", "topic": "quotes", "filter": text})
        assert answer.status_code == 202
    end()
    name = world.get("advertisements/").json()["results"][0]
    event = {"low": 92, "high": 1.5, "open": True, "side": "buy", "symbol": "IBM"}
    samples = [{"publisher": f"a{name['id']}", "values": event | {"low": low}} for low in (92, 7)]
    assert world.post("traffic/samples/", samples).status_code == 201


@pytest.fixture
def pictured(world, end):
    write_once(announce, world, end)
    return world


def space(call, **query):
    pk = Topic.objects.get(name="quotes").pk
    answer = call.get(f"topics/{pk}/space/", query)
    assert answer.status_code == 200, answer.content
    return answer.json()


def test_numbers_are_at_their_values(pictured, viewer):
    body = space(viewer)
    assert (body["x"]["attribute"], body["y"]["attribute"]) == ("low", "high")
    assert (body["x"]["low"], body["x"]["high"], body["y"]["high"]) == (0, 1024, 100)
    (advertised,) = body["advertisements"]["items"]
    assert advertised["owner"] == "exchange" and advertised["boxes"] == [[0, 512, 0, 100]]
    newest, _, oldest = body["subscriptions"]["items"]
    assert newest["boxes"] == [[0, 1024, 0, 100]]
    assert sorted(oldest["boxes"]) == [[7, 8, 0, 100], [80, 101, 0, 100]]
    assert [(event["x"], event["y"]) for event in body["events"]["items"]] == [(7.5, 1.5), (92.5, 1.5)]
    boxes = [cell["box"] for cell in body["subscription_cells"]["items"]]
    assert any(left <= 92 and right >= 93 for left, right, _, _ in boxes)


def test_texts_have_room_where_they_occur(pictured):
    body = space(pictured, x="symbol", y="side")
    labels = {tick["label"]: tick["at"] for tick in body["x"]["ticks"]}
    assert {"IBM", "A"} <= labels.keys() and body["x"]["kind"] == "text"
    _, ibm, _ = body["subscriptions"]["items"]
    ((left, right, low, high),) = ibm["boxes"]
    assert right - left == 1 and left < labels["IBM"] < right and (low, high) == (0, 2)
    assert all(left < event["x"] < right for event in body["events"]["items"])
    assert [tick["label"] for tick in body["y"]["ticks"]] == ["buy", "sell"]


def test_labels_of_texts_have_whole_characters(pictured, end):
    """Byte 16 of the first two texts is inside a character; in the third text it ends a character."""
    for text in ("abcdefghijklmno\u00e9", "abcdefghijklmn\u20ac", "abcdefghijkl\U0001f600", "\u07ff"):
        body = {"subscriber": "alice", "topic": "quotes", "filter": f'symbol prefix "{text}"'}
        assert pictured.post("subscriptions/", body).status_code == 202
    end()
    labels = [tick["label"] for tick in space(pictured, x="symbol", y="side")["x"]["ticks"]]
    assert {"abcdefghijklmno…", "abcdefghijklmn…", "abcdefghijkl\U0001f600", "\u07ff"} <= set(labels)
    assert not any("\ufffd" in label or label == "…" for label in labels)
    assert len(set(labels)) == len(labels)


def test_the_picture_is_bounded_and_says_so(pictured):
    body = space(pictured, limit=1)
    counts = {name: (body[name]["total"], len(body[name]["items"])) for name in ("subscriptions", "events")}
    assert counts == {"subscriptions": (3, 1), "events": (2, 1)}
    assert body["subscriptions"]["truncated"] and not body["advertisements"]["truncated"]


def test_axes_that_are_none_are_refused(pictured):
    pk = Topic.objects.get(name="quotes").pk
    for query, name in (({"x": "lwo"}, "x"), ({"x": "low", "y": "low"}, "y"), ({"limit": "0"}, "limit")):
        answer = pictured.get(f"topics/{pk}/space/", query)
        assert answer.status_code == 400 and answer.json()["errors"][0]["parameter"] == name
    assert pictured.get("topics/0/space/").status_code == 404


def test_a_topic_shows_its_announcements(pictured):
    (topic,) = pictured.get("topics/").json()["results"]
    counts = {"publishers": 1, "advertisements": 1, "subscribers": 1, "subscriptions": 3}
    assert topic["counts"] == counts
    assert pictured.get(f"topics/{topic['id']}/").json()["counts"] == counts


CUTS = [["low", 92], ["symbol", "GO"], 1, 1, ["high", 50.0], ["low", 1000], 1, ["symbol", "IBM"], 0, 0, 2]


def test_cuts_are_lines_as_long_as_the_events_that_reach_them(pictured):
    assert space(pictured)["cuts"] == {"total": 0, "truncated": False, "items": []}
    Topic.objects.update(cuts=CUTS)
    body = space(pictured)
    lines = [(line["attribute"], line["value"], line["box"]) for line in body["cuts"]["items"]]
    assert lines == [
        ("low", 92, [92, 92, 0, 100]),
        ("high", 50.0, [92, 1024, 50, 50]),
        ("low", 1000, [1000, 1000, 0, 50]),
    ]
    boxes = [cell["box"] for cell in body["subscription_cells"]["items"]]
    assert [80, 92, 0, 100] not in boxes  # an axis that is not cut there: the cell is larger
    assert any(left < 92.5 < right for left, right, _, _ in boxes)
    assert all(right <= 92 or left >= 92 for left, right, _, _ in boxes if (left, right) != (0, 1024))
    texts = space(pictured, x="symbol", y="side")
    assert [line["value"] for line in texts["cuts"]["items"]] == ["GO", "IBM"]
    assert {"GO", "IBM"} <= {tick["label"] for tick in texts["x"]["ticks"]}
