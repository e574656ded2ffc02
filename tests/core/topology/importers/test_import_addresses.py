"""Names, datapath ids and addresses that the importer assigns or keeps."""

import json

import pytest

from tercast.errors import Refused
from tercast.topology.importers import TakenAddresses, read_topology


def mininet(hosts: list[dict], **switch) -> bytes:
    links = [{"a": host["name"], "b": "s1"} for host in hosts]
    return json.dumps({"switches": [{"name": "s1", **switch}], "hosts": hosts, "links": links}).encode()


def addresses(imported) -> list[tuple[str, str]]:
    return [(row["ip"], row["mac"]) for row in imported.topology["hosts"]]


def test_hosts_get_addresses_of_the_family():
    six = read_topology(b"a b 1\n", hosts_per_switch=1)
    four = read_topology(b"a b 1\n", hosts_per_switch=1, family="ipv4")
    assert addresses(six) == [("fd00::1", "02:00:00:00:00:01"), ("fd00::2", "02:00:00:00:00:02")]
    assert addresses(four) == [("10.0.0.1", "02:00:00:00:00:01"), ("10.0.0.2", "02:00:00:00:00:02")]
    with pytest.raises(Refused, match="ipv6, ipv4"):
        read_topology(b"a b 1\n", family="ipx")


def test_a_hosts_own_addresses_are_kept_where_they_can_be_used():
    hosts = [
        {"name": "h1", "ip": "10.0.0.2/8", "mac": "0A:00:00:00:00:01"},
        {"name": "h2"},
        {"name": "h3", "ip": "10.0.0.2"},
        {"name": "h4", "ip": "127.0.0.1", "mac": "01:00:00:00:00:01"},
    ]
    imported = read_topology(mininet(hosts), family="ipv4")
    assert addresses(imported) == [
        ("10.0.0.2", "0a:00:00:00:00:01"),
        ("10.0.0.1", "02:00:00:00:00:01"),
        ("10.0.0.3", "02:00:00:00:00:03"),
        ("10.0.0.4", "02:00:00:00:00:04"),
    ]
    repairs = "\n".join(imported.repairs)
    assert "10.0.0.2 of host h3 is also the address of another host" in repairs
    assert "127.0.0.1" in repairs and "01:00:00:00:00:01" in repairs


def test_addresses_of_the_other_family_are_replaced_and_reported():
    imported = read_topology(mininet([{"name": "h1", "ip": "10.0.0.2"}]))
    assert addresses(imported)[0][0] == "fd00::1"
    assert any("10.0.0.2" in note for note in imported.repairs)


def test_what_is_taken_is_not_given_but_kept_when_the_file_says_it():
    taken = TakenAddresses(
        dpids=frozenset({f"{1:016x}", f"{3:016x}"}),
        ips=frozenset({"fd00::1"}),
        macs=frozenset({"02:00:00:00:00:02"}),
    )
    file = {"nodes": [{"id": "a"}, {"id": "b", "dpid": "3"}, {"id": "c"}], "links": []}
    imported = read_topology(json.dumps(file).encode(), hosts_per_switch=1, taken=taken)
    assert [int(row["dpid"], 16) for row in imported.topology["switches"]] == [2, 3, 4]
    assert addresses(imported)[0] == ("fd00::3", "02:00:00:00:00:03")
    assert imported.repairs == (
        "1 datapath id is in use in the network; the switches got the next free ones",
        "2 addresses are in use in the network; the hosts got the next free ones",
    )


def test_datapath_ids_in_text_are_hex_and_numbers_are_numbers():
    nodes = [{"id": n, "dpid": dpid} for n, dpid in enumerate(("10", 10, "00:00:00:00:00:00:00:ff", "0xFE"))]
    imported = read_topology(json.dumps({"nodes": nodes, "links": []}).encode())
    assert [int(row["dpid"], 16) for row in imported.topology["switches"]] == [16, 10, 255, 254]
    assert imported.repairs == ()


@pytest.mark.parametrize(
    ("label", "kept"),
    [
        ("a\0b", "a b"),
        ("two\nlines", "two lines"),
        ("half \ud800", "half \ufffd"),
        ("x" * 201, "x" * 197 + "..."),
    ],
)
def test_labels_lose_only_what_cannot_be_kept(label, kept):
    imported = read_topology(json.dumps({"nodes": [{"id": 1, "label": label}], "links": []}).encode())
    assert imported.topology["switches"][0]["name"] == kept
    assert any("are not allowed" in note for note in imported.repairs)


def test_a_port_is_never_given_to_a_link_and_a_host():
    file = {
        "switches": [{"name": "s1"}, {"name": "s2"}],
        "hosts": [{"name": "h1"}],
        "links": [{"a": "s1", "b": "s2", "a_port": 3}, {"a": "h1", "b": "s1", "b_port": 3}],
    }
    imported = read_topology(json.dumps(file).encode())
    assert (imported.topology["links"][0]["a_port"], imported.topology["hosts"][0]["port"]) == (3, 1)
    assert any("port 3 of s1" in note for note in imported.repairs)


def test_an_edge_between_two_hosts_is_left_out_and_reported():
    file = {
        "switches": [{"name": "s"}],
        "hosts": [{"name": "h"}, {"name": "g"}],
        "links": [{"a": "h", "b": "g"}],
    }
    assert any("without a switch" in note for note in read_topology(json.dumps(file).encode()).repairs)


def test_old_files_of_d3_name_places_in_the_list():
    nodes = [{"name": "x"}, {"name": "y"}, {"name": "z"}]
    file = {"nodes": nodes, "links": [{"source": 2, "target": 0, "weight": 3}]}
    links = read_topology(json.dumps(file).encode()).topology["links"]
    assert links == [{"a": "z", "a_port": 1, "b": "x", "b_port": 1, "cost": 3}]
