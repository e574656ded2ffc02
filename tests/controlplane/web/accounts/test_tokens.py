"""Tokens over REST: within the caller's own rights, shown once, unchangeable, revoked permanently."""

from dataclasses import replace
from datetime import timedelta
from importlib import import_module

import pytest
from django.apps import apps
from django.utils import timezone

from controlplane.accounts.models import Token
from controlplane.registry.models import Advertisement, Publisher, Subscriber
from controlplane.requestlog.models import Request
from controlplane.telemetry.models import TelemetryBatch, TrafficReport
from tests.support.controlplane.api_fixtures import issue, with_text


def test_a_token_is_shown_once_and_works(operator):
    answer = operator.post("tokens/", {"name": "nightly", "scopes": ["read"]})
    made = answer.json()
    assert answer.headers["Location"] == made["url"]
    assert (made["user"], made["scopes"], made["standing"]) == ("olga", ["read"], "good")
    reader = with_text(made["token"])
    assert reader.get("topics/").status_code == 200
    assert reader.post("topics/", {}).status_code == 403
    kept = operator.get(made["url"]).json()
    assert "token" not in kept and kept["last_used_at"] is not None
    assert made["token"] not in operator.get("tokens/").content.decode()
    assert operator.patch(made["url"], {"name": "x"}).status_code == 405


def test_scopes_are_those_of_the_role_unless_said_otherwise(operator, viewer, administrator):
    assert issue(operator)["scopes"] == ["read", "write"]
    assert issue(viewer)["scopes"] == ["read"]
    assert issue(administrator)["scopes"] == ["read", "write", "admin"]


def test_a_token_is_revoked_for_good(operator, problem):
    made = issue(operator)
    assert operator.delete(made["url"]).status_code == 204
    problem(with_text(made["token"]).get("me/"), 401)
    row = operator.get(made["url"]).json()
    assert row["standing"] == "revoked" and row["revoked_at"] is not None
    assert operator.delete(made["url"]).status_code == 204
    assert operator.get(made["url"]).json()["revoked_at"] == row["revoked_at"]
    names = [each["name"] for each in operator.get("tokens/?standing=good").json()["results"]]
    assert names == ["test"]


def test_nobody_sees_or_revokes_tokens_of_others_but_administrators(operator, viewer, administrator, problem):
    made = issue(operator)
    problem(viewer.get(made["url"]), 404)
    problem(viewer.delete(made["url"]), 404)
    assert {row["user"] for row in viewer.get("tokens/").json()["results"]} == {"vera"}
    assert {row["user"] for row in administrator.get("tokens/").json()["results"]} == {"olga", "vera", "adam"}
    assert [row["name"] for row in administrator.get("tokens/?user=olga&q=MAD").json()["results"]] == ["made"]
    assert administrator.delete(made["url"]).status_code == 204


def test_a_token_issues_none_that_is_good_for_more_or_longer(administrator, operator, error):
    soon = timezone.now() + timedelta(days=1)
    writer = with_text(issue(administrator, scopes=["write"], expires_at=soon.isoformat())["token"])
    assert error(writer.post("tokens/", {"name": "x", "scopes": ["read"]}), 403)["pointer"] == "/scopes"
    assert error(writer.post("tokens/", {"name": "x"}), 403)["pointer"] == "/expires_at"
    later = (soon + timedelta(seconds=1)).isoformat()
    assert error(writer.post("tokens/", {"name": "x", "expires_at": later}), 403)["pointer"] == "/expires_at"
    child = issue(writer, expires_at=soon.isoformat())
    assert child["scopes"] == ["write"]
    assert error(operator.post("tokens/", {"name": "x", "user": "adam"}), 403)["pointer"] == "/user"


def test_administrators_issue_tokens_of_others(administrator, make_user, error):
    make_user("robot", "operator")
    made = issue(administrator, user="robot")
    assert made["scopes"] == ["read", "write"]
    assert with_text(made["token"]).get("me/").json()["username"] == "robot"
    assert error(administrator.post("tokens/", {"name": "x", "user": "nobody"}))["code"] == "unknown_user"


