"""From a topology to bridges, ports and links: names, attachments, and refused entries."""

import argparse
import copy
import re

import pytest

from mininet_labs.fabric import FabricError, command
from mininet_labs.fabric.wiring import FabricWiring

TOPOLOGY = {
    "switches": [{"id": "s1", "dpid": f"{1:016x}"}, {"id": "s2", "dpid": f"{2:016x}"}],
    "links": [{"a": "s1", "a_port": 1, "b": "s2", "b_port": 4}],
    "hosts": [
        {"id": "h1", "switch": "s1", "port": 7},
        {"id": "h2", "switch": "s2", "port": 9, "standby": [{"switch": "s1", "port": 8}]},
        {"id": "h3", "switch": "s2", "port": 9},
    ],
}


def names(ids):
    wiring = FabricWiring.of({"switches": [{"id": id_, "dpid": f"{n:016x}"} for n, id_ in enumerate(ids, 1)]})
    return [bridge.name for bridge in wiring.bridges.values()]


def test_a_bridge_is_called_after_its_switch():
    assert names(["sea", "New York"]) == ["sea", "newyork"]


def test_names_stay_short_safe_and_different_whatever_the_ids_are():
    found = names(["a:b", "ab", "AB", "a,b" * 20, "über/1", "東京", "SW_SUPERVISOR_1", "SW_SUPERVISOR_2"])
    assert len(set(found)) == len(found)
    assert all(re.fullmatch(r"[a-z0-9]{1,8}", name) for name in found)


def test_many_alike_ids_get_names():
    found = names([f"supervisor-{n}" for n in range(120)])
    assert len(set(found)) == 120
    assert max(map(len, found)) <= 8


def test_hosts_of_one_port_share_it_and_standby_ports_are_their_own():
    wiring = FabricWiring.of(TOPOLOGY)
    assert wiring.attachment("h2") == wiring.attachment("h3")
    assert wiring.attachment("h2", 1).name == "s1-8"
    assert [port.name for port in wiring.host_ports()] == ["s1-7", "s2-9", "s1-8"]
    assert [str(port) for port in wiring.ports()] == ["s1:1", "s2:4", "s1:7", "s2:9", "s1:8"]


def test_parallel_links_are_kept_apart():
    topology = copy.deepcopy(TOPOLOGY)
    topology["links"].append({"a": "s2", "a_port": 5, "b": "s1", "b_port": 2})
    wiring = FabricWiring.of(topology)
    assert len(wiring.links()) == 2
    assert wiring.link_at("s1", 2) == wiring.link_at("s2", 5) != wiring.link_at("s1", 1)


def test_a_removed_host_frees_only_ports_that_nobody_else_uses():
    wiring = FabricWiring.of(TOPOLOGY)
    assert [port.name for port in wiring.remove_host("h2")] == ["s1-8"]
    assert [port.name for port in wiring.remove_host("h3")] == ["s2-9"]


def test_a_removed_switch_takes_its_links_along_but_not_its_hosts():
    wiring = FabricWiring.of(TOPOLOGY)
    with pytest.raises(FabricError, match="s2: hosts are attached: h2, h3; remove them first"):
        wiring.remove_switch("s2")
    wiring.remove_host("h2")
    wiring.remove_host("h3")
    bridge, links = wiring.remove_switch("s2")
    assert bridge.name == "s2"
    assert len(links) == 1
    assert wiring.links() == []


