"""Advertisements and subscriptions: from a filter to a logged request, and their withdrawal."""

import pytest

from controlplane.registry import announcements
from controlplane.registry.models import Advertisement, Subscription
from controlplane.requestlog.models import Request, State

KINDS = [
    ("advertisements", Advertisement, "publisher", "exchange", "a", "h1", "advertise", "unadvertise"),
    ("subscriptions", Subscription, "subscriber", "alice", "q", "h2", "subscribe", "unsubscribe"),
]
BOTH = pytest.mark.parametrize("resource, model, noun, name, prefix, host, op, withdraw", KINDS)


@BOTH
def test_one_is_logged_with_its_dz(world, woken, resource, model, noun, name, prefix, host, op, withdraw):
    answer = world.post(f"{resource}/", {noun: name, "topic": "quotes", "filter": "low < 512"})
    assert answer.status_code == 202
    body, row = answer.json(), model.objects.get()
    assert answer.headers["Location"] == body["url"] == f"/api/v1/requests/{row.request_id}/"
    assert (body["kind"], body["state"], body["matched"], body["progress"]) == (op, "queued", None, 0.0)
    assert (body["problem"], body["operation"], body["index"]) == (None, None, None)
    assert body["stage"]["received"] and body["stage"]["started"] is body["stage"]["confirmed"] is None
    url = f"/api/v1/{resource}/{row.pk}/"
    assert body["object"] == {"type": resource[:-1], "name": f"{prefix}{row.pk}", "id": row.pk, "url": url}
    assert Request.objects.get(pk=row.request_id).payload == {
        "op": op,
        "id": f"{prefix}{row.pk}",
        "host": host,
        "topic": "quotes",
        "filter": "low < 512",
        "dz": ["0"],
    }
    shown = world.get(url).json()
    assert (shown[noun], shown["host"], shown["topic"]) == (name, host, "quotes")
    assert (shown["filter"], shown["dz"], shown["state"]) == ("low < 512", ["0"], "queued")
    assert (shown["request"], shown["withdrawal"]) == (body["url"], None)


BAD_FILTERS = [
    ("low >", "filter_syntax"),
    ("low > 2000", "matches_nothing"),
    ("price > 1", "unknown_attribute"),
    ('low = "a"', "wrong_type"),
    ('side = "hold"', "unknown_value"),
    ("low = 1e999", "number_too_large"),
    ("low > 1e-999999999", "number_too_small"),
    ("(" * 500 + "low = 1" + ")" * 500, "too_deep"),
    ("low = " + "9" * 2000, "number_too_long"),
]


@pytest.mark.parametrize("text, code", BAD_FILTERS)
@BOTH
def test_a_bad_filter_is_explained(
    world, error, text, code, resource, model, noun, name, prefix, host, op, withdraw
):
    found = error(world.post(f"{resource}/", {noun: name, "topic": "quotes", "filter": text}))
    assert (found["pointer"], found["code"]) == ("/filter", code)
    assert not model.objects.exists()


@pytest.mark.parametrize(
    "change, code",
    [({}, "required"), ({"filter": None}, "null"), ({"filter": "undefined"}, "unknown_attribute")],
)
def test_missing_null_and_undefined_are_three_things(world, error, change, code):
    found = error(world.post("subscriptions/", {"subscriber": "alice", "topic": "quotes", **change}))
    assert (found["pointer"], found["code"]) == ("/filter", code)


@BOTH
def test_everything_unknown_is_named(
    world, pointers, resource, model, noun, name, prefix, host, op, withdraw
):
    assert pointers(world.post(f"{resource}/", {noun: "ghost", "topic": "nothing", "filter": "x = 1"})) == [
        (None, f"/{noun}", f"unknown_{noun}"),
        (None, "/topic", "unknown_topic"),
    ]
    assert pointers(world.post(f"{resource}/", {})) == [
        (None, f"/{noun}", "required"),
        (None, "/topic", "required"),
        (None, "/filter", "required"),
    ]
    found = pointers(world.post(f"{resource}/", {noun: "ghost", "topic": "quotes", "filter": "x = 1"}))
    assert found == [(None, f"/{noun}", f"unknown_{noun}"), (None, "/filter", "unknown_attribute")]


