"""Hosts: their ports, their addresses, their moves."""

import pytest

from controlplane.network.models import Host
from controlplane.requestlog.models import Request

GOOD = {
    "name": "h9",
    "switch": "s1",
    "port": 9,
    "ip": "fd00::9",
    "mac": "02:00:00:00:00:09",
    "standby": [{"switch": "s2", "port": 9}],
}


def host(world, name):
    return world.get(f"hosts/?name={name}").json()["results"][0]


def test_a_host_is_added_by_a_request(network):
    answer = network.post("hosts/", GOOD)
    assert answer.status_code == 202
    payload = Request.objects.latest("id").payload
    assert payload == {
        "op": "add_host",
        "host": {"id": "h9", **{k: v for k, v in GOOD.items() if k != "name"}},
    }
    shown = network.get(answer.json()["object"]["url"]).json()
    assert {key: shown[key] for key in GOOD} == GOOD


def test_addresses_are_kept_in_one_form(network, error):
    network.post("hosts/", {**GOOD, "ip": "FD00:0:0::9", "mac": "02:AB:00:00:00:09"})
    assert (host(network, "h9")["ip"], host(network, "h9")["mac"]) == ("fd00::9", "02:ab:00:00:00:09")
    again = {**GOOD, "name": "h8", "mac": "02:00:00:00:00:08", "ip": "fd00:0000::0009"}
    assert error(network.post("hosts/", again))["pointer"] == "/ip"


BAD = [
    ({"name": "h1"}, "/name", "not_unique"),
    ({"ip": "fd00::1"}, "/ip", "not_unique"),
    ({"mac": "02:00:00:00:00:01"}, "/mac", "not_unique"),
    ({"switch": "s9"}, "/switch", "unknown_switch"),
    ({"port": 1}, "/port", "port_in_use"),
    ({"port": 0}, "/port", "out_of_range"),
    ({"port": "9"}, "/port", "wrong_type"),
    ({"ip": "10.0.0.1"}, "/ip", "wrong_family"),
    ({"ip": "::ffff:10.0.0.1%eth0"}, "/ip", "wrong_family"),
    ({"ip": "::"}, "/ip", "not_unicast"),
    ({"ip": "::1"}, "/ip", "not_unicast"),
    ({"ip": "ff0e::1"}, "/ip", "not_unicast"),
    ({"ip": "ff1e::25"}, "/ip", "not_unicast"),
    ({"ip": "fd00::9/64"}, "/ip", "bad_ip"),
    ({"ip": "host.example"}, "/ip", "bad_ip"),
    ({"ip": ""}, "/ip", "empty"),
    ({"ip": 1}, "/ip", "wrong_type"),
    ({"mac": "01:00:5e:00:00:01"}, "/mac", "group_mac"),
    ({"mac": "ff:ff:ff:ff:ff:ff"}, "/mac", "group_mac"),
    ({"mac": "00:00:00:00:00:00"}, "/mac", "bad_mac"),
    ({"mac": "02-00-00-00-00-09"}, "/mac", "bad_mac"),
    ({"mac": "020000000009"}, "/mac", "bad_mac"),
    ({"mac": "2:0:0:0:0:9"}, "/mac", "bad_mac"),
    ({"standby": {}}, "/standby", "wrong_type"),
    ({"standby": None}, "/standby", "null"),
    ({"standby": [1]}, "/standby/0", "wrong_type"),
    ({"standby": [{"switch": "s2"}]}, "/standby/0/port", "required"),
    ({"standby": [{"switch": "s2", "port": 9, "cost": 1}]}, "/standby/0/cost", "unknown_field"),
    ({"standby": [{"switch": "s9", "port": 9}]}, "/standby/0/switch", "unknown_switch"),
    ({"standby": [{"switch": "s2", "port": 1}]}, "/standby/0/port", "port_in_use"),
    ({"standby": [{"switch": "s1", "port": 9}]}, "/standby/0/port", "repeated_port"),
    ({"standby": [{"switch": "s2", "port": n} for n in range(20, 29)]}, "/standby", "too_many"),
]


@pytest.mark.parametrize("change, pointer, code", BAD)
def test_bad_values_are_named(network, pointers, change, pointer, code):
    before = Host.objects.count()
    assert pointers(network.post("hosts/", {**GOOD, **change})) == [(None, pointer, code)]
    assert Host.objects.count() == before


def test_several_hosts_share_a_port(network):
    answer = network.post("hosts/", {**GOOD, "port": 10, "standby": []})
    assert answer.status_code == 202


def test_a_host_at_a_switch_without_links_is_taken_and_may_subscribe(world):
    world.post("switches/", {"name": "island", "dpid": "00000000000000ff"})
    world.post("hosts/", {**GOOD, "switch": "island", "standby": []})
    world.post("subscribers/", {"name": "crusoe", "host": "h9"})
    body = {"subscriber": "crusoe", "topic": "quotes", "filter": "true"}
    assert world.post("subscriptions/", body).status_code == 202


def test_a_host_moves_by_a_request(network, end):
    end()
    answer = network.patch(host(network, "h1")["url"], {"switch": "s2", "port": 7})
    assert answer.status_code == 202 and answer.json()["object"]["name"] == "h1"
    payload = {"op": "host_move", "host": "h1", "switch": "s2", "port": 7}
    assert Request.objects.latest("id").payload == payload
    assert host(network, "h1")["switch"] == "s1"
    end()
    assert (host(network, "h1")["switch"], host(network, "h1")["port"]) == ("s2", 7)


def test_a_host_moves_to_another_port_of_its_switch(network):
    network.patch(host(network, "h1")["url"], {"port": 7})
    payload = {"op": "host_move", "host": "h1", "switch": "s1", "port": 7}
    assert Request.objects.latest("id").payload == payload


def test_a_host_moves_to_its_own_standby_and_back(network, end):
    standby = [{"switch": "s2", "port": 11}]
    network.post("hosts/", {**GOOD, "switch": "s1", "port": 10, "standby": standby})
    end()
    for place in ({"switch": "s2", "port": 11}, {"switch": "s1", "port": 10}):
        assert network.patch(host(network, "h9")["url"], place).status_code == 202
        assert Request.objects.latest("id").payload == {"op": "host_move", "host": "h9", **place}
        end()
        found = host(network, "h9")
        assert {"switch": found["switch"], "port": found["port"]} == place
        assert found["standby"] == standby


@pytest.mark.parametrize(
    "change, pointer, code",
    [
        ({"switch": "s9"}, "/switch", "unknown_switch"),
        ({"port": 1}, "/port", "port_in_use"),
        ({"switch": "s2", "port": 2}, "/port", "port_in_use"),
        ({"port": -1}, "/port", "out_of_range"),
        ({"ip": "fd00::7"}, "/ip", "unknown_field"),
    ],
)
def test_a_bad_place_is_named(network, pointers, change, pointer, code):
    found = pointers(network.patch(host(network, "h1")["url"], change))
    assert found == [(None, pointer, code)]


def test_a_host_with_people_at_it_stays(world, end, problem):
    end()
    assert "1 publisher" in problem(world.delete(host(world, "h1")["url"]), 409)["detail"]
    assert "1 subscriber" in problem(world.delete(host(world, "h2")["url"]), 409)["detail"]


def test_a_host_goes_by_a_request(network, end, problem):
    end()
    url = host(network, "h1")["url"]
    assert network.delete(url).status_code == 202
    assert Request.objects.latest("id").payload == {"op": "remove_host", "host": "h1"}
    problem(network.patch(url, {"port": 8}), 409)
    end()
    problem(network.get(url), 404)
