"""`/api/v1/explain/`: events of the running network."""

import threading

import pytest
from django.utils import timezone

from controlplane.explain import explanation as explain_answer
from controlplane.network.models import Switch
from controlplane.planning import confirmed_entries, planner_state
from controlplane.requestlog.models import Request, State
from tercast.planner.planner import Outcome, Planner
from tercast.tables.entries import difference
from tests.support.controlplane.api_fixtures import end, error, problem
from tests.support.controlplane.prepared_rows import write_once

VALUES = '{"low": 92, "high": 1.5, "open": true, "side": "buy", "symbol": "IBM"}'
PAIRS = "low=92,high=1.5,open=true,side=buy,symbol=IBM"


def confirm():
    """Let the switches confirm the complete plan."""
    planner = planner_state.load().planner
    for switch in Switch.objects.all():
        table = planner.table(switch.name)
        confirmed_entries.change(
            switch, difference(switch.name, confirmed_entries.table(switch), table), timezone.now()
        )


def announce(world):
    """Create an advertisement at h1, and subscriptions at h2 and h3."""
    for resource, body in (
        ("advertisements", {"publisher": "exchange", "topic": "quotes", "filter": "low < 512"}),
        ("subscriptions", {"subscriber": "alice", "topic": "quotes", "filter": "low in [80, 100]"}),
        ("subscriptions", {"subscriber": "bob", "topic": "quotes", "filter": "low > 200"}),
    ):
        assert world.post(f"{resource}/", body).status_code == 202
    end()
    confirm()


@pytest.fixture
def busy(world):
    write_once(announce, world)
    return world


def explained(caller, publisher="exchange", values=VALUES, **more):
    query = {"publisher": publisher, "values": values, "trace": "false", **more}
    answer = caller.get("explain/", query)
    assert answer.status_code == 200, answer.content
    return answer.json()


def reasons(answer):
    return {row["host"]: row["reason"] for row in answer["received"] + answer["not_received"]}


def test_it_shows_the_path_and_the_receivers(busy):
    ad = busy.get("advertisements/").json()["results"][0]["id"]
    answer = explained(busy)
    event = answer["event"]
    assert (event["publisher"], event["advertisement"], event["host"]) == ("exchange", f"a{ad}", "h1")
    assert (event["switch"], event["port"], event["problem"]) == ("s1", 10, None)
    assert event["address"].startswith("ff0e:")
    assert [hop["switch"] for hop in answer["path"]] == ["s1", "s2"]
    alice = busy.get("subscriptions/", {"subscriber": "alice"}).json()["results"][0]["id"]
    assert answer["path"][0]["origin"]["subscriptions"] == [f"q{alice}"]
    assert reasons(answer) == {"h1": "no_subscription", "h2": "match", "h3": "no_match"}
    row = answer["received"][0]["subscriptions"][0]
    assert (row["subscriber"], row["filter"]) == ("alice", "low in [80, 100]")


def test_publisher_by_name_id_or_advertisement_and_values_as_json_or_pairs(busy):
    ad = busy.get("advertisements/").json()["results"][0]["id"]
    pk = busy.get("publishers/").json()["results"][0]["id"]
    answer = explained(busy)
    for publisher in (f"a{ad}", str(pk)):
        for values in (VALUES, PAIRS):
            assert explained(busy, publisher, values) == answer


def test_a_viewer_may_ask(busy, viewer):
    assert reasons(explained(viewer))["h2"] == "match"


def test_what_the_switches_lack_is_named(busy):
    Switch.objects.get(name="s2").entries.all().delete()
    answer = explained(busy)
    assert reasons(answer)["h2"] == "entry_missing"
    assert answer["not_received"][1]["at_switch"] == "s2"


def test_what_is_not_active_yet_and_what_is_withdrawn(busy):
    busy.post("subscriptions/", {"subscriber": "bob", "topic": "quotes", "filter": "low = 92"})
    answer = explained(busy)
    assert reasons(answer)["h3"] == "not_active"
    assert "is queued" in answer["not_received"][-1]["detail"]
    end(State.DEPLOYING)
    assert reasons(explained(busy))["h3"] == "not_active"
    confirm()
    assert reasons(explained(busy))["h3"] == "match"
    pk = busy.get("subscriptions/", {"subscriber": "alice"}).json()["results"][0]["id"]
    busy.delete(f"subscriptions/{pk}/")
    assert reasons(explained(busy))["h2"] == "match"
    end()
    answer = explained(busy)
    assert reasons(answer)["h2"] == "stale_entry"
    kinds = [hop["origin"]["kind"] for hop in answer["path"]]
    assert kinds == ["unplanned", "unplanned", "exact"]
    confirm()
    assert reasons(explained(busy))["h2"] == "withdrawn"


def test_events_that_are_not_sent(busy):
    outside = VALUES.replace("92", "900")
    answer = explained(busy, values=outside)
    assert answer["event"]["problem"] == "outside_advertisement"
    assert (answer["path"], reasons(answer)["h3"]) == ([], "outside_advertisement")
    busy.post("publishers/", {"name": "silent", "host": "h2"})
    answer = explained(busy, publisher="silent", topic="quotes")
    assert answer["event"]["problem"] == "no_advertisement"
    assert reasons(answer)["h2"] == "no_advertisement"