@pytest.mark.parametrize(
    "body, pointer, code",
    [
        ({}, "/name", "required"),
        ({"name": "x", "scopes": []}, "/scopes", "empty"),
        ({"name": "x", "scopes": "read"}, "/scopes", "wrong_type"),
        ({"name": "x", "scopes": ["all"]}, "/scopes/0", "not_a_choice"),
        ({"name": "x", "scopes": ["client"]}, "/scopes", "not_a_choice"),
        ({"name": "x", "expires_at": "2020-01-01T00:00:00Z"}, "/expires_at", "out_of_range"),
        ({"name": "x", "expires_at": "tomorrow"}, "/expires_at", "not_a_time"),
        ({"name": "x", "publisher": "nobody"}, "/publisher", "unknown_publisher"),
        ({"name": "x", "subscriber": "nobody"}, "/subscriber", "unknown_subscriber"),
        ({"name": "x", "publisher": "exchange", "subscriber": "alice"}, "/publisher", "not_alone"),
        ({"name": "x", "publisher": "exchange", "scopes": ["read"]}, "/publisher", "not_alone"),
    ],
)
def test_bad_tokens_are_refused_by_name(world, error, body, pointer, code):
    found = error(world.post("tokens/", body))
    assert (found["pointer"], found["code"]) == (pointer, code)


def test_who_may_not_write_issues_no_client_tokens(world, viewer, administrator, error):
    assert (
        error(viewer.post("tokens/", {"name": "x", "publisher": "exchange"}), 403)["pointer"] == "/publisher"
    )
    body = {"name": "x", "user": "vera", "publisher": "exchange"}
    assert error(administrator.post("tokens/", body), 403)["pointer"] == "/publisher"


def test_a_publisher_advertises_leases_and_reports_with_its_token(world, end, error, problem):
    world.post("publishers/", {"name": "other", "host": "h1"})
    mine = with_text(issue(world, publisher="exchange")["token"])
    filters = ("low < 9", "low < 5")
    first, foreign = (
        world.post("advertisements/", {"publisher": name, "topic": "quotes", "filter": "true"}).json()
        for name in ("exchange", "other")
    )
    made = mine.post(
        "advertisements/", [{"publisher": "exchange", "topic": "quotes", "filter": f} for f in filters]
    )
    assert made.status_code == 202 and mine.get(made.json()["url"]).json()["items"] == 2
    assert len(mine.get(made.json()["results"]).json()["results"]) == 2
    end()
    found = error(
        mine.post("advertisements/", {"publisher": "other", "topic": "quotes", "filter": "true"}), 403
    )
    assert (found["pointer"], found["code"]) == ("/publisher", "forbidden")
    assert [row["filter"] for row in mine.get("advertisements/").json()["results"]] == ["true", *filters]
    for address in (foreign["object"]["url"], foreign["url"], f"{foreign['object']['url']}lease/"):
        problem(
            mine.get(address)
            if "lease" not in address
            else mine.post(address, {"holder": "x", "version": None}),
            404,
        )
    problem(mine.delete(foreign["object"]["url"]), 404)
    own = first["object"]
    assert mine.post(f"{own['url']}lease/", {"holder": "x", "version": None}).status_code == 200
    assert [row["name"] for row in mine.get("hosts/").json()["results"]] == ["h1"]
    assert [row["name"] for row in mine.get("publishers/").json()["results"]] == ["exchange"]
    assert mine.get(first["url"]).json()["state"] == "active"
    values = {"low": 1, "high": 1.0, "open": True, "side": "buy", "symbol": "A"}
    assert mine.post("traffic/samples/", {"publisher": own["name"], "values": values}).status_code == 201
    sample = {"publisher": foreign["object"]["name"], "values": values}
    assert error(mine.post("traffic/samples/", sample), 403)["pointer"] == "/publisher"
    counters = dict.fromkeys(("published", "wanted", "delivered", "lost", "doubled", "unwanted"), 1)
    assert mine.post("traffic/", {"reporter": "exchange", **counters}).status_code == 200
    assert error(mine.post("traffic/", {"reporter": "demo", **counters}), 403)["pointer"] == "/reporter"
    assert mine.delete(own["url"]).status_code == 202
    assert Advertisement.objects.get(pk=own["id"]).withdrawal is not None


def test_telemetry_of_others_is_refused(world, end, error):
    answer = world.post(
        "advertisements/", {"publisher": "exchange", "topic": "quotes", "filter": "true"}
    ).json()
    publisher = with_text(issue(world, publisher="exchange")["token"])
    subscriber = with_text(issue(world, subscriber="alice")["token"])
    row = {"topic": "quotes", "publisher": "a999", "seq": 1, "host": "h3"}
    for caller, dataset, pointer in (
        (publisher, "published", "/rows/0/publisher"),
        (subscriber, "delivered", "/rows/0/host"),
        (publisher, "delivered", "/dataset"),
        (subscriber, "published", "/dataset"),
    ):
        batch = {"id": "b1", "dataset": dataset, "rows": [row]}
        assert error(caller.post("telemetry/", batch), 403)["pointer"] == pointer
    now = timezone.now().isoformat()
    delivered = {
        **row,
        "publisher": answer["object"]["name"],
        "host": "h2",
        "received_at": now,
        "wanted": True,
    }
    batch = {"id": "b1", "dataset": "delivered", "rows": [{**delivered, "subscriptions": []}]}
    assert subscriber.post("telemetry/", batch).status_code == 201


