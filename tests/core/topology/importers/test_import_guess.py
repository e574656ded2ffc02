"""The guess of a format depends on required content, not only on the first bytes."""

import json

import pytest

from tercast.cli import main
from tercast.errors import Refused
from tercast.topology.importers import read_topology

LINKS = "A,B 1 0\nB,A 2 0\nB,C 3 0\nC,B 4 0\n"
MATSIM = """<network name="m"><nodes><node id="1" x="0" y="0"/><node id="2" x="1" y="1"/></nodes>
<links><link id="1" from="1" to="2" length="3"/></links></network>"""


@pytest.mark.parametrize(
    ("file", "words"),
    [
        pytest.param(LINKS, 'the weight "0" in line 1 is not a positive number', id="link, index, capacity"),
        pytest.param(
            LINKS.replace(" 0", " 10"), '"A,B" in line 1 has a comma without a +', id="link in one field"
        ),
        pytest.param(
            "AB 1 10\nBA 2 10\nBC 3 10\n", "the second column has only numbers", id="name, index, number"
        ),
        pytest.param("n1 0.5 0.25\nn2 1.5 2.25\n", "the second column has only numbers", id="places"),
        pytest.param("1 10 20\n2 20 30\n3 10 30\n", "the first column only counts", id="index, ends"),
        pytest.param("0 0 1\n1 1 2\n2 0 2\n", "the first column only counts", id="index, ends alike"),
        pytest.param("1 47.3 8.5\n2 46.9 7.4\n", "the first column only counts", id="index, place"),
        pytest.param("1 2 -1\n2 1 0\n", 'the weight "-1"', id="AS relationships"),
        pytest.param("0 5 7\n5 0 2\n7 2 0\n", 'the weight "0"', id="matrix"),
        pytest.param("1 1 1\n2 2 1\n", "no line joins two different nodes", id="identity"),
        pytest.param("a b 1e\nb a 1e\n", 'the weight "1e"', id="broken numbers"),
        pytest.param("0.5 1.0 2.0\n0.7 1.5 2.5\n", '"0.5" in line 1 is not a whole number', id="points"),
        pytest.param("2 -1 5\n-1 2 5\n", '"-1" in line 1 is not a whole number', id="negative numbers"),
        pytest.param("2020 01 15\n2020 02 16\n", "have no number in common", id="dates"),
        pytest.param("e 1 2\ne 2 3\n", "the second column has only numbers", id="DIMACS edges"),
        pytest.param("c a graph\np edge 3 2\ne 1 2\ne 2 3\n", "looks like DIMACS", id="DIMACS"),
        pytest.param('digraph g {\n graph [bb="0,0"];\n a -> b;\n}\n', "looks like DOT", id="DOT"),
        pytest.param("// made\nstrict graph {\n a -- b\n}\n", "looks like DOT", id="DOT with a comment"),
        pytest.param("*Vertices 2\n1 a\n2 b\n*Edges\n1 2 1\n", "looks like Pajek", id="Pajek"),
        pytest.param("from,to,weight\na,b,1\n", "unknown format", id="CSV"),
        pytest.param("a;b;1\nb;a;1\n", "unknown format", id="semicolons"),
        pytest.param(MATSIM, "without <networkStructure>", id="MATSim"),
        pytest.param("<network><name>default</name></network>", "without <networkStructure>", id="libvirt"),
        pytest.param("<gexf><graph/></gexf>", 'the root element is "gexf"', id="GEXF"),
        pytest.param("Topology:\n  nodes: [a, b]\n", "begins like BRITE", id="YAML"),
        pytest.param("Topology: ring of 5\n0 1\n1 2\n", "begins like BRITE", id="a title"),
        pytest.param(
            "Topology: ( 1 Nodes, 0 Edges )\nNodes: ( 1 )\nthis line has seven words in it\n",
            "are numbers",
            id="BRITE of words",
        ),
        pytest.param(json.dumps({"elements": {"nodes": []}}), "has no list", id="Cytoscape"),
        pytest.param(
            json.dumps({"nodes": [{"id": 1}, {"id": 2}], "edges": [{"from": 1, "to": 2}]}),
            "edges[0].source",
            id="vis.js",
        ),
        pytest.param(
            json.dumps({"switches": [{"opts": {"hostname": "s1"}}], "links": [], "hosts": []}),
            "switches[0]",
            id="MiniEdit",
        ),
    ],
)
def test_near_misses_are_refused_with_the_reason(file, words):
    with pytest.raises(Refused) as caught:
        read_topology(file.encode())
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_who_names_the_format_gets_it_with_repairs():
    imported = read_topology(LINKS.encode(), "rocketfuel")
    assert (imported.format, imported.assumed) == ("rocketfuel", False)
    assert sum("is not a positive number" in note for note in imported.repairs) == 4


@pytest.mark.parametrize(
    "file",
    [
        "San+Jose,+CA1 Anaheim,+CA2 2.5\nAnaheim,+CA2 San+Jose,+CA1 2.5\n",
        "# made by hand\n1 2 3\n2 1 3\n",
        "0 1 100\n1 2 100\n",
        "s1 s2 10\ns2 s3 10\n",
        "a b 1\n",
        "hub a 1\nhub b 1\nhub c 1\n",
        "a b 1e999999999\n",
        "1 a 2\na 1 2\n",
        "5 6 10\n",
    ],
)
def test_plausible_lines_are_rocketfuel(file):
    imported = read_topology(file.encode())
    assert (imported.format, imported.assumed) == ("rocketfuel", True)


def test_a_field_called_topology_is_not_yet_a_scenario():
    file = {
        "topology": "ring",
        "nodes": [{"id": "a"}, {"id": "b"}],
        "links": [{"source": "a", "target": "b"}],
    }
    imported = read_topology(json.dumps(file).encode())
    assert (imported.format, imported.counts["switches"]) == ("json", 2)


@pytest.mark.parametrize(
    ("node", "link", "words"),
    [
        ("<node/>", "", "the <node> in line 1 has no id"),
        ('<node id="a"/>', '<link id="l1"><source>a</source></link>', 'link "l1" in line 1 has no <target>'),
    ],
)
def test_sndlib_names_nodes_and_ends(node, link, words):
    file = (
        f"<network><networkStructure><nodes>{node}</nodes><links>{link}</links></networkStructure></network>"
    )
    with pytest.raises(Refused, match=words):
        read_topology(file.encode())


def test_the_command_names_the_format_that_it_assumed(tmp_path, capsys):
    file, out = tmp_path / "list", tmp_path / "topology.json"
    file.write_text("a b 1\nb a 1\n")
    assert main.main(["import", str(file), "-o", str(out)]) == 0
    assert capsys.readouterr().err.splitlines() == [
        "format: rocketfuel, detected from the content (lines FROM TO WEIGHT); "
        "use --format to choose another",
        f"{file}: rocketfuel, 2 switches, 1 link, 0 hosts, 0 repairs",
    ]
    assert main.main(["import", str(file), "-o", str(out), "--format", "rocketfuel"]) == 0
    assert len(capsys.readouterr().err.splitlines()) == 1
    file.write_text(LINKS)
    out.unlink()
    assert main.main(["import", str(file), "-o", str(out)]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"{file}: format: ")
    assert "not a positive number" in error
    assert not out.exists()
