"""Switches: creation, budgets, up and down, and removal."""

import pytest

from controlplane.network.models import InstalledEntry, Port, Switch
from controlplane.requestlog.models import Request, State


def switch(world, name):
    return world.get(f"switches/?name={name}").json()["results"][0]


def test_a_switch_is_added_by_a_request(operator):
    answer = operator.post(
        "switches/", {"name": "s1", "dpid": "00000000000000a1", "label": "Zürich", "latitude": 47.4}
    )
    assert answer.status_code == 202 and answer.json()["kind"] == "add_switch"
    assert Request.objects.get().payload == {
        "op": "add_switch",
        "switch": {"id": "s1", "dpid": "00000000000000a1", "tcam_budget": None},
    }
    shown = operator.get(answer.json()["object"]["url"]).json()
    assert (shown["name"], shown["label"], shown["latitude"]) == ("s1", "Zürich", 47.4)
    assert (shown["tcam_budget"], shown["entries"], shown["up"], shown["ports"]) == (None, 0, True, [])
    assert shown["request"] == answer.json()["url"] and shown["removal"] is None


def test_it_shows_its_ports_and_entries(network, django_assert_max_num_queries):
    row = Switch.objects.get(name="s1")
    Port.objects.create(switch=row, number=4294967040, name="eth0", mac="02:00:00:00:00:aa")
    InstalledEntry.objects.create(
        switch=row, dst="ff0e::/32", priority=2, actions=[], confirmed_at=row.created_at
    )
    shown = switch(network, "s1")
    assert shown["ports"] == [{"number": 4294967040, "name": "eth0", "mac": "02:00:00:00:00:aa", "up": True}]
    assert shown["entries"] == 1


@pytest.mark.parametrize("budget", [0, 1, 600, 10_000_000, None])
def test_a_budget_changes_by_a_request(network, end, budget):
    end()
    pk = switch(network, "s2")["id"]
    answer = network.patch(f"switches/{pk}/", {"tcam_budget": budget})
    assert answer.status_code == 202
    assert Request.objects.latest("id").payload == {
        "op": "set_budget",
        "switch": "s2",
        "tcam_budget": budget,
    }
    end()
    assert switch(network, "s2")["tcam_budget"] == budget


@pytest.mark.parametrize("budget", [-1, 1.0, 1.5, True, "5", 2**31, 2**80, [], {}])
def test_a_bad_budget_is_refused(network, error, budget):
    pk = switch(network, "s2")["id"]
    assert error(network.patch(f"switches/{pk}/", {"tcam_budget": budget}))["pointer"] == "/tcam_budget"
    body = {"name": "s9", "dpid": "0000000000000009", "tcam_budget": budget}
    assert error(network.post("switches/", body))["pointer"] == "/tcam_budget"


@pytest.mark.parametrize("up, op", [(False, "switch_down"), (True, "switch_up")])
def test_a_switch_goes_up_and_down_by_a_request(network, up, op):
    pk = switch(network, "s2")["id"]
    assert network.patch(f"switches/{pk}/", {"up": up}).json()["kind"] == op
    assert Request.objects.latest("id").payload == {"op": op, "switch": "s2"}


def test_two_changes_of_the_network_are_two_calls(network, error):
    pk = switch(network, "s2")["id"]
    assert error(network.patch(f"switches/{pk}/", {"up": True, "tcam_budget": 1}))["code"] == "one_at_a_time"


def test_how_it_is_shown_changes_at_once(network):
    pk, requests = switch(network, "s2")["id"], Request.objects.count()
    answer = network.patch(f"switches/{pk}/", {"label": "Basel", "longitude": -7.5})
    assert answer.status_code == 200
    assert (answer.json()["label"], answer.json()["longitude"]) == ("Basel", -7.5)
    assert Request.objects.count() == requests


def test_an_empty_change_changes_nothing(network):
    row = switch(network, "s2")
    assert network.patch(f"switches/{row['id']}/", {}).json() == row


def test_names_and_dpids_stay(network, error):
    pk = switch(network, "s2")["id"]
    assert error(network.patch(f"switches/{pk}/", {"dpid": "00000000000000aa"}))["code"] == "unknown_field"


def test_a_switch_in_use_stays(network, end, problem):
    end()
    detail = problem(network.delete(f"switches/{switch(network, 's2')['id']}/"), 409)["detail"]
    assert detail == "To remove switch s2, first remove its 2 links and 1 host."


