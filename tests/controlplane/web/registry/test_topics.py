"""Topics: their codes, their attributes, the indexed attributes, and their removal."""

import json

import pytest

from controlplane.accounts.models import Token
from controlplane.accounts.tokens import new_token
from controlplane.planning import planner_state
from controlplane.registry.models import Advertisement, Publisher, Subscriber, Topic
from controlplane.requestlog.models import Request, State
from tercast.eventspace.address_plan import AddressPlan
from tests.support.controlplane.api_fixtures import TOPIC, Caller

SMALL = {"name": "news", "attributes": [{"name": "urgent", "type": "bool"}]}
PAIR = {"name": "pair", "attributes": [{"name": "a", "type": "bool"}, {"name": "b", "type": "bool"}]}


def test_a_topic_is_registered_and_logged(operator):
    answer = operator.post("topics/", TOPIC)
    assert answer.status_code == 201
    body = answer.json()
    assert answer.headers["Location"] == body["url"]
    assert (body["name"], body["code"], body["indexed"]) == ("quotes", 0, ["low", "high"])
    assert body["attributes"] == TOPIC["attributes"]
    assert operator.get(body["url"]).json() == body
    logged = Request.objects.get()
    assert body["request"] == f"/api/v1/requests/{logged.pk}/"
    assert logged.payload == {
        "op": "add_topic",
        "topic": {
            "name": "quotes",
            "code": 0,
            "attributes": TOPIC["attributes"],
            "indexed": ["low", "high"],
        },
    }


def test_codes_are_the_lowest_free_even_ones(operator):
    codes = [operator.post("topics/", {**SMALL, "name": f"t{n}"}).json()["code"] for n in range(3)]
    assert codes == [0, 2, 4]
    Topic.objects.filter(code=2).delete()
    assert operator.post("topics/", {**SMALL, "name": "again"}).json()["code"] == 2


def test_a_code_may_be_asked_for(operator, error):
    assert operator.post("topics/", {**SMALL, "code": 400}).json()["code"] == 400
    for code, kind in ((400, "not_unique"), (401, "bad_code"), (65536, "bad_code"), (2**80, "bad_code")):
        assert error(operator.post("topics/", {**SMALL, "name": "b", "code": code}))["code"] == kind


def test_without_a_free_code_there_is_no_topic(operator, problem, monkeypatch):
    monkeypatch.setattr("controlplane.registry.topics.address_plan", lambda: AddressPlan.default("ipv4"))
    assert operator.post("topics/", SMALL).json()["code"] == 0
    assert "topic codes" in problem(operator.post("topics/", {**SMALL, "name": "b"}), 409)["detail"]


def test_all_attributes_are_indexed_by_default(operator):
    assert operator.post("topics/", PAIR).json()["indexed"] == ["a", "b"]


def test_names_are_unique(operator, error):
    operator.post("topics/", SMALL)
    assert error(operator.post("topics/", SMALL)) == {
        "pointer": "/name",
        "code": "not_unique",
        "detail": f'name "news" is already used by topic {Topic.objects.get().pk}. Use another value.',
        "value": "news",
    }


BAD_ATTRIBUTES = [
    ([], "/attributes"),
    ("low", "/attributes"),
    ([7], "/attributes/0"),
    ([{"name": "a"}], "/attributes/0/type"),
    ([{"name": "a", "type": "date"}], "/attributes/0/type"),
    ([{"name": "a", "type": "int", "min": 0}], "/attributes/0/max"),
    ([{"name": "a", "type": "int", "min": 5, "max": 4}], "/attributes/0/min"),
    ([{"name": "a", "type": "int", "min": 0.5, "max": 4}], "/attributes/0/min"),
    ([{"name": "a", "type": "int", "min": True, "max": 4}], "/attributes/0/min"),
    ([{"name": "a", "type": "int", "min": "x", "max": 4}], "/attributes/0/min"),
    ([{"name": "a", "type": "int", "min": "0", "max": 4}], "/attributes/0/min"),
    ([{"name": "a", "type": "int", "min": 0, "max": "018446744073709551615"}], "/attributes/0/max"),
    ([{"name": "a", "type": "float", "min": 1, "max": 1}], "/attributes/0/min"),
    ([{"name": "a", "type": "float", "min": None, "max": 1}], "/attributes/0/min"),
    ([{"name": "a", "type": "enum", "values": []}], "/attributes/0/values"),
    ([{"name": "a", "type": "enum", "values": ["x", "x"]}], "/attributes/0/values/1"),
    ([{"name": "a", "type": "enum", "values": [None]}], "/attributes/0/values/0"),
    ([{"name": "a", "type": "bool", "min": 0}], "/attributes/0/min"),
    ([{"name": "not", "type": "bool"}], "/attributes/0/name"),
    ([{"name": "1a", "type": "bool"}], "/attributes/0/name"),
    ([{"name": "a", "type": "bool"}, {"name": "a", "type": "bool"}], "/attributes/1/name"),
]