@pytest.mark.parametrize("text", ["", " ", "true", "TRUE"])
@BOTH
def test_the_whole_topic_can_be_announced(
    world, text, resource, model, noun, name, prefix, host, op, withdraw
):
    world.post(f"{resource}/", {noun: name, "topic": "quotes", "filter": text})
    assert model.objects.get().dz == [""]


@BOTH
def test_a_withdrawal_is_a_request(
    world, end, problem, resource, model, noun, name, prefix, host, op, withdraw
):
    world.post(f"{resource}/", {noun: name, "topic": "quotes", "filter": "true"})
    end()
    pk = model.objects.get().pk
    answer = world.delete(f"{resource}/{pk}/")
    assert answer.status_code == 202 and answer.json()["kind"] == withdraw
    assert answer.json()["object"]["id"] == pk
    assert Request.objects.latest("id").payload == {"op": withdraw, "id": f"{prefix}{pk}"}
    assert world.get(f"{resource}/{pk}/").json()["withdrawal"] == answer.json()["url"]
    assert "is being withdrawn" in problem(world.delete(f"{resource}/{pk}/"), 409)["detail"]
    end()
    assert world.get(f"{resource}/{pk}/").json()["state"] == "withdrawn"
    assert "was withdrawn" in problem(world.delete(f"{resource}/{pk}/"), 409)["detail"]
    assert Request.objects.filter(kind=withdraw).count() == 1


@BOTH
def test_a_failed_withdrawal_can_be_tried_again(
    world, end, resource, model, noun, name, prefix, host, op, withdraw
):
    world.post(f"{resource}/", {noun: name, "topic": "quotes", "filter": "true"})
    end()
    pk = model.objects.get().pk
    world.delete(f"{resource}/{pk}/")
    end(State.FAILED)
    assert world.delete(f"{resource}/{pk}/").status_code == 202


@BOTH
def test_what_failed_goes_at_once(
    world, end, problem, resource, model, noun, name, prefix, host, op, withdraw
):
    world.post(f"{resource}/", {noun: name, "topic": "quotes", "filter": "true"})
    end(State.FAILED, kind=op)
    pk = model.objects.get().pk
    assert world.get(f"{resource}/{pk}/").json()["state"] == "failed"
    assert world.delete(f"{resource}/{pk}/").status_code == 204
    problem(world.get(f"{resource}/{pk}/"), 404)
    assert not Request.objects.filter(kind=withdraw).exists()


@BOTH
def test_lists_are_filtered(world, end, resource, model, noun, name, prefix, host, op, withdraw):
    world.post(f"{resource}/", [{noun: name, "topic": "quotes", "filter": f"low < {n}"} for n in (5, 6, 7)])
    end()
    ids = list(model.objects.order_by("id").values_list("id", flat=True))
    world.delete(f"{resource}/{ids[0]}/")
    end()

    def found(query):
        return [row["id"] for row in world.get(f"{resource}/?{query}").json()["results"]]

    assert found("state=active") == ids[1:] and found("state=withdrawn") == ids[:1]
    assert found("state__in=active,withdrawn") == ids
    assert found(f"{noun}={name}&topic=quotes&host={host}") == ids and found(f"{noun}=nobody") == []
    assert found("q=%3C 6") == ids[1:2]
    assert found(f"id__gte={ids[1]}&id__lte={ids[1]}") == ids[1:2]
    assert found("ordering=-id") == ids[::-1]


def test_a_topic_that_changed_since_it_was_encoded_is_a_conflict(world, problem, monkeypatch):
    """The check is outside of the transaction; the transaction compares what it read."""
    checked = announcements.draft

    def then_changed(*args, **kwargs):
        drafts = checked(*args, **kwargs)
        type(drafts[0].topic).objects.update(indexed=["high"])
        return drafts

    monkeypatch.setattr(announcements, "draft", then_changed)
    answer = world.post("subscriptions/", {"subscriber": "alice", "topic": "quotes", "filter": "true"})
    assert "Send the call again" in problem(answer, 409)["detail"]
    assert not Subscription.objects.exists()
