"""Ids do not depend on the order of nodes, even if labels and keys look alike; keys may be lists."""

import json
from collections.abc import Callable
from itertools import permutations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercast.errors import Refused
from tercast.topology.importers import read_topology
from tercast.topology.importers.ids_and_labels import unique_ids

Rows = list[tuple[object, str]]


def graphml(rows: Rows) -> bytes:
    nodes = "".join(f'<node id="{key}"><data key="label">{label}</data></node>' for key, label in rows)
    return f"<graphml><graph>{nodes}</graph></graphml>".encode()


def gml(rows: Rows) -> bytes:
    nodes = "".join(f"node [ id {json.dumps(key)} label {json.dumps(label)} ] " for key, label in rows)
    return f"graph [ {nodes}]".encode()


def node_link(rows: Rows) -> bytes:
    return json.dumps({"nodes": [{"id": key, "label": label} for key, label in rows], "links": []}).encode()


def mininet(rows: Rows) -> bytes:
    switches = [{"name": key, "label": label} for key, label in rows]
    return json.dumps({"switches": switches, "links": []}).encode()


LONG = "k" * 50
ALIKE: list[Rows] = [
    [("a/b", "edge"), ("a.b", "edge"), ("a b", "edge")],
    [(f"{LONG}1", "edge"), (f"{LONG}2", "edge"), ("x", "other")],
    [("a", "edge"), ("5", "edge-a"), ("b", "edge"), ("A", "edge")],
    [("a!", ""), ("a?", ""), ("a", "na"), ("b", "na-a")],
    [("7", "Gain"), ("9", "Gain"), ("3", "GAIN!"), ("8", "Gain-7")],
    [("\u4e2d", "\u4e2d"), ("\u6587", "\u4e2d"), ("!", "")],
    [("0", "x" * 60 + "1"), ("1", "x" * 60 + "2")],
]
TYPED: list[Rows] = [[(1, "edge"), ("1", "edge"), ("01", "edge"), ("+1", "edge")]]
JSON_ONLY: list[Rows] = [
    [
        ([0, 1], "edge"),
        (["0", "1"], "edge"),
        ("[0, 1]", "edge"),
        ("0-1", "edge"),
        (0.1, "edge"),
        ("0.1", "edge"),
    ],
    [([0, [1, "a"]], ""), ([0, 1, "a"], ""), (-0.5, ""), (0.5, "")],
]
CASES = (
    [(write, rows) for rows in ALIKE for write in (graphml, gml, node_link, mininet)]
    + [(write, rows) for rows in TYPED for write in (gml, node_link, mininet)]
    + [(write, rows) for rows in JSON_ONLY for write in (node_link, mininet)]
)


@pytest.mark.parametrize(("write", "rows"), CASES)
def test_ids_do_not_depend_on_the_order_of_nodes(write: Callable[[Rows], bytes], rows: Rows):
    def ids(ordered: Rows) -> dict[str, str]:
        switches = read_topology(write(ordered)).topology["switches"]
        return {repr(row): switch["id"] for row, switch in zip(ordered, switches, strict=True)}

    first = ids(rows)
    assert len(set(first.values())) == len(rows)
    orders = list(permutations(rows))
    for order in orders if len(orders) <= 24 else Random(1).sample(orders, 24):
        assert ids(list(order)) == first


keys = st.one_of(st.text("aA.-1", max_size=3), st.integers(0, 1), st.tuples(st.integers(0, 1)))


@given(st.lists(st.tuples(keys, st.text("aA-1 ", max_size=4)), unique_by=lambda row: row[0]), st.randoms())
def test_any_keys_and_labels(rows, random):
    ids = unique_ids(rows)
    shuffled = random.sample(rows, len(rows))
    assert unique_ids(shuffled) == ids
    assert len(set(ids.values())) == len(rows)
    assert all(name and len(name) <= 100 for name in ids.values())


def test_checksums_that_are_taken_already():
    rows = [("a.b", "edge"), ("a-b", "edge")]
    for number in range(5):
        ids = unique_ids(rows)
        assert ids == unique_ids(rows[::-1])
        assert len(set(ids.values())) == len(rows)
        assert all(ids[f"x{n}"] == label for n, (_, label) in enumerate(rows[2:]))
        rows.append((f"x{number}", ids["a.b"]))


def test_nodes_named_by_lists_and_fractions_are_joined_and_keep_their_text():
    document = {
        "nodes": [{"id": [0, 1]}, {"id": ["a", [2.5]]}, {"id": 0.5}, {"name": [7]}],
        "links": [{"source": [0, 1], "target": ["a", [2.5]]}, {"source": 0.5, "target": [7]}],
    }
    imported = read_topology(json.dumps(document).encode())
    assert [row["name"] for row in imported.topology["switches"]] == ["[0, 1]", '["a", [2.5]]', "0.5", "[7]"]
    assert [(row["a"], row["b"]) for row in imported.topology["links"]] == [("0-1", "a-2-5"), ("0-5", "7")]
    assert imported.repairs == ()


@pytest.mark.parametrize(
    "key", ["null", "true", "{}", "[null]", "[1, true]", "[{}]", "NaN", "Infinity", "1e999", "[NaN]"]
)
def test_what_names_no_node_is_refused(key):
    with pytest.raises(Refused, match="the name of a node"):
        read_topology(b'{"nodes": [{"id": %b}], "links": []}' % key.encode())


def test_a_node_named_by_a_list_is_reported_by_its_text():
    document = {"nodes": [{"id": [0, 1]}], "links": [{"source": [0, 1], "target": [0, 2]}]}
    with pytest.raises(Refused, match=r"there is no node \[0, 2\]"):
        read_topology(json.dumps(document).encode())
