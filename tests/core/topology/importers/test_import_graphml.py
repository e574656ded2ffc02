"""GraphML of several programs: no link and no node is lost or invented."""

import pytest

from tercast.errors import Refused
from tercast.topology.importers import read_topology


def graphml(body: str, keys: str = "", attributes: str = 'edgedefault="undirected"') -> bytes:
    return f"<graphml>{keys}<graph {attributes}>{body}</graph></graphml>".encode()


NODES = '<node id="a"/><node id="b"/>'


@pytest.mark.parametrize("attribute", ["", 'id="e"', 'id="1"', 'id=""'])
def test_parallel_edges_stay_whatever_ids_they_have(attribute):
    edge = f'<edge {attribute} source="a" target="b"/>'
    assert len(read_topology(graphml(NODES + edge * 3)).topology["links"]) == 3


def test_parallel_edges_stay_whatever_their_key_says():
    keys = '<key id="k" for="edge" attr.name="key" attr.type="int"/>'
    edge = '<edge source="a" target="b"><data key="k">0</data></edge>'
    assert len(read_topology(graphml(NODES + edge * 2, keys)).topology["links"]) == 2


def test_an_edge_to_a_node_that_is_not_there_is_refused():
    with pytest.raises(Refused, match='there is no node "c"'):
        read_topology(graphml(NODES + '<edge source="a" target="c"/>'))


def test_a_node_that_stands_there_twice_counts_once():
    imported = read_topology(graphml(NODES + '<node id="a"/>'))
    assert len(imported.topology["switches"]) == 2
    assert any("occurs twice" in note for note in imported.repairs)


@pytest.mark.parametrize(
    "attributes", ['edgedefault="directed"', 'edgedefault="undirected"', "", 'edgedefault="directed" id="G"']
)
def test_the_two_directions_of_a_link_are_one_where_edges_have_directions(attributes):
    edges = '<edge source="a" target="b"/><edge source="b" target="a"/>'
    links = read_topology(graphml(NODES + edges, attributes=attributes)).topology["links"]
    assert len(links) == (1 if '="directed' in attributes else 2)


def test_edges_that_differ_in_having_a_direction_are_refused():
    edges = '<edge source="a" target="b"/><edge directed="true" source="b" target="a"/>'
    with pytest.raises(Refused, match="give all edges the same kind"):
        read_topology(graphml(NODES + edges))


def test_weights_datapath_ids_and_defaults():
    keys = """<key id="w" for="edge" attr.name="Weight" attr.type="double"><default>4</default></key>
    <key id="d" for="node" attr.name="dpid" attr.type="long"/><key id="e" for="node" attr.name="dpid"
    attr.type="string"/><key id="x" for="all" attr.name="note"><default/></key>"""
    nodes = '<node id="a"><data key="d">16</data></node><node id="b"><data key="e">16</data></node>'
    edges = '<edge source="a" target="b"/><edge source="a" target="b"><data key="w">2.0</data></edge>'
    topology = read_topology(graphml(nodes + edges, keys)).topology
    assert [row["cost"] for row in topology["links"]] == [4, 2]
    assert [int(row["dpid"], 16) for row in topology["switches"]] == [16, 0x16]


def test_labels_of_yed_and_nodes_in_groups():
    body = """<node id="n0"><data key="g"><y:ShapeNode xmlns:y="http://www.yworks.com/xml/graphml">
    <y:Geometry x="1"/><y:NodeLabel> Core 1 </y:NodeLabel></y:ShapeNode></data></node>
    <node id="n1" yfiles.foldertype="group"><graph edgedefault="undirected"><node id="n1::n0"/>
    <edge source="n1::n0" target="n0"/></graph></node>"""
    imported = read_topology(graphml(body, '<key id="g" for="node" yfiles.type="nodegraphics"/>'))
    assert [row["name"] for row in imported.topology["switches"]] == ["Core 1", "n1::n0"]
    assert len(imported.topology["links"]) == 1
    assert imported.repairs == ('node "n1" is a group of other nodes, "n1"; it was left out',)


def test_further_graphs_are_left_out_and_reported():
    imported = read_topology(b'<graphml><graph><node id="a"/></graph><graph><node id="b"/></graph></graphml>')
    assert len(imported.topology["switches"]) == 1
    assert any("2 graphs" in note for note in imported.repairs)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("<node/>", "has no id"),
        (NODES + '<edge target="b"/>', "has no source"),
        (NODES + '<hyperedge><endpoint node="a"/></hyperedge>', "hyperedge"),
    ],
)
def test_what_cannot_be_read_is_refused_in_words(body, words):
    with pytest.raises(Refused, match=words):
        read_topology(graphml(body))


def test_a_file_without_a_graph_is_refused():
    with pytest.raises(Refused, match="no <graph>"):
        read_topology(b"<graphml/>")