@pytest.mark.parametrize(
    ("kind", "entry", "message"),
    [
        ("switches", {"id": "s1", "dpid": f"{9:016x}"}, r"topology.switches\[2\].id 's1': already exists"),
        ("switches", {"id": "s9", "dpid": "9"}, r"topology.switches\[2\].dpid '9': is not 16 hex digits"),
        ("switches", {"id": "s9", "dpid": "0" * 16}, "is not 16 hex digits above 0"),
        ("switches", {"id": "s9", "dpid": True}, r"topology.switches\[2\].dpid True: is not a text"),
        ("switches", {"dpid": f"{9:016x}"}, r"topology.switches\[2\].id None: is not a text"),
        (
            "links",
            {"a": "s1", "a_port": 2, "b": "s9", "b_port": 1},
            r"topology.links\[1\].b_port: 's9': no such",
        ),
        ("links", {"a": "s1", "a_port": 1, "b": "s2", "b_port": 5}, "s1:1: a link uses this port"),
        ("links", {"a": "s1", "a_port": 7, "b": "s2", "b_port": 5}, r"hosts\[0\].port s1:7: a link uses"),
        ("links", {"a": "s1", "a_port": 2, "b": "s1", "b_port": 2}, "a port cannot be linked to itself"),
        ("links", {"a": "s1", "a_port": 0, "b": "s2", "b_port": 5}, r"links\[1\].a_port 0: is not a number"),
        ("links", {"a": "s1", "a_port": 2, "b": "s2"}, r"topology.links\[1\].b_port None: is not a number"),
        ("hosts", {"id": "h9", "switch": "s1", "port": 65280}, "is not a number from 1 to 65279"),
        ("hosts", {"id": "h9", "switch": "s1", "port": "000003"}, "port '000003': is not a number"),
        ("hosts", {"id": "h9", "switch": "s1", "port": True}, "port True: is not a number"),
        ("hosts", {"id": "h1", "switch": "s1", "port": 3}, r"topology.hosts\[3\].id 'h1': already exists"),
        ("hosts", {"id": "h9", "switch": "s2", "port": 4}, "s2:4: a link uses this port"),
        (
            "hosts",
            {"id": "h9", "switch": "s2", "port": 5, "standby": [{"switch": "s3", "port": 5}]},
            r"topology.hosts\[3\].standby\[0\].port: 's3': no such switch; use one of s1, s2",
        ),
    ],
)
def test_what_cannot_be_wired_is_refused_by_its_path(kind, entry, message):
    topology = copy.deepcopy(TOPOLOGY)
    topology[kind].append(entry)
    with pytest.raises(FabricError, match=message):
        FabricWiring.of(topology)


@pytest.mark.parametrize(
    ("look_up", "message"),
    [
        (lambda w: w.bridge("s3"), "s3: no such switch in the fabric; use one of s1, s2"),
        (lambda w: w.attachment("h4"), "h4: no such host in the fabric; use one of h1, h2, h3"),
        (
            lambda w: w.attachment("h1", 1),
            "attachment 1 of h1: the host has 1 attachment; use an index from 0 to 0",
        ),
        (lambda w: w.link_at("s1", 7), "s1:7: no link at this port; ports with links: 1"),
        (lambda w: w.port("s2", 8), "s2:8: no such port; ports there: 4, 9"),
    ],
)
def test_a_wrong_name_is_answered_with_the_right_ones(look_up, message):
    with pytest.raises(FabricError) as caught:
        look_up(FabricWiring.of(TOPOLOGY))
    assert str(caught.value) == message


def test_a_refused_addition_changes_nothing():
    wiring = FabricWiring.of(TOPOLOGY)
    with pytest.raises(FabricError):
        wiring.add_host({"id": "h9", "switch": "s1", "port": 3, "standby": [{"switch": "s1", "port": 1}]})
    assert "h9" not in wiring.hosts
    with pytest.raises(FabricError, match="link: s1:5 to s2:9: a host is attached there"):
        wiring.add_link({"a": "s1", "a_port": 5, "b": "s2", "b_port": 9})
    wiring.add_link({"a": "s1", "a_port": 5, "b": "s2", "b_port": 5})


@pytest.mark.parametrize("target", ["zz", "tcp", "tcp:a b", "tcp:127.0.0.1:6653,tcp:127.0.0.1:6654"])
def test_a_controller_that_is_no_target_is_refused(target, capsys):
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    with pytest.raises(SystemExit):
        parser.parse_args(["abilene", "--run-dir", "x", "--controller", target])
    assert f"{target!r} is not a target; use none, or for example tcp:" in capsys.readouterr().err
    good = ["--controller", "tcp:127.0.0.1:6653", "--controller", "ssl:[::1]:6653", "--controller", "none"]
    assert parser.parse_args(["abilene", "--run-dir", "x", *good]).controller == good[1::2]
