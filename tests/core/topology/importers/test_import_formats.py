"""Every format is read, and every peculiarity of real files is repaired and noted."""

import json
import os
from pathlib import Path

import pytest

from tercast.errors import Refused
from tercast.topology.importers import read_topology
from tercast.topology.reader import read_topology as read_own_topology

GRAPHML = """<?xml version="1.0" encoding="utf-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key attr.name="label" attr.type="string" for="node" id="d0" />
  <key attr.name="Latitude" attr.type="double" for="node" id="d1" />
  <key attr.name="Longitude" attr.type="double" for="node" id="d2" />
  <key attr.name="hyperedge" attr.type="integer" for="node" id="d3" />
  <graph edgedefault="undirected">{body}</graph>
</graphml>"""


def graphml(nodes: dict[str, dict[str, str]], edges: list[tuple[str, str]]) -> bytes:
    keys = {"label": "d0", "lat": "d1", "lon": "d2", "hyperedge": "d3"}
    rows = [
        f'<node id="{key}">'
        + "".join(f'<data key="{keys[k]}">{v}</data>' for k, v in data.items())
        + "</node>"
        for key, data in nodes.items()
    ]
    rows += [f'<edge source="{a}" target="{b}"/>' for a, b in edges]
    return GRAPHML.format(body="".join(rows)).encode()


def ids(imported) -> list[str]:
    return [row["id"] for row in imported.topology["switches"]]


def check_sound(topology: dict) -> None:
    switches = [row["id"] for row in topology["switches"]]
    dpids = [row["dpid"] for row in topology["switches"]]
    assert len(set(switches)) == len(switches)
    assert len(set(dpids)) == len(dpids)
    assert all(len(dpid) == 16 and int(dpid, 16) > 0 for dpid in dpids)
    ends = [(row["a"], row["a_port"]) for row in topology["links"]]
    ends += [(row["b"], row["b_port"]) for row in topology["links"]]
    for host in topology["hosts"]:
        ends += [(host["switch"], host["port"])]
        ends += [(other["switch"], other["port"]) for other in host.get("standby", ())]
    assert len(set(ends)) == len(ends)
    assert {switch for switch, _ in ends} <= set(switches)
    assert all(port >= 1 for _, port in ends)
    assert all(isinstance(row["cost"], int) and row["cost"] >= 1 for row in topology["links"])
    assert read_own_topology(topology, "ipv6").to_json()["links"] == topology["links"]


def test_parallel_edges_become_links_on_ports_of_their_own():
    imported = read_topology(
        graphml({"0": {"label": "A"}, "1": {"label": "B"}}, [("0", "1"), ("0", "1"), ("1", "0")])
    )
    assert len(imported.topology["links"]) == 3
    check_sound(imported.topology)


def test_names_keep_their_text_and_ids_are_plain():
    long = "Zürich: exchange, building 7; " + "x" * 60
    imported = read_topology(graphml({"0": {"label": "R&amp;D"}, "1": {"label": long}}, [("0", "1")]))
    assert [row["name"] for row in imported.topology["switches"]] == ["R&D", long]
    assert ids(imported)[0] == "r-d"
    assert ids(imported)[1].startswith("zurich-exchange-building-7")
    assert len(ids(imported)[1]) <= 40


@pytest.mark.parametrize(
    "text",
    ["Sales&region", "R&D", "AT&T;", "tag <b>", "tag &lt;b&gt;", "A&amp;B", "A&#38;lt;B", "50%25", "&copy 1"],
)
def test_a_label_is_decoded_once_as_its_format_says(text):
    escaped = text.replace("&", "&amp;").replace("<", "&lt;")
    quoted = text.replace("&", "&#38;")
    node_link = {"nodes": [{"id": 1, "label": text}], "links": []}
    for file in (
        graphml({"0": {"label": escaped}}, []),
        graphml({"0": {"label": f"<![CDATA[{text}]]>"}}, []),
        f'graph [ node [ id 0 label "{quoted}" ] ]'.encode(),
        json.dumps(node_link).encode(),
        f"{text.replace(' ', '+')} b 1\nb {text.replace(' ', '+')} 1\n".encode(),
    ):
        imported = read_topology(file)
        assert imported.topology["switches"][0]["name"] == text
        assert imported.repairs == ()


