"""Included topologies, generated ones, and the reading of files."""

import json
import re

import networkx as nx
import pytest

from mininet_labs.commands import main
from mininet_labs.errors import LabError
from mininet_labs.fabric.wiring import FabricWiring
from mininet_labs.topologies import built_in, core_topology, load
from mininet_labs.topologies.generate import fat_tree, ring
from tercast.errors import RefusedMany
from tercast.topology.reader import read_topology


def graph(topology):
    network = nx.MultiGraph()
    network.add_nodes_from(switch["id"] for switch in topology["switches"])
    network.add_edges_from((link["a"], link["b"]) for link in topology["links"])
    return network


def check(topology):
    """Check that it can be wired, is connected, and has every identity once."""
    FabricWiring.of(topology)
    assert nx.is_connected(graph(topology))
    for kind, key in (
        ("switches", "id"),
        ("switches", "dpid"),
        ("hosts", "id"),
        ("hosts", "ip"),
        ("hosts", "mac"),
    ):
        values = [entry[key] for entry in topology[kind]]
        assert len(set(values)) == len(values)
    for host in topology["hosts"]:
        assert re.fullmatch(r"02(:[0-9a-f]{2}){5}", host["mac"])


def test_abilene_has_its_cities_and_links():
    topology = load("abilene")
    check(topology)
    places = {switch["name"]: (switch["lat"], switch["lon"]) for switch in topology["switches"]}
    assert len(places) == 11
    assert len(topology["links"]) == 14
    assert all(25 < lat < 49 and -125 < lon < -70 for lat, lon in places.values())
    assert places["Seattle"][1] < places["Denver"][1] < places["Chicago"][1] < places["New York"][1]
    degrees = dict(graph(topology).degree)
    assert sorted(degrees.values()) == [2] * 5 + [3] * 6
    assert {host["switch"] for host in topology["hosts"]} == set(degrees)


def test_the_core_gets_no_names_and_places_and_the_file_keeps_them():
    topology = load("abilene")
    switches = core_topology(topology)["switches"]
    assert switches[0] == {"id": "sea", "dpid": f"{1:016x}", "tcam_budget": 1000}
    assert core_topology(topology)["links"] == topology["links"]
    assert topology["switches"][0]["name"] == "Seattle"


@pytest.mark.parametrize(
    "topology", [load("abilene"), ring(5, 2), fat_tree(4)], ids=["abilene", "ring", "tree"]
)
def test_the_cores_strict_reader_takes_them(topology):
    read_topology(core_topology(topology), "ipv6")


def test_the_cores_strict_reader_takes_names_and_places_and_nothing_else():
    topology = load("abilene")
    assert len(read_topology(topology, "ipv6").switches) == 11
    topology["switches"][0]["colour"] = "red"
    with pytest.raises(RefusedMany, match="colour"):
        read_topology(topology, "ipv6")


@pytest.mark.parametrize("size", [3, 8, 72])
def test_a_ring(size):
    topology = ring(size, hosts_per_switch=2, tcam_budget=50)
    check(topology)
    assert set(dict(graph(topology).degree).values()) == {2}
    assert len(topology["links"]) == size
    assert len(topology["hosts"]) == 2 * size
    assert topology["switches"][-1] == {"id": f"s{size}", "dpid": f"{size:016x}", "tcam_budget": 50}


@pytest.mark.parametrize("arity", [2, 4, 8])
def test_a_fat_tree(arity):
    topology = fat_tree(arity)
    check(topology)
    assert len(topology["switches"]) == 5 * arity**2 // 4
    assert len(topology["hosts"]) == arity**3 // 4
    degrees = dict(graph(topology).degree)
    attached = {host["switch"] for host in topology["hosts"]}
    assert all(degree == arity for switch, degree in degrees.items() if switch not in attached)
    assert nx.diameter(graph(topology)) == 4 if arity > 2 else True


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ring(2), "size 2: must be from 3 to 4096"),
        (lambda: ring(5, -1), "hosts per switch -1: must be from 0 to 256"),
        (lambda: fat_tree(3), "arity 3: the arity of a fat tree must be even; use 4"),
        (lambda: fat_tree(0), "arity 0: must be from 2 to 32"),
    ],
)
def test_sizes_that_make_no_topology_are_refused(make, message):
    with pytest.raises(LabError, match=message):
        make()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            None,
            r"cannot be read \(No such file or directory\); use the path of a file, or the name .*: abilene",
        ),
        ("{", "is not JSON"),
        ("[]", "is not a topology object"),
        ('{"hosts": {}}', "hosts: is not a list of objects"),
        ('{"links": [1]}', "links: is not a list of objects"),
    ],
)
def test_a_file_that_is_no_topology_is_refused(tmp_path, content, message):
    path = tmp_path / "topology.json"
    if content is not None:
        path.write_text(content, "utf-8")
    with pytest.raises(LabError, match=message):
        load(path)


def test_the_command_prints_what_can_be_read_again(capsys, tmp_path):
    assert main(["topology", "fat-tree", "4", "--hosts", "1", "--budget", "9"]) == 0
    path = tmp_path / "t.json"
    path.write_text(capsys.readouterr().out, "utf-8")
    assert load(path) == fat_tree(4, 1, 9)


def test_a_refused_input_is_one_line_and_status_2(capsys):
    assert main(["topology", "ring", "1"]) == 2
    assert capsys.readouterr().err == "size 1: must be from 3 to 4096; use a number in this range\n"


def test_what_comes_along_is_listed():
    assert "abilene" in built_in()
    assert json.dumps(load("abilene"))