def test_a_subscriber_subscribes_for_itself_alone(world, error):
    mine = with_text(issue(world, subscriber="alice")["token"])
    body = {"subscriber": "alice", "topic": "quotes", "filter": "low < 9"}
    made = mine.post("subscriptions/", body)
    assert made.status_code == 202 and mine.get(made.headers["Location"]).status_code == 200
    found = error(mine.post("subscriptions/", [body, {**body, "subscriber": "bob"}]), 403)
    assert (found["index"], found["pointer"]) == (1, "/subscriber")
    assert Request.objects.filter(kind="subscribe").count() == 1
    assert mine.get("topics/").json()["results"][0]["name"] == "quotes"


def test_a_client_token_goes_with_its_client(world, problem):
    mine = with_text(issue(world, subscriber="alice")["token"])
    world.delete(f"subscribers/{Subscriber.objects.get(name='alice').pk}/")
    problem(mine.get("me/"), 401)
    assert not Token.objects.filter(name="made").exists() and Publisher.objects.exists()


def test_a_client_token_issues_none(world, problem):
    mine = with_text(issue(world, subscriber="alice")["token"])
    problem(mine.post("tokens/", {"name": "x"}), 403)


def test_tokens_of_a_user_are_limited(operator, problem, monkeypatch):
    monkeypatch.setattr("controlplane.registry.client_tokens.MOST", 2)
    issue(operator)
    assert "Revoke" in problem(operator.post("tokens/", {"name": "x"}), 409)["detail"]


def test_a_publisher_a_subscriber_and_a_process_of_one_name_report_apart(world):
    world.post("subscribers/", {"name": "exchange", "host": "h1"})
    counters = dict.fromkeys(("published", "wanted", "delivered", "lost", "doubled", "unwanted"), 1)
    callers = {"": world}
    for kind in ("publisher", "subscriber"):
        callers[kind] = with_text(issue(world, **{kind: "exchange"})["token"])
    for number, caller in enumerate(callers.values(), 1):
        for _ in range(2):
            answer = caller.post("traffic/", {"reporter": "exchange", **counters, "published": number})
            assert answer.status_code == 200, answer.content
    rows = world.get("traffic/?reporter=exchange").json()["results"]
    assert [(row["kind"], row["published"]) for row in rows] == list(zip(callers, (1, 2, 3), strict=True))
    assert [row["id"] for row in world.get("traffic/?kind=publisher").json()["results"]] == [rows[1]["id"]]
    assert world.get("traffic/totals/").json()["published"] == 6
    TrafficReport.objects.exclude(kind="publisher").delete()
    TrafficReport.objects.update(kind="")  # a row of an earlier release
    TrafficReport.objects.create(reporter="demo")
    import_module("controlplane.telemetry.migrations.0007_kinds").fill(apps, None)
    assert list(TrafficReport.objects.values_list("reporter", "kind")) == [
        ("exchange", "publisher"),
        ("demo", ""),
    ]


def test_ids_of_telemetry_batches_belong_to_each_client(world, end, tmp_path, settings):
    settings.ENV = replace(settings.ENV, telemetry=tmp_path)
    world.post("publishers/", {"name": "other", "host": "h2"})
    at = timezone.now().isoformat()
    for name in ("exchange", "other"):
        world.post("advertisements/", {"publisher": name, "topic": "quotes", "filter": "true"})
        end()
        number = Advertisement.objects.latest("id").pk
        row = {"publisher": f"a{number}", "topic": "quotes", "host": "h1", "seq": 1, "published_at": at}
        row |= {"dz": "", "values": "{}"}
        batch = {"id": "1", "dataset": "published", "rows": [row]}
        caller = with_text(issue(world, publisher=name)["token"])
        for replayed in (False, True):
            answer = caller.post("telemetry/", batch)
            assert answer.status_code == 201, answer.content
            assert answer.json()["replayed"] is replayed
    (first, second) = TelemetryBatch.objects.order_by("id")
    assert first.actor == second.actor and first.client != second.client
    first.delete()
    TelemetryBatch.objects.update(client="")  # a row of an earlier release
    assert caller.post("telemetry/", batch).json()["replayed"] is True