def test_labels_that_repeat_or_look_alike_get_their_key_and_are_reported():
    nodes = {"7": {"label": "Gain"}, "9": {"label": "Gain"}, "3": {"label": "GAIN!"}}
    imported = read_topology(graphml(nodes, [("7", "9")]))
    assert ids(imported) == ["gain-7", "gain-9", "gain-3"]
    assert sum("occurs several times" in note for note in imported.repairs) == 2
    assert sum("has the same id as another label" in note for note in imported.repairs) == 1


def test_ids_do_not_depend_on_the_order_of_nodes():
    nodes = {"7": {"label": "Gain"}, "9": {"label": "Gain"}, "3": {"label": "Other"}}
    one = read_topology(graphml(nodes, []))
    two = read_topology(graphml(dict(reversed(nodes.items())), []))
    assert set(ids(one)) == set(ids(two)) == {"gain-7", "gain-9", "other"}


def test_empty_labels_and_hyperedges_become_switches_and_are_reported():
    nodes = {
        "0": {"label": ""},
        "1": {"label": "None", "hyperedge": "1"},
        "2": {"label": "None", "hyperedge": "1"},
    }
    imported = read_topology(graphml(nodes, [("0", "1"), ("1", "2")]))
    assert ids(imported) == ["n0", "n1", "n2"]
    assert any("empty label" in note for note in imported.repairs)
    assert sum("hyperedge" in note for note in imported.repairs) == 2


@pytest.mark.parametrize(("lat", "lon"), [("nan", "1"), ("91", "1"), ("1", "181"), ("inf", "0")])
def test_coordinates_that_are_no_place_are_left_out_and_reported(lat, lon):
    imported = read_topology(graphml({"0": {"label": "A", "lat": lat, "lon": lon}}, []))
    assert "lat" not in imported.topology["switches"][0]
    assert any("not valid degrees" in note for note in imported.repairs)


def test_missing_coordinates_are_no_fault():
    imported = read_topology(
        graphml({"0": {"label": "A"}, "1": {"label": "B", "lat": "1.5", "lon": "2"}}, [])
    )
    assert "lat" not in imported.topology["switches"][0]
    assert imported.topology["switches"][1]["lat"] == 1.5
    assert imported.repairs == ()


def test_an_edge_from_a_node_to_itself_is_left_out_and_reported():
    imported = read_topology(graphml({"0": {"label": "A"}, "1": {"label": "B"}}, [("0", "0"), ("0", "1")]))
    assert len(imported.topology["links"]) == 1
    assert any("to itself" in note for note in imported.repairs)


def test_gml_takes_an_edge_that_stands_there_twice():
    edge = "edge [ source 0 target 1 ]"
    text = f'graph [ node [ id 0 label "A" ] node [ id 1 label "B" ] {edge} {edge} ]'
    imported = read_topology(text.encode())
    assert imported.format == "gml"
    assert len(imported.topology["links"]) == 2
    assert ids(imported) == ["a", "b"]


def test_sndlib_coordinates_count_only_when_they_are_geographical():
    body = """<network xmlns="http://sndlib.zib.de/network"><networkStructure><nodes coordinatesType="{kind}">
    <node id="New_York"><coordinates><x>-74.0</x><y>40.7</y></coordinates></node>
    <node id="Oslo"><coordinates><x>10.7</x><y>59.9</y></coordinates></node></nodes>
    <links><link id="L1"><source>New_York</source><target>Oslo</target></link></links>
    </networkStructure></network>"""
    geographical = read_topology(body.format(kind="geographical").encode())
    pixel = read_topology(body.format(kind="pixel").encode())
    first = geographical.topology["switches"][0]
    assert (first["id"], first["name"], first["lat"], first["lon"]) == ("new-york", "New York", 40.7, -74.0)
    assert "lat" not in pixel.topology["switches"][0]
    assert len(pixel.topology["links"]) == 1


@pytest.mark.parametrize("edges", ["links", "edges"])
def test_node_link_json(edges):
    document = {
        "nodes": [{"id": 0, "name": "R0"}, {"id": 1, "name": "R1", "lat": 1, "lon": 2}],
        edges: [{"source": 0, "target": 1, "weight": 5}],
    }
    imported = read_topology(json.dumps(document).encode())
    assert ids(imported) == ["r0", "r1"]
    assert imported.topology["links"] == [{"a": "r0", "a_port": 1, "b": "r1", "b_port": 1, "cost": 5}]