@pytest.mark.parametrize("attributes, where", BAD_ATTRIBUTES)
def test_bad_attributes_are_named(operator, error, attributes, where):
    found = error(operator.post("topics/", {"name": "t", "attributes": attributes}))
    assert found["pointer"] == where and found["detail"]
    assert not Topic.objects.exists() and not Request.objects.exists()


def test_all_bad_attributes_are_reported(operator, pointers):
    attributes = [{"name": "a", "type": "date"}, {"name": "b", "type": "bool"}, 7]
    found = pointers(operator.post("topics/", {"name": "t", "attributes": attributes}))
    assert [pointer for _, pointer, _ in found] == ["/attributes/0/type", "/attributes/2"]


@pytest.mark.parametrize("indexed", [[], ["c"], ["a", "a"], "a", None, [1], {"a": 1}])
def test_bad_indexed_names_are_refused(operator, error, indexed):
    assert error(operator.post("topics/", {**PAIR, "indexed": indexed}))["pointer"].startswith("/indexed")
    pk = operator.post("topics/", PAIR).json()["id"]
    assert error(operator.patch(f"topics/{pk}/", {"indexed": indexed}))["pointer"].startswith("/indexed")


def test_what_is_indexed_changes_by_a_request(world, end, problem):
    end()
    pk = Topic.objects.get().pk
    answer = world.patch(f"topics/{pk}/", {"indexed": ["symbol", "low"]})
    assert answer.status_code == 202 and answer.json()["kind"] == "set_indexed"
    assert answer.json()["object"]["url"] == f"/api/v1/topics/{pk}/"
    logged = Request.objects.get(kind="set_indexed")
    assert logged.payload == {"op": "set_indexed", "topic": "quotes", "indexed": ["low", "symbol"]}
    assert world.get(f"topics/{pk}/").json()["indexed"] == ["low", "high"]
    assert "Wait" in problem(world.patch(f"topics/{pk}/", {"indexed": ["low"]}), 409)["detail"]


def test_while_indexed_changes_filters_are_encoded_by_the_planner(world, end):
    end()
    pk = Topic.objects.get().pk
    body = {"publisher": "exchange", "topic": "quotes", "filter": "low < 512"}
    world.post("publishers/", [{"name": f"p{n}", "host": "h1"} for n in (1, 2)])
    world.post("advertisements/", body)
    end()
    world.patch(f"topics/{pk}/", {"indexed": ["high"]})
    world.post("advertisements/", {**body, "publisher": "p1"})
    before, meanwhile = Request.objects.filter(kind="advertise").order_by("id")
    assert before.payload["dz"] == ["0"] and "dz" not in meanwhile.payload
    end()
    world.post("advertisements/", {**body, "publisher": "p2"})
    assert Request.objects.filter(kind="advertise").latest("id").payload["dz"] == [""]
    shown = world.get("advertisements/").json()["results"]
    assert [row["dz"] for row in shown] == [[""]] * 3  # low is no longer indexed


def test_a_topic_in_use_stays(world, end, problem):
    pk = Topic.objects.get().pk
    world.post("advertisements/", {"publisher": "exchange", "topic": "quotes", "filter": "true"})
    world.post(
        "subscriptions/",
        [{"subscriber": name, "topic": "quotes", "filter": "true"} for name in ("alice", "bob")],
    )
    detail = problem(world.delete(f"topics/{pk}/"), 409)["detail"]
    assert detail.endswith("first withdraw its 1 advertisement and 2 subscriptions.")
    end()
    problem(world.delete(f"topics/{pk}/"), 409)


def test_a_topic_that_nothing_uses_goes(world, end, problem, error):
    pk = Topic.objects.get().pk
    world.post("advertisements/", {"publisher": "exchange", "topic": "quotes", "filter": "true"})
    world.delete(f"advertisements/{Advertisement.objects.get().pk}/")
    end()
    assert world.delete(f"topics/{pk}/").status_code == 204
    assert Request.objects.latest("id").payload == {"op": "remove_topic", "topic": "quotes"}
    problem(world.get(f"topics/{pk}/"), 404)
    problem(world.delete(f"topics/{pk}/"), 404)
    assert world.get("topics/").json()["results"] == []
    assert "being removed" in error(world.post("topics/", TOPIC))["detail"]
    assert (
        error(world.post("subscriptions/", {"subscriber": "bob", "topic": "quotes", "filter": ""}))["code"]
        == "unknown_topic"
    )
    end()
    assert world.post("topics/", TOPIC).status_code == 201
    assert Topic.objects.count() == 1


def test_a_topic_that_failed_to_come_goes_at_once(world, end, error):
    end(State.FAILED, kind="add_topic")
    body = {"publisher": "exchange", "topic": "quotes", "filter": "true"}
    assert error(world.post("advertisements/", body))["code"] == "not_in_network"
    assert world.delete(f"topics/{Topic.objects.get().pk}/").status_code == 204
    assert not Topic.objects.exists() and not Request.objects.filter(kind="remove_topic").exists()


