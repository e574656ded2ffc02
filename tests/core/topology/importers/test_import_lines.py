"""Formats of lines: counts in a file are compared with its content, so truncated files fail."""

import pytest

from tercast.errors import Refused
from tercast.topology.importers import read_topology

BRITE = """Topology: ( 3 Nodes, 2 Edges )
Model (1 - RTWaxman):  3 1000 100 1  2  0.15 0.2 1 1 10.0 1024.0

Nodes: ( 3 )
0\t610\t997\t1\t1\t0\tRT_NODE
1\t292\t419\t2\t2\t0\tRT_NODE
2\t292\t420\t1\t1\t0\tRT_NODE

Edges: ( 2 )
0\t1\t0\t202.2\t0.67\t0.09\t0\t0\tE_RT\tU
1\t1\t2\t202.2\t0.67\t0.09\t0\t0\tE_RT\tU
"""


def ids(imported) -> list[str]:
    return [row["id"] for row in imported.topology["switches"]]


def test_brite_sections():
    imported = read_topology(BRITE.encode())
    assert (imported.format, ids(imported)) == ("brite", ["node-0", "node-1", "node-2"])
    assert [(row["a"], row["b"]) for row in imported.topology["links"]] == [
        ("node-1", "node-0"),
        ("node-1", "node-2"),
    ]
    assert imported.repairs == ()


def test_brite_that_is_cut_off_anywhere_is_refused():
    lines = BRITE.splitlines(keepends=True)
    for kept in range(1, len(lines)):
        with pytest.raises(Refused) as caught:
            read_topology("".join(lines[:kept]).encode())
        assert caught.value.code == "incomplete"
        assert "truncated" in caught.value.detail
    for characters in range(len("".join(lines[:-1])), len(BRITE) - len("E_RT\tU\n")):
        with pytest.raises(Refused):
            read_topology(BRITE[:characters].encode())


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (
            "Topology: ( 3 Nodes, 9 Edges )",
            "header Topology announces 9 edges, but the file has 2; the file is truncated",
        ),
        (
            "Topology: ( 4 Nodes, 2 Edges )",
            "header Topology announces 4 nodes, but the file has 3; the file is truncated",
        ),
        (
            "Nodes: ( 2 )",
            "header Nodes announces 2 nodes, but the file has 3; correct the header or the section",
        ),
        ("Edges: ( 3 )", "header Edges announces 3 edges, but the file has 2; the file is truncated"),
    ],
)
def test_brite_with_other_counts_than_it_says_is_refused(said, words):
    name = said.split(":")[0]
    text = "".join(f"{said}\n" if line.startswith(name) else f"{line}\n" for line in BRITE.splitlines())
    with pytest.raises(Refused) as caught:
        read_topology(text.encode())
    assert words in str(caught.value)


def test_brite_that_says_no_counts_is_read_and_that_is_reported():
    text = BRITE.replace("( 3 Nodes, 2 Edges )", "").replace("Edges: ( 2 )", "Edges:")
    imported = read_topology(text.encode())
    assert len(imported.topology["links"]) == 2
    assert [note for note in imported.repairs if "truncated" in note] == [
        "no header contains the number of edges; the file may be truncated"
    ]


@pytest.mark.parametrize(
    ("line", "words"),
    [("0 1\n", "node has 7 fields"), ("0 1 2 3 4 5 6\nEdges: ( 1 )\n0 0 0\n", "edge has at least 9 fields")],
)
def test_brite_lines_with_too_few_fields_are_refused(line, words):
    with pytest.raises(Refused, match=words):
        read_topology(f"Topology: ( 1 Nodes, 1 Edges )\nNodes: ( 1 )\n{line}".encode())


def test_rocketfuel_directions_are_one_link_and_fractions_are_scaled():
    text = "San+Jose,+CA1 Anaheim,+CA2 2.5\nAnaheim,+CA2 San+Jose,+CA1 2.5\nAnaheim,+CA2 Relay,+MD3 4\n"
    imported = read_topology(text.encode())
    assert [row["name"] for row in imported.topology["switches"]] == [
        "San Jose, CA1",
        "Anaheim, CA2",
        "Relay, MD3",
    ]
    assert [row["cost"] for row in imported.topology["links"]] == [5, 8]
    assert any("2 times the weights" in note for note in imported.repairs)
    assert any("one direction only" in note for note in imported.repairs)


def test_different_weights_in_the_two_directions_are_reported_and_the_larger_counts():
    imported = read_topology(b"a b 3\nb a 7\n")
    assert [row["cost"] for row in imported.topology["links"]] == [7]
    assert any("the larger is used" in note for note in imported.repairs)


def test_rocketfuel_that_looks_cut_off_is_reported():
    file = "a b 1\nb a 1\na c 25\nc a 25\n"
    assert read_topology(file.encode()).repairs == ()
    notes = read_topology(file[:-2].encode()).repairs
    assert "the last line has no line end; the file may be truncated" in notes
    assert any("opposite direction" in note for note in notes)
    assert (
        "the last line has no line end; the file may be truncated"
        in read_topology(file[:-1].encode()).repairs
    )
    for whole, words in (
        (3, "1 edge is listed in one direction only; it became a link"),
        (1, "1 edge is listed"),
    ):
        lines = file.splitlines(keepends=True)[:whole]
        assert any(words in note for note in read_topology("".join(lines).encode()).repairs)
    assert any(
        "2 edges are listed in one direction only; they became links" in note
        for note in read_topology(b"a b 1\nb c 1\na c 1\nc a 1\n").repairs
    )