def test_a_switch_on_which_a_host_stands_by_stays(network, end, problem):
    network.post("switches/", {"name": "s4", "dpid": "0000000000000004"})
    standby = [{"switch": "s4", "port": 1}]
    host = {"name": "h4", "switch": "s1", "port": 4, "ip": "fd00::4", "mac": "02:00:00:00:00:04"}
    network.post("hosts/", {**host, "standby": standby})
    end()
    detail = problem(network.delete(f"switches/{switch(network, 's4')['id']}/"), 409)["detail"]
    assert "1 host on standby" in detail


def test_a_switch_goes_by_a_request_once_what_uses_it_goes(network, end, problem, error):
    end()
    pk = switch(network, "s3")["id"]
    (link,) = network.get("links/?b=s3").json()["results"]
    (host,) = network.get("hosts/?switch=s3").json()["results"]
    assert network.delete(link["url"]).status_code == network.delete(host["url"]).status_code == 202
    answer = network.delete(f"switches/{pk}/")
    assert answer.status_code == 202
    assert Request.objects.latest("id").payload == {"op": "remove_switch", "switch": "s3"}
    assert switch(network, "s3")["removal"] == answer.json()["url"]
    problem(network.delete(f"switches/{pk}/"), 409)
    problem(network.patch(f"switches/{pk}/", {"up": False}), 409)
    body = {"a": "s1", "a_port": 7, "b": "s3", "b_port": 7}
    assert error(network.post("links/", body))["code"] == "being_removed"
    end()
    problem(network.get(f"switches/{pk}/"), 404)
    assert network.post("switches/", {"name": "s3", "dpid": "0000000000000003"}).status_code == 202
    assert network.get(answer.json()["url"]).json()["object"]["name"] == "s3"


def test_a_failed_removal_can_be_tried_again(operator, end):
    pk = operator.post("switches/", {"name": "s1", "dpid": "0000000000000001"}).json()["object"]["id"]
    end()
    operator.delete(f"switches/{pk}/")
    end(State.FAILED)
    assert operator.delete(f"switches/{pk}/").status_code == 202


def test_a_switch_that_failed_to_come_goes_at_once(operator, end, error, problem):
    pk = operator.post("switches/", {"name": "s1", "dpid": "0000000000000001"}).json()["object"]["id"]
    end(State.FAILED)
    host = {"name": "h1", "switch": "s1", "port": 1, "ip": "fd00::1", "mac": "02:00:00:00:00:01"}
    assert error(operator.post("hosts/", host))["code"] == "not_in_network"
    problem(operator.patch(f"switches/{pk}/", {"up": False}), 409)
    assert operator.delete(f"switches/{pk}/").status_code == 204
    assert not Switch.objects.exists()


def test_budgets_of_many_are_one_operation(network, end):
    end()
    answer = network.post("switches/budgets/", {"budgets": {"s2": 5, "s1": None}})
    assert answer.status_code == 202 and answer.headers["Location"] == answer.json()["url"]
    results = network.get(answer.json()["results"]).json()["results"]
    assert [(row["object"]["name"], row["asked"]["tcam_budget"]) for row in results] == [
        ("s2", 5),
        ("s1", None),
    ]
    end()
    assert (switch(network, "s2")["tcam_budget"], switch(network, "s1")["tcam_budget"]) == (5, None)
    assert network.get(answer.json()["url"]).json()["states"]["active"] == 2


def test_a_dry_run_of_budgets_shows_each_and_changes_nothing(network, end):
    logged = Request.objects.count()
    body = network.post("switches/budgets/?dry_run=true", {"budgets": {"s2": 5, "s1": 0}}).json()
    assert body["accepted"] and [row["accepted"] for row in body["results"]] == [True, True]
    assert Request.objects.count() == logged


def test_bad_budgets_are_refused_together(network, end, pointers):
    Request.objects.filter(kind="add_switch", payload__switch__id="s3").update(state=State.FAILED)
    end()
    answer = network.post("switches/budgets/", {"budgets": {"s9": 5, "s3": 1}})
    assert pointers(answer) == [
        (None, "/budgets/s9", "unknown_switch"),
        (None, "/budgets/s3", "not_in_network"),
    ]
    assert pointers(network.post("switches/budgets/", {"budgets": {"s1": -1}}))[0][1] == "/budgets/s1"
    assert pointers(network.post("switches/budgets/", {"budgets": {}})) == [(None, "/budgets", "empty")]
