"""Files of networkx with infinities and NaN are repaired in the same way in GML and GraphML."""

import io
import math

import networkx
import pytest

from tercast.topology.importers import read_topology


def written(form: str, graph: networkx.Graph) -> bytes:
    stream = io.BytesIO()
    {"gml": networkx.write_gml, "graphml": networkx.write_graphml}[form](graph, stream)
    return stream.getvalue()


@pytest.mark.parametrize("form", ["gml", "graphml"])
def test_numbers_that_are_none_are_repaired_and_reported(form):
    graph = networkx.Graph()
    graph.add_node("a", latitude=math.nan, longitude=4.5)
    graph.add_node("b", latitude=math.inf, longitude=-math.inf)
    graph.add_node("c", latitude=47.5, longitude=8.5, load=math.nan)
    graph.add_edge("a", "b", weight=math.inf)
    graph.add_edge("b", "c", weight=-math.inf)
    graph.add_edge("a", "c", weight=math.nan)
    graph.add_edge("c", "c", weight=3.5)
    imported = read_topology(written(form, graph))
    assert (imported.format, imported.counts) == (form, {"switches": 3, "links": 3, "hosts": 0})
    assert [row["cost"] for row in imported.topology["links"]] == [1, 1, 1]
    assert [row.get("lat") for row in imported.topology["switches"]] == [None, None, 47.5]
    words = [" ".join(note.split()[:1]) for note in imported.repairs]
    assert words.count("weight") == 3
    assert words.count("coordinates") == 2


@pytest.mark.parametrize("number", ["+INF", "-INF", "NAN", "INF", "+inf", "-Infinity"])
def test_gml_takes_what_no_number_is_as_a_value(number):
    edge = f"edge [ source 0 target 1 weight {number} ]"
    file = f"graph [ node [ id 0 x {number} ] node [ id 1 ] {edge} z {number} ]"
    imported = read_topology(file.encode())
    assert imported.topology["links"][0]["cost"] == 1
    assert any(f'weight "{number}"' in note for note in imported.repairs)


@pytest.mark.parametrize("form", ["gml", "graphml"])
def test_groups_of_yed_are_left_out_unless_links_end_at_them(form):
    frame = {
        "gml": 'node [ id {id} label "{id}" isGroup 1 ]',
        "graphml": '<node id="{id}" yfiles.foldertype="group"/>',
    }
    plain = {"gml": "node [ id {id} ]", "graphml": '<node id="{id}"/>'}
    edge = {"gml": "edge [ source {a} target {b} ]", "graphml": '<edge source="{a}" target="{b}"/>'}
    whole = {"gml": "graph [ {body} ]", "graphml": "<graphml><graph>{body}</graph></graphml>"}
    parts = [frame[form].format(id=7), frame[form].format(id=8), plain[form].format(id=1)]
    file = whole[form].format(body=" ".join([*parts, edge[form].format(a=8, b=1)]))
    imported = read_topology(file.encode())
    assert [row["name"] for row in imported.topology["switches"]] == ["8", "1"]
    left, kept = imported.repairs
    assert "7" in left
    assert left.endswith("it was left out")
    assert "8" in kept
    assert kept.endswith("links end at it, so it became a switch")
