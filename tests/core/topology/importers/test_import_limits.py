"""Malicious files are refused with one line, or read in time proportional to their size."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercast.errors import Refused, RefusedMany
from tercast.topology.importers import TOO_LARGE, TOO_MANY, limits, read_topology
from tercast.topology.importers.ids_and_labels import unique_ids
from tercast.topology.importers.port_numbers import Ports
from tercast.topology.reader import read_topology as read_own_topology
from tests.property_profiles import examples

LAUGHS = (
    '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><graphml><graph><node id="&b;"/></graph></graphml>'
)


def refusal(data: bytes, **options) -> Refused:
    with pytest.raises(Refused) as caught:
        read_topology(data, **options)
    assert "\n" not in str(caught.value)
    return caught.value


@pytest.mark.parametrize("form", [None, "graphml", "sndlib"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "latin-1"])
def test_document_types_are_refused_in_any_encoding(encoding, form):
    assert refusal(LAUGHS.encode(encoding), form=form).code == "xml_doctype"


def test_a_declared_encoding_hides_no_document_type():
    for name in ("utf-16", "utf-16le", "cp037", "utf-7", "rot13", "base64"):
        head = f'<?xml version="1.0" encoding="{name}"?>'
        assert refusal((head + LAUGHS).encode(), form="graphml").code in ("xml_doctype", "xml_syntax")


def test_words_that_only_look_like_a_declaration_are_text():
    label = "<![CDATA[<!DOCTYPE x>]]>"
    file = f"<graphml><graph><node id='1'><data key='label'>{label}</data></node></graph></graphml>"
    assert read_topology(file.encode()).topology["switches"][0]["name"] == "<!DOCTYPE x>"


def test_xml_is_read_in_the_encodings_that_it_declares():
    for encoding in ("utf-16", "iso-8859-1", "windows-1252"):
        file = f'<?xml version="1.0" encoding="{encoding}"?><graphml><graph><node id="é"/></graph></graphml>'
        assert read_topology(file.encode(encoding)).topology["switches"][0]["name"] == "é"


def test_deep_xml_is_refused():
    assert refusal(b"<graphml>" + b"<a>" * 200_000).code == "xml_depth"


@pytest.mark.parametrize("depth", [*range(940, 1000, 6), 100_000])
def test_deep_json_is_refused_or_read(depth):
    deep = b"[" * depth + b"]" * depth
    file = b'{"nodes": [{"id": 1, "label": %b, "lat": %b, "dpid": %b}], "links": []}' % (deep, deep, deep)
    try:
        assert read_topology(file).repairs
    except Refused as refused:
        assert refused.code == "json_syntax"


def test_deep_gml_is_refused():
    assert "deeper than 100" in refusal(b"graph [ " + b"a [ " * 200_000).detail


@pytest.mark.parametrize(
    "file",
    [
        b"<graphml><graph>" + b"<node id='1'/>" * 11,
        b"<graphml><graph>" + b"<edge source='1' target='1'/>" * 21,
        b"<network><nodes>" + b"<node id='1'/>" * 11,
        b"<network><nodes/><links>" + b"<link/>" * 21,
        b"graph [" + b" node [ id 1 ]" * 11,
        b"graph [" + b" edge [ source 1 target 1 ]" * 21,
        b'{"links": [], "nodes": [' + b"{}," * 10 + b"{}]}",
        b'{"nodes": [], "links": [' + b"{}," * 20 + b"{}]}",
        b'{"links": [], "switches": [{}], "hosts": [' + b"{}," * 9 + b"{}]}",
        b'{"links": [' + b"{}," * 20 + b'{}], "switches": [{}]}',
        b"".join(b"a b%d 1\n" % n for n in range(10)),
        b"a b 1\n" * 21,
        b"Topology: x\nNodes: x\n" + b"1 2 3 4 5 6 7\n" * 11,
        b"Topology: x\nEdges: x\n" + b"1 2 3 4 5 6 7 8 9\n" * 21,
    ],
)
def test_too_many_nodes_or_links_are_refused_with_the_limit(monkeypatch, file):
    monkeypatch.setattr(limits, "MOST_NODES", 10)
    monkeypatch.setattr(limits, "MOST_LINKS", 20)
    refused = refusal(file)
    assert refused.code == TOO_MANY
    assert "at most 10" in refused.detail or "at most 20" in refused.detail


def test_too_many_parts_of_any_kind_are_refused(monkeypatch):
    monkeypatch.setattr("tercast.topology.importers.node_link_json._MOST_CONTAINERS", 10)
    monkeypatch.setattr("tercast.topology.importers.sndlib._MOST_ELEMENTS", 10)
    assert refusal(b'{"a": [' + b"{}," * 9 + b"{}]}").code == TOO_MANY
    assert refusal(b"<graphml>" + b"<a/>" * 10 + b"</graphml>").code == TOO_MANY


def test_too_many_hosts_are_refused_with_the_limit(monkeypatch):
    monkeypatch.setattr(limits, "MOST_HOSTS", 10)
    assert len(read_topology(b"a b 1\n", hosts_per_switch=5).topology["hosts"]) == 10
    assert refusal(b"a b 1\n", hosts_per_switch=6).code == TOO_MANY


def test_a_file_beyond_the_limit_is_refused(monkeypatch):
    monkeypatch.setattr("tercast.topology.importers.importer.LARGEST_FILE", 5)
    assert refusal(b"a b 1\n").code == TOO_LARGE


@pytest.mark.parametrize(
    "weight", ["1e999999999", "1e-999999999", "9" * 5000, "1/3", "1_0", "٣", "0x10", "inf"]
)
def test_a_weight_that_is_no_plain_number_is_reported(weight):
    imported = read_topology(f"a b {weight}\n".encode(), "rocketfuel")
    assert imported.topology["links"][0]["cost"] == 1
    assert any("is not a positive number" in note for note in imported.repairs)


# Quadratic work is detected by counting.


class Counted(set):
    """A set that counts its membership tests."""

    asked = 0

    def __contains__(self, item):
        Counted.asked += 1
        return super().__contains__(item)


def test_free_ports_are_found_without_looking_at_all_that_are_taken():
    ports = Ports([])
    ports._kept["hub"] = Counted()
    Counted.asked = 0
    assert [ports.take("hub") for _ in range(1000)] == list(range(1, 1001))
    assert Counted.asked <= 2000


def test_ids_of_nodes_that_look_alike_are_found_without_trying_all():
    rows = [(chr(0x4E00 + n), "same") for n in range(300)]
    ids = unique_ids(rows)
    assert len(set(ids.values())) == 300
    assert ids == dict(unique_ids(reversed(rows)))


def test_many_edges_between_two_nodes_are_joined_with_their_twins():
    imported = read_topology(b"a b 1\n" * 20_000 + b"b a 1\n" * 20_000)
    assert len(imported.topology["links"]) == 20_000


SOUND = (
    b'<graphml><graph><node id="a"/><node id="b"/><edge source="a" target="b"/></graph></graphml>',
    b"graph [ node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 weight 2 ] ]",
    b'{"nodes": [{"id": 1, "lat": 1, "lon": 2}, {"id": 2}], "links": [{"source": 1, "target": 2}]}',
    b'{"switches": [{"id": "a", "dpid": "00000000000000aa"}], "links": [], "hosts": []}',
    b'{"switches": [{"name": "a"}], "hosts": [{"name": "h"}], "links": [{"a": "a", "b": "h", "a_port": 1}]}',
    b"<network><nodes><node id='a'/></nodes><links/></network>",
    b"a b 1\nb a 2\n",
)
PIECES = (
    b"",
    b"<",
    b'"',
    b"]",
    b"}",
    b"[",
    b"null",
    b"NaN",
    b"-1",
    b"9" * 400,
    b"\\u0000",
    b"\xff",
    b"\0",
    b"\n",
)


@examples(300)
@given(
    st.sampled_from(SOUND),
    st.lists(st.tuples(st.integers(0, 200), st.integers(0, 20), st.sampled_from(PIECES)), max_size=3),
)
def test_a_damaged_file_is_refused_or_gives_a_topology_that_scenarios_take(file, damages):
    for place, length, piece in damages:
        file = file[:place] + piece + file[place + length :]
    try:
        imported = read_topology(file, hosts_per_switch=1)
    except (Refused, RefusedMany) as refused:
        assert str(refused).isprintable() or isinstance(refused, RefusedMany)
        return
    read_own_topology(imported.topology, "ipv6")