NUMBERS = [
    ("int", 0, 2**53 - 1, 0, 2**53 - 1),
    ("int", -(2**53), 2**53, str(-(2**53)), str(2**53)),
    ("int", -5, "18446744073709551615", -5, "18446744073709551615"),
    ("int", 0, 10**900, 0, str(10**900)),
    ("float", -0.0, 31.333846775201351, 0.0, 31.333846775201351),
    ("float", 1e-310, 1.7976931348623157e308, 1e-310, 1.7976931348623157e308),
    ("float", 0.1, 0.30000000000000004, 0.1, 0.30000000000000004),
]


@pytest.mark.parametrize("kind, low, high, shown_low, shown_high", NUMBERS)
def test_bounds_keep_every_digit(operator, kind, low, high, shown_low, shown_high):
    """Integers beyond 2^53-1 are decimal strings in answers and either in calls; doubles are exact."""
    attributes = [{"name": "a", "type": kind, "min": low, "max": high}]
    pk = operator.post("topics/", {"name": "t", "attributes": attributes}).json()["id"]
    shown = json.loads(operator.get(f"topics/{pk}/").content)["attributes"]
    assert shown == [{"name": "a", "type": kind, "min": shown_low, "max": shown_high}]
    again = operator.post("topics/", {"name": "u", "attributes": shown})
    assert again.json()["attributes"] == shown


@pytest.mark.parametrize("text", ["31.333846775201351", "1e-310", "-0.0", "0"])
def test_filters_take_every_double(operator, text):
    attributes = [{"name": "a", "type": "float", "min": -1.0, "max": 100.0}]
    operator.post("topics/", {"name": "t", "attributes": attributes})
    operator.post("switches/", {"name": "s1", "dpid": "0000000000000001"})
    operator.post(
        "hosts/", {"name": "h1", "switch": "s1", "port": 1, "ip": "fd00::1", "mac": "02:00:00:00:00:01"}
    )
    operator.post("subscribers/", {"name": "alice", "host": "h1"})
    body = {"subscriber": "alice", "topic": "t", "filter": f"a = {text}"}
    answer = operator.post("subscriptions/", body)
    assert answer.status_code == 202
    shown = operator.get(answer.json()["object"]["url"]).json()
    assert shown["filter"] == f"a = {text}" and len(shown["dz"]) == 1


HUGE = {
    "name": "wide",
    "attributes": [{"name": "a", "type": "float", "min": -1.5e300, "max": 1.7976931348623157e308}],
}


def test_huge_doubles_reach_the_planner_whole(operator, end):
    """PostgreSQL returns 1e+300 as an integer of 301 digits; neither topic nor log may change by that."""
    operator.post("topics/", HUGE)
    attributes = Topic.objects.get().attributes
    assert attributes == HUGE["attributes"] and type(attributes[0]["max"]) is float
    logged = Request.objects.get().payload["topic"]["attributes"][0]
    assert type(logged["min"]) is type(logged["max"]) is float
    end()
    assert "wide" in planner_state.current_planner().topics


def test_a_client_token_sees_the_counts_of_its_own(world, make_user, end):
    filters = [{"topic": "quotes", "filter": f"low > {n}"} for n in range(3)]
    for who, mine in (("alice", filters[:2]), ("bob", filters)):
        assert world.post("subscriptions/", [{"subscriber": who, **each} for each in mine]).status_code == 202
    world.post("advertisements/", {"publisher": "exchange", "topic": "quotes", "filter": "true"})
    end()
    (topic,) = world.get("topics/").json()["results"]
    assert topic["counts"] == {"publishers": 1, "advertisements": 1, "subscribers": 2, "subscriptions": 5}
    alice = client_of(make_user("ines", "operator"), subscriber=Subscriber.objects.get(name="alice"))
    exchange = client_of(make_user("olaf", "operator"), publisher=Publisher.objects.get(name="exchange"))
    mine = {"publishers": 0, "advertisements": 0, "subscribers": 1, "subscriptions": 2}
    assert alice.get(topic["url"]).json()["counts"] == mine
    assert [row["counts"] for row in alice.get("topics/").json()["results"]] == [mine]
    its = {"publishers": 1, "advertisements": 1, "subscribers": 0, "subscriptions": 0}
    assert exchange.get(topic["url"]).json()["counts"] == its


def client_of(user, **client):
    caller = Caller()
    text = new_token(Token(user=user, name="test", **client), ("client",))
    caller.credentials(HTTP_AUTHORIZATION=f"Bearer {text}")
    return caller


def test_all_errors_with_a_topic_are_reported_together(world, pointers):
    many = [{"name": f"a{n}", "type": "bool"} for n in range(65)]
    found = pointers(world.post("topics/", {"name": "quotes", "code": 3, "attributes": many}))
    assert sorted(pointer for _, pointer, _ in found) == ["/attributes", "/code", "/name"]
    twice = {**PAIR, "name": "quotes", "indexed": ["a", "a"]}
    found = pointers(world.post("topics/", twice))
    assert sorted(pointer for _, pointer, _ in found) == ["/indexed/1", "/name"]
    bad = [{"name": "a", "type": "int", "min": 2, "max": 1}, {"name": "b", "type": "no"}]
    found = pointers(world.post("topics/", {"name": "quotes", "attributes": bad}))
    assert len(found) == len(set(found)) == 3