def test_mininet_lists_keep_ports_hosts_and_their_further_attachments():
    document = {
        "switches": [{"name": "s0"}, {"name": "s1"}],
        "hosts": [{"name": "h1"}, {"name": "h2"}, {"name": "alone"}],
        "links": [
            {"a": "h1", "b": "s0", "b_port": 9},
            {"a": "s0", "b": "s1", "a_port": 2},
            {"a": "s1", "b": "h2"},
            {"a": "h1", "b": "s1"},
        ],
    }
    imported = read_topology(json.dumps(document).encode())
    check_sound(imported.topology)
    hosts = {row["id"]: row for row in imported.topology["hosts"]}
    assert (hosts["h1"]["switch"], hosts["h1"]["port"]) == ("s0", 9)
    assert hosts["h1"]["standby"] == [{"switch": "s1", "port": 3}]
    assert imported.topology["links"][0]["a_port"] == 2
    assert imported.topology["switches"][0]["dpid"] == "0000000000000001"
    assert any("attached to no switch" in note for note in imported.repairs)


@pytest.mark.parametrize("dpid", [0, "0", "0x0", "zz", -1, 2**64, True])
def test_a_datapath_id_that_is_none_is_replaced_and_reported(dpid):
    document = {"nodes": [{"id": "a", "dpid": dpid}, {"id": "b", "dpid": "1"}], "links": []}
    imported = read_topology(json.dumps(document).encode())
    check_sound(imported.topology)
    assert imported.topology["switches"][1]["dpid"] == "0000000000000001"
    assert any("datapath id" in note for note in imported.repairs)


@pytest.mark.parametrize("weight", ["0", "-1", "nan", "x", "1/0"])
def test_a_weight_that_is_no_cost_becomes_one_and_is_reported(weight):
    document = {
        "nodes": [{"id": "a"}, {"id": "b"}],
        "links": [{"source": "a", "target": "b", "weight": weight}],
    }
    imported = read_topology(json.dumps(document).encode())
    assert imported.topology["links"][0]["cost"] == 1
    assert any("is not a positive number" in note for note in imported.repairs)


def test_a_hub_with_many_ports_keeps_them_all():
    nodes = {str(number): {"label": f"n{number}"} for number in range(90)}
    imported = read_topology(
        graphml(nodes, [("0", str(number)) for number in range(1, 90)]), hosts_per_switch=2
    )
    check_sound(imported.topology)
    assert len(imported.topology["links"]) == 89
    assert len(imported.topology["hosts"]) == 180


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "unknown format"),
        (b"\x00\x01\x02", "unknown format"),
        (b"<graphml>", "not well-formed"),
        (b"<svg/>", '"svg"'),
        (b'<!DOCTYPE x [<!ENTITY a "b">]><graphml/>', "document type"),
        (b"{", "not JSON"),
        (b"[1]", "JSON object"),
        (b"[" * 100_000, "not JSON"),
        (b'{"nodes": [], "links": []}', "no node"),
        (b'{"nodes": [1], "links": []}', "expected an object"),
        (b'{"nodes": [{"id": null}], "links": []}', "the name of a node"),
        (b'{"nodes": [{"id": 1}], "links": [{"source": 1, "target": 2}]}', "links[0]: there is no node 2"),
        (b'{"nodes": [{"id": 1}], "edges": [{"source": 1, "target": 2}]}', "edges[0]: there is no node 2"),
        (b'{"switches": [{"name": "s"}], "links": [{"a": "s", "b": "t"}]}', 'links[0]: there is no node "t"'),
        (b'{"nodes": 3}', 'no list "nodes"; a JSON topology has the lists nodes and links, or'),
        (b"graph [ node [ id 0", "invalid GML"),
        (b"graph [ node [ label 5 ] ]", "invalid GML"),
        (b"a b 1\na b\n", "three fields"),
        (b'{"nodes": [{"id": "\xff"}]}', "not UTF-8"),
    ],
)
def test_what_cannot_be_read_is_refused_in_a_line(data, words):
    with pytest.raises(Refused) as caught:
        read_topology(data)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def case_files() -> list[Path]:
    folder = os.environ.get("TERCAST_CASES")
    return sorted(path for path in Path(folder).rglob("*") if path.is_file()) if folder else []


@pytest.mark.skipif("TERCAST_CASES" not in os.environ, reason="TERCAST_CASES names no folder")
def test_files_of_a_folder():
    imported = 0
    for path in case_files():
        if path.name.startswith(("LICENSE", "README")):
            continue
        topology = read_topology(path.read_bytes(), hosts_per_switch=1).topology
        check_sound(topology)
        imported += 1
    assert imported, "the folder has no file"
