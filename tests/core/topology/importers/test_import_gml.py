"""GML of several programs: other nested lists are ignored, and errors name a line."""

import pytest

from tercast.errors import Refused
from tercast.topology.importers import read_topology


def gml(body: str) -> bytes:
    return f"graph [ {body} ]".encode()


NODES = 'node [ id 0 label "A" ] node [ id 1 label "B" ]'


def test_what_surrounds_the_graph_and_stands_in_lists_of_its_own_is_passed_over():
    file = f"""# made by hand
Creator "someone [ at ] work"
Version 1
graph
[
  directed 0
  # the nodes
  {NODES.replace("id 1", "id 1 graphics [ x 1.5 label 7 points [ id 9 ] ] LabelGraphics [ text no ]")}
  edge [ source 0 target 1 graphics [ source 5 ] ]
]"""
    topology = read_topology(file.encode()).topology
    assert [row["name"] for row in topology["switches"]] == ["A", "B"]
    assert len(topology["links"]) == 1


def test_attributes_of_nodes_and_edges():
    body = (
        'node [ id 0 label "Z&#252;rich &amp; more" Latitude 47.4 Longitude 8.5 dpid "ab" ] '
        'node [ id 1 label "" Latitude -1E2 Longitude .5 ] node [ id "x y" hyperedge 1 label None ] '
        'edge [ source 0 target 1 weight 2.5e1 ] edge [ target 0 source "x y" ]'
    )
    imported = read_topology(gml(body))
    first, second, third = imported.topology["switches"]
    assert (first["name"], first["lat"], first["lon"]) == ("Zürich & more", 47.4, 8.5)
    assert int(first["dpid"], 16) == 0xAB
    assert (second["id"], "lat" in second, third["id"]) == ("n1", False, "nx-y")
    assert [row["cost"] for row in imported.topology["links"]] == [25, 1]
    assert len(imported.repairs) == 4


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("A&#38;lt;B", "A&lt;B"),
        ("&amp;amp;", "&amp;"),
        ("&#xFC;&uuml;&#252;", "üüü"),
        ("Sales&region", "Sales&region"),
        ("&unheard; &#0; &#1114112; &;", "&unheard; &#0; &#1114112; &;"),
    ],
)
def test_entities_are_decoded_once_and_only_with_their_semicolon(written, read):
    imported = read_topology(gml(f'node [ id 0 label "{written}" ]'))
    assert imported.topology["switches"][0]["name"] == read
    assert imported.repairs == ()


@pytest.mark.parametrize(
    "before", ['Creator "me" ', "Version 1 ", "meta [ graph [ ] a 1 ] ", "# graph\nCreator graph ", "\ufeff"]
)
def test_it_is_known_whatever_stands_before_the_graph_on_its_line(before):
    imported = read_topology(before.encode() + gml(NODES))
    assert (imported.format, len(imported.topology["switches"])) == ("gml", 2)


@pytest.mark.parametrize(
    "text", ["a graph", "# a graph [\n", '"a" graph [ ]', "a [ graph [ ] ]", "a ] graph [ ]"]
)
def test_words_that_are_no_graph_are_not_taken_for_gml(text):
    with pytest.raises(Refused, match="unknown format"):
        read_topology(text.encode())


def test_edges_with_directions_are_joined():
    edges = "edge [ source 0 target 1 ] edge [ source 1 target 0 ] edge [ source 0 target 1 ]"
    assert len(read_topology(gml(f"{NODES} {edges}")).topology["links"]) == 3
    assert len(read_topology(gml(f"directed 1 {NODES} {edges}")).topology["links"]) == 2


@pytest.mark.parametrize("claim", ["", "multigraph 0", "multigraph 1"])
def test_parallel_edges_stay_whatever_the_file_says_of_itself(claim):
    edge = "edge [ source 0 target 1 key 0 ]"
    assert len(read_topology(gml(f"{claim} {NODES} {edge} {edge}")).topology["links"]) == 2


def test_further_graphs_are_left_out_and_reported():
    imported = read_topology(gml(NODES) + b"\n" + gml("directed 1 node [ id 7 ]"))
    assert len(imported.topology["switches"]) == 2
    assert any("2 graphs" in note for note in imported.repairs)


@pytest.mark.parametrize(
    ("file", "words"),
    [
        (b"graph [\n node [\n", "ends before its last list is closed, in line 3"),
        (b"graph [\n] ]", 'found "\\]", expected a key .* in line 2'),
        (b"graph [ node [ id ] ]", "id has no value"),
        (b"graph [ node [ label 5 ] ]", "the node that ends here has no id"),
        (b"graph [ node [ id [ ] ] ]", "has no id"),
        (b"graph [ node [ id 0 ]\n edge [ source 0 ] ]", "the edge that ends here has no target, in line 2"),
        (b"graph [ 5 6 ]", 'found "5", expected a key'),
        (b'graph [ node [ id 0 label "open ] ]', 'line 1 has "\\\\"open'),
        (b"graph [\n\n ? ]", 'line 3 has "\\? ]"'),
        (b"graph [ ] node", "ends before"),
    ],
)
def test_an_error_is_reported_with_its_line(file, words):
    with pytest.raises(Refused, match=words) as caught:
        read_topology(file)
    assert str(caught.value).startswith("invalid GML: ")


def test_a_file_that_has_no_graph_is_refused():
    with pytest.raises(Refused, match="no graph"):
        read_topology(b"Creator 1", "gml")


def test_more_keys_and_values_than_are_read_are_refused(monkeypatch):
    monkeypatch.setattr("tercast.topology.importers.gml._MOST_TOKENS", 20)
    assert read_topology(gml("node [ id 0 a 1 b 2 ]")).topology
    with pytest.raises(Refused, match="more than 20"):
        read_topology(gml("node [ id 0 a 1 b 2 c 3 d 4 e 5 f 6 ]"))
