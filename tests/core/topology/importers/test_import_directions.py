"""Links listed for each direction, repeated values, and the lines that errors name."""

import json

import pytest

from tercast.errors import Refused
from tercast.topology.importers import read_topology

NODES = [{"id": "a"}, {"id": "b"}, {"id": "c"}]
THERE = [{"source": "a", "target": "b"}, {"source": "b", "target": "c"}]
BACK = [{"source": "b", "target": "a"}, {"source": "c", "target": "b"}]
JOINED = "each link is listed in both directions"


def graphml(keys, content, default="undirected"):
    return f'<graphml>{keys}\n<graph edgedefault="{default}">\n{content}\n</graph>\n</graphml>'.encode()


@pytest.mark.parametrize(
    ("links", "directed", "count", "is_noted"),
    [
        (THERE + BACK, None, 2, True),
        (THERE + BACK, True, 2, False),
        (THERE + BACK, False, 4, False),
        (THERE + BACK[:1], None, 3, False),
        (THERE + THERE, None, 4, False),
        (THERE * 2 + BACK * 2, None, 4, True),
    ],
)
def test_directions_are_joined_unless_the_file_says_otherwise(links, directed, count, is_noted):
    said = {} if directed is None else {"directed": directed}
    imported = read_topology(json.dumps({**said, "nodes": NODES, "links": links}).encode())
    assert imported.counts["links"] == count
    assert any(JOINED in note for note in imported.repairs) == is_noted


@pytest.mark.parametrize(
    "file",
    [
        "graph [ node [ id 1 ] node [ id 2 ] edge [ source 1 target 2 ] edge [ source 2 target 1 ] ]",
        '<network><networkStructure><nodes><node id="1"/><node id="2"/></nodes><links>'
        '<link id="x"><source>1</source><target>2</target></link>'
        '<link id="y"><source>2</source><target>1</target></link></links></networkStructure></network>',
    ],
)
def test_directions_are_joined_in_other_formats(file):
    imported = read_topology(file.encode())
    assert imported.counts["links"] == 1
    assert any(JOINED in note for note in imported.repairs)


def test_a_cable_that_is_listed_from_both_ends_is_one_link():
    links = [
        {"a": "s1", "a_port": 1, "b": "s2", "b_port": 2},
        {"a": "s2", "a_port": 2, "b": "s1", "b_port": 1},
        {"a": "s1", "a_port": 3, "b": "s2", "b_port": 4},
    ]
    file = {"switches": [{"name": "s1"}, {"name": "s2"}], "hosts": [], "links": links}
    imported = read_topology(json.dumps(file).encode())
    ports = [(link["a_port"], link["b_port"]) for link in imported.topology["links"]]
    assert ports == [(1, 2), (3, 4)]
    assert any("occurs twice" in note for note in imported.repairs)


def test_the_first_of_two_values_of_one_name_counts():
    keys = "".join(
        f'<key id="{name}{n}" for="{of}" attr.name="{name}"/>'
        for name, of in (("label", "node"), ("weight", "edge"))
        for n in (1, 2)
    )
    content = (
        '<node id="n"><data key="label1">Alpha</data><data key="label2">Beta</data></node><node id="m"/>'
        '<edge source="n" target="m"><data key="weight1">2</data><data key="weight2">9</data></edge>'
    )
    imported = read_topology(graphml(keys, content))
    assert imported.topology["switches"][0]["name"] == "Alpha"
    assert imported.topology["links"][0]["cost"] == 2
    assert [note for note in imported.repairs if "twice" in note] == [
        'node "n" has label twice, "Alpha" and "Beta"; the first is used',
        'the edge from "n" to "m" has weight twice, "2" and "9"; the first is used',
    ]


def test_one_key_id_for_nodes_and_edges():
    keys = '<key id="d0" for="node" attr.name="label"/><key id="d0" for="edge" attr.name="weight"/>'
    content = (
        '<node id="n"><data key="d0">Alpha</data></node><node id="m"/>'
        '<edge source="n" target="m"><data key="d0">7</data></edge>'
    )
    imported = read_topology(graphml(keys, content))
    assert imported.topology["switches"][0]["name"] == "Alpha"
    assert imported.topology["links"][0]["cost"] == 7


def test_a_default_is_no_second_value():
    keys = '<key id="d0" for="node" attr.name="label"><default>None</default></key>'
    imported = read_topology(graphml(keys, '<node id="n"><data key="d0">A</data></node><node id="m"/>'))
    assert [row["name"] for row in imported.topology["switches"]] == ["A", "None"]
    assert imported.repairs == ()


def test_a_repeated_node_is_reported_with_both_labels():
    imported = read_topology(b'graph [ node [ id 1 label "A" ] node [ id 1 label "B" ] ]')
    assert imported.repairs == ('node 1 occurs twice, as "A" and as "B"; the first is used',)


@pytest.mark.parametrize(
    ("file", "words"),
    [
        (graphml("", "<node/>"), "the <node> in line 3 has no id"),
        (graphml("", '<node id="a"/>\n<edge source="a"/>'), 'line 4 has no target; it has only "source"'),
        (
            graphml("", '<node id="a"/>\n<edge source="a" target="q"/>'),
            'edges[0]: line 4: there is no node "q"',
        ),
        (
            b"graph [\n node [ id 1 ]\n edge [ source 1 target 3 ]\n]\n",
            "edges[0]: line 3: there is no node 3",
        ),
        (b"a b 1\nb a 1\nb c\n", 'line 3: "b c": a line has three fields'),
        (b"a b 1\n\nb a x\n", 'the weight "x" in line 3'),
        (
            b"Topology: ( 1 Nodes, 1 Edges )\nNodes: ( 1 )\n0 1 1 1 1 0 X\nEdges: ( 1 )\n0 0 7 1 1 1 0 0 X\n",
            'edges[0]: line 5: there is no node "7"',
        ),
        (
            b'{"nodes": [{"id": 1, "id": 2}], "links": []}',
            'the key "id" occurs twice in one object, with 1 and 2',
        ),
        (b'{"nodes": [{"id": 1}], "nodes": [], "links": []}', 'the key "nodes" occurs twice'),
    ],
)
def test_errors_name_the_line_and_the_value(file, words):
    with pytest.raises(Refused) as caught:
        read_topology(file)
    assert words in str(caught.value)