@pytest.mark.parametrize(
    ("query", "parameter", "code"),
    [
        ({"values": PAIRS}, "publisher", "required"),
        ({"publisher": "exchange"}, "values", "required"),
        ({"publisher": "exchange", "values": PAIRS, "trace": "yes"}, "trace", "not_a_flag"),
        ({"publisher": "exchange", "values": "low"}, "values", "bad_value"),
        (
            {"publisher": "exchange", "values": VALUES.replace('"low": 92, ', "")},
            "values",
            "missing_attribute",
        ),
        ({"publisher": "exchange", "values": PAIRS.replace("92", "x")}, "values", "wrong_type"),
        ({"publisher": "exchange", "values": PAIRS, "topic": "none"}, "topic", "unknown_topic"),
        ({"publisher": "exchange", "values": PAIRS, "at": "now"}, "at", "unknown_parameter"),
        ({"publisher": "exchange", "values": "x" * 20000}, "values", "too_long"),
        ({"publisher": "x" * 501, "values": PAIRS}, "publisher", "too_long"),
    ],
)
def test_refusals_name_the_parameter(busy, query, parameter, code):
    found = error(busy.get("explain/", query))
    assert (found["parameter"], found["code"]) == (parameter, code)


def test_the_place_within_the_values_is_reported(busy):
    found = error(busy.get("explain/", {"publisher": "exchange", "values": PAIRS.replace("92", "5000")}))
    assert (found["pointer"], found["code"]) == ("/low", "out_of_domain")


@pytest.mark.parametrize("publisher", ["nobody", "a999", "999", "a" + "9" * 30, "a-1", "٣"])
def test_who_is_not_there(busy, publisher):
    answer = busy.get("explain/", {"publisher": publisher, "values": PAIRS})
    assert answer.status_code in (404, 400)
    problem(answer, answer.status_code)


def test_nobody_else_may_ask(anonymous):
    problem(anonymous.get("explain/", {"publisher": "x", "values": "y"}), 401)
    assert anonymous.post("explain/", {}).status_code in (401, 405)


def refused(caller, **query):
    errors = problem(caller.get("explain/", query), 400)["errors"]
    return [(one["parameter"], one["pointer"], one["code"]) for one in errors]


def test_all_errors_are_reported_together(busy):
    wrong = '{"low": "x", "high": 1.5, "open": 3, "moon": 1, "sun": 2}'
    expected = [
        ("values", "/low", "wrong_type"),
        ("values", "/open", "wrong_type"),
        ("values", "/side", "missing_attribute"),
        ("values", "/symbol", "missing_attribute"),
        ("values", "/moon", "unknown_attribute"),
        ("values", "/sun", "unknown_attribute"),
    ]
    assert refused(busy, publisher="exchange", values=wrong) == expected
    assert refused(busy, publisher="exchange", values="low=x,high=1.5,open=3,moon=1,sun=2") == expected
    answer = busy.get("explain/", {"publisher": "exchange", "values": wrong}).json()
    assert '"side" has no value' in answer["errors"][2]["detail"]
    assert refused(busy) == [("publisher", "", "required"), ("values", "", "required")]
    assert refused(busy, publisher="x" * 501, values="low,low=1,low=2", trace="yes") == [
        ("publisher", "", "too_long"),
        ("values", "", "bad_value"),
        ("values", "/low", "duplicate"),
        ("trace", "", "not_a_flag"),
    ]


@pytest.mark.parametrize(
    ("publisher", "code"),
    [("9" * 30, "out_of_range"), ("a" + "9" * 30, "out_of_range"), ("a01", "not_an_id")],
)
def test_an_id_that_is_none_is_an_error_of_publisher(busy, publisher, code):
    found = error(busy.get("explain/", {"publisher": publisher, "values": PAIRS}))
    assert (found["parameter"], found["code"], found["value"]) == ("publisher", code, publisher)
    assert publisher[:20] in found["detail"]


def test_a_topic_that_the_planner_has_yet_to_take_up(busy):
    body = {"name": "later", "attributes": [{"name": "low", "type": "int", "min": 0, "max": 9}]}
    answer = busy.post("topics/", body)
    assert answer.status_code == 201, answer.content
    query = {"publisher": "exchange", "values": "low=1", "topic": "later", "trace": "false"}
    found = error(busy.get("explain/", query), 409)
    assert (found["parameter"], found["code"]) == ("topic", "not_active")
    assert f"request {answer.json()['request'].split('/')[-2]} that adds it" in found["detail"]
    end()
    assert explained(busy, values="low=1", topic="later")["event"]["problem"] == "no_advertisement"


def test_no_answer_in_time_is_503_and_the_work_goes_on(busy, monkeypatch):
    go_on, applied = threading.Event(), []
    apply = Planner.apply

    def slow(planner, payload):
        applied.append(payload)
        assert go_on.wait(60)
        return apply(planner, payload)

    monkeypatch.setattr(Planner, "apply", slow)
    monkeypatch.setattr(explain_answer, "SECONDS", 0.2)
    query = {"publisher": "exchange", "values": VALUES, "trace": "false"}
    for _ in range(2):  # the second time another call holds the planner
        answer = busy.get("explain/", query)
        assert problem(answer, 503)["type"].endswith(":busy")
        assert (answer.headers["Retry-After"], "Try again" in answer.json()["detail"]) == ("10", True)
        assert len(applied) == 1
    go_on.set()
    monkeypatch.setattr(explain_answer, "SECONDS", 60)
    assert reasons(explained(busy))["h2"] == "match"
    assert len(applied) == Request.objects.count()  # each request once


def test_a_failure_during_an_update_is_reported(busy, monkeypatch):
    monkeypatch.setattr(Planner, "apply", lambda *_: Outcome(False))
    with pytest.raises(planner_state.ReplayError), planner_state.reading(60):
        pass
    assert not planner_state._reader_lock.locked()
