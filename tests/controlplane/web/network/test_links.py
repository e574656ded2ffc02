"""Links: two known switches, free ports, up and down."""

import pytest

from controlplane.network.models import Link, Port, Switch
from controlplane.requestlog.models import Request, State

GOOD = {"a": "s1", "a_port": 5, "b": "s3", "b_port": 5, "cost": 3}


def test_a_link_is_added_by_a_request(network):
    answer = network.post("links/", GOOD)
    assert answer.status_code == 202
    assert Request.objects.latest("id").payload == {"op": "add_link", "link": GOOD}
    link = answer.json()["object"]
    assert (link["type"], link["name"]) == ("link", "s1:5")
    shown = network.get(link["url"]).json()
    assert {key: shown[key] for key in GOOD} == GOOD and shown["up"] is True


BAD = [
    ({"a": "s9"}, "/a", "unknown_switch"),
    ({"b": "s9"}, "/b", "unknown_switch"),
    ({"b": "s1", "b_port": 6}, "/b", "self_link"),
    ({"a_port": 1}, "/a_port", "port_in_use"),
    ({"b_port": 1}, "/b_port", "port_in_use"),
    ({"a_port": 10}, "/a_port", "port_in_use"),
    ({"a_port": 0}, "/a_port", "out_of_range"),
    ({"a_port": 0xFFFFFF01}, "/a_port", "out_of_range"),
    ({"a_port": "000003"}, "/a_port", "wrong_type"),
    ({"a_port": 3.0}, "/a_port", "wrong_type"),
    ({"a_port": True}, "/a_port", "wrong_type"),
    ({"a_port": None}, "/a_port", "null"),
    ({"cost": 0}, "/cost", "out_of_range"),
    ({"cost": 1.5}, "/cost", "wrong_type"),
]


@pytest.mark.parametrize("change, pointer, code", BAD)
def test_a_bad_end_is_named(network, pointers, change, pointer, code):
    before = Link.objects.count()
    assert pointers(network.post("links/", {**GOOD, **change})) == [(None, pointer, code)]
    assert Link.objects.count() == before


@pytest.mark.parametrize("missing", ["a", "a_port", "b", "b_port"])
def test_a_link_with_one_end_is_refused(network, pointers, missing):
    body = {key: value for key, value in GOOD.items() if key != missing}
    assert pointers(network.post("links/", body)) == [(None, f"/{missing}", "required")]


def test_a_switch_cannot_be_linked_to_itself_over_one_port(network, pointers):
    found = pointers(network.post("links/", {"a": "s1", "a_port": 5, "b": "s1", "b_port": 5}))
    assert (None, "/b", "self_link") in found and (None, "/b_port", "port_in_use") in found


def test_ports_taken_within_a_list_are_found(network, pointers):
    items = [GOOD, {**GOOD, "a": "s2"}, {"a": "s3", "a_port": 6, "b": "s1", "b_port": 5}]
    assert pointers(network.post("links/", items)) == [
        (1, "/b_port", "port_in_use"),
        (2, "/b_port", "port_in_use"),
    ]


def test_the_port_of_a_standby_attachment_is_taken(network, error):
    host = {"name": "h4", "switch": "s1", "port": 4, "ip": "fd00::4", "mac": "02:00:00:00:00:04"}
    network.post("hosts/", {**host, "standby": [{"switch": "s3", "port": 5}]})
    assert "host h4, as standby" in error(network.post("links/", GOOD))["detail"]


def test_parallel_links_have_ports_of_their_own(network):
    items = [{**GOOD, "a_port": n, "b_port": n} for n in (20, 21, 22)]
    assert network.post("links/", items).status_code == 202
    assert network.get("links/?a=s1&b=s3&count=true").json()["count"] == 3


def test_the_largest_port_is_taken(network):
    answer = network.post("links/", {**GOOD, "a_port": 0xFFFFFF00})
    assert network.get(answer.json()["object"]["url"]).json()["a_port"] == 0xFFFFFF00


@pytest.mark.parametrize("up, op", [(False, "link_down"), (True, "link_up")])
def test_a_link_goes_up_and_down_by_a_request(network, end, up, op):
    end()
    (link,) = network.get("links/?b=s3").json()["results"]
    answer = network.patch(link["url"], {"up": up})
    assert answer.status_code == 202 and answer.json()["kind"] == op
    planned = {} if up else {"planned": True}
    assert Request.objects.latest("id").payload == {"op": op, "switch": "s2", "port": 2, **planned}
    assert answer.json()["object"]["url"] == link["url"]
    end()
    assert network.get(link["url"]).json()["up"] is up


def test_a_link_with_a_dead_port_is_not_taken_down_as_if_it_worked(network, end):
    end()
    (link,) = network.get("links/?b=s3").json()["results"]
    switch = Switch.objects.get(name="s2")
    Port.objects.create(switch=switch, number=2, name="p", mac="02:00:00:00:00:aa", up=False)
    assert network.patch(link["url"], {"up": False}).status_code == 202
    assert "planned" not in Request.objects.latest("id").payload


def test_the_ends_and_the_cost_of_a_link_stay(network, error):
    (link,) = network.get("links/?b=s3").json()["results"]
    assert error(network.patch(link["url"], {"cost": 5}))["code"] == "unknown_field"
    assert network.patch(link["url"], {}).json() == link


def test_a_link_goes_by_a_request(network, end, problem):
    end()
    (link,) = network.get("links/?b=s3").json()["results"]
    answer = network.delete(link["url"])
    assert answer.status_code == 202
    assert Request.objects.latest("id").payload == {"op": "remove_link", "switch": "s2", "port": 2}
    problem(network.patch(link["url"], {"up": False}), 409)
    end()
    problem(network.get(link["url"]), 404)
    assert network.get(answer.json()["url"]).json()["object"] == {
        "type": "link",
        "name": "s2:2",
        "id": None,
        "url": None,
    }


def test_a_link_that_failed_to_come_goes_at_once(network, end):
    end(State.FAILED, kind="add_link")
    (link,) = network.get("links/?b=s3").json()["results"]
    assert network.delete(link["url"]).status_code == 204
    assert Switch.objects.count() == 3
