"""External input is read or refused with an error: filters, events, frames, files.

Every input starts as a valid one and is then damaged: bytes are changed, removed, repeated, inserted
or copied from another input.
`TERCAST_FUZZ` is how many inputs each target gets.
"""

import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tercast.encoding.encoder import encode
from tercast.errors import Refused, RefusedMany
from tercast.eventspace.topic import Topic
from tercast.filters.filter import Filter
from tercast.signalling.codec import decode_answer, decode_message, encode_answer, encode_message
from tercast.signalling.errors import MalformedMessage
from tercast.signalling.messages import (
    AddressBody,
    CellsBody,
    ControlMessage,
    ControlReply,
    FilterText,
    MessageType,
    NamedBody,
    ReplyStatus,
    RunningPublisher,
)
from tercast.signalling.seal import Seal
from tercast.topology.importers import read_topology
from tercast.topology.reader import read_topology as read_own
from tercast.wire.errors import WireError
from tercast.wire.event_codec import Event, EventCodec, decode
from tercast.wire.packets import Ignored, event_payload, udp_frame
from tests.support.fuzz_spoilt import spoilt

pytestmark = pytest.mark.full

EXAMPLES = int(os.environ.get("TERCAST_FUZZ", "1500"))
fuzz = settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)

TOPIC = Topic.from_json(
    {
        "name": "weather",
        "code": 4,
        "attributes": [
            {"name": "low", "type": "int", "min": 0, "max": 1023},
            {"name": "big", "type": "int", "min": str(-(2**70)), "max": str(2**70)},
            {"name": "celsius", "type": "float", "min": -60, "max": 60},
            {"name": "wet", "type": "bool"},
            {"name": "sky", "type": "enum", "values": ["clear", "cloudy", "fog"]},
            {"name": "city", "type": "string"},
        ],
    }
)
VALUES = {"low": 3, "big": 2**65, "celsius": -0.5, "wet": True, "sky": "fog", "city": "G\u00f6teborg"}

FILTERS = (
    b"",
    b"true",
    b"low in [80, 100) and not (celsius >= 31.5 or wet = true)",
    b'city prefix "G\xc3\xb6te" or sky in ("fog", "clear") and low != 7',
    b"big > -1180591620717411303424 and big <= 9007199254740993 and celsius < 1e1",
    b'not not low = 1 or city >= "a\\\\\\"b" and sky > "clear"',
)
FILTER_TOKENS = (
    *(b" and ", b" or ", b"not ", b"(", b")", b"[", b",", b'"', b"prefix", b" in ", b"true", b"1e999", b"-"),
    *(
        b"99999999999999999999999",
        b"1e-400",
        b"0.1",
        b"\x00",
        "\u2028\ud7ff".encode(),
        b"(" * 500,
        b"not " * 500,
    ),
)


@fuzz
@given(spoilt(FILTERS, FILTER_TOKENS))
def test_a_filter_is_read_or_refused(data):
    text = data.decode(errors="surrogateescape")
    try:
        read = Filter.parse(text, TOPIC)
    except Refused as refused:
        assert refused.code and refused.detail
        return
    again = Filter.parse(str(read), TOPIC)
    assert again.matches(VALUES) == read.matches(VALUES)
    found = encode(read, 24, 50)
    assert 0 < len(found.dz) <= 50
    assert encode(again, 24, 50).dz == found.dz


CODEC = EventCodec(TOPIC)
EVENTS = tuple(
    CODEC.encode(Event("weather", 4, publisher, seq, 1_700_000_000_000_000, VALUES | more))
    for publisher, seq, more in (
        ("a1", 1, {}),
        ("p" * 255, 2**63, {"city": ""}),
        ("\u00fc", 0, {"big": -(2**70)}),
    )
)


@fuzz
@given(spoilt(EVENTS, (b"\xff" * 9, b"\x80" * 20, b"\x00")))
def test_an_event_is_read_or_refused_and_has_one_form(data):
    try:
        event = decode(data, lambda code, schema: CODEC if schema == CODEC.fingerprint else None)
    except WireError as error:
        assert str(error)
        return
    assert CODEC.encode(event) == data


MACS = (b"\x02\0\0\0\0\x01", b"\x02\0\0\0\0\x02")
ENDS6 = (bytes.fromhex("fd" + "00" * 14 + "01"), bytes.fromhex("fd" + "00" * 14 + "02"))
ENDS4 = (b"\x0a\0\0\1", b"\x0a\0\0\2")
FRAMES = tuple(udp_frame(MACS, *ends, EVENTS[0], (5000, 5001)) for ends in (ENDS6, ENDS4))


@fuzz
@given(spoilt(FRAMES), st.sampled_from((ENDS6[1], ENDS4[1])))
def test_a_frame_is_an_event_or_ignored(frame, own):
    found = event_payload(frame, own, 5001)
    assert isinstance(found, bytes | Ignored)


KEY = Seal(bytes(32), 7)
MESSAGES = tuple(
    encode_message(message, seal)
    for seal in (None, KEY)
    for message in (
        ControlMessage(MessageType.ADVERTISE, 1, FilterText("weather", "low < 3"), True),
        ControlMessage(MessageType.SUBSCRIBE, 2**64 - 1, CellsBody(4, (0b101, 0b1101)), False),
        ControlMessage(MessageType.UNSUBSCRIBE, 3, NamedBody("q7"), False),
        ControlMessage(MessageType.ADDRESS, 4, AddressBody(b"\x0a\0\0\1"), True),
        ControlMessage(MessageType.LEASE, 5, RunningPublisher("a1", 9, 2), False),
    )
)
ANSWERS = tuple(
    encode_answer(answer, seal)
    for seal in (None, KEY)
    for answer in (
        ControlReply(ReplyStatus.DONE, 1, "q1", 4, False, "", "", None),
        ControlReply(ReplyStatus.REFUSED, 2, "", None, False, "bad_filter", "it is \u201cbad\u201d", None),
    )
)


@fuzz
@given(spoilt((*MESSAGES, *ANSWERS), (b"\xff" * 9, b"\x80" * 20)))
def test_a_control_message_is_read_or_refused(data):
    for read in (decode_message, decode_answer):
        try:
            found = read(data)
        except MalformedMessage as error:
            assert error.code and str(error)
            continue
        if found.sealed is None:
            again = encode_message(found.message) if read is decode_message else encode_answer(found.answer)
            assert again == data


GRAPHML = b"""<?xml version="1.0" encoding="utf-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><key attr.name="label" for="node" id="d0" />
<key attr.name="Latitude" attr.type="double" for="node" id="d1" />
<graph edgedefault="undirected"><node id="0"><data key="d0">A</data><data key="d1">1.5</data></node>
<node id="1"><data key="d0">B</data></node><edge source="0" target="1"/></graph></graphml>"""
FILES = (
    GRAPHML,
    b'graph [ directed 0 node [ id 0 label "A" Latitude 1.5 ] node [ id 1 label "B" ]'
    b" edge [ source 0 target 1 ] ]",
    b"""<?xml version="1.0"?><network xmlns="http://sndlib.zib.de/network"><networkStructure><nodes>
<node id="A"><coordinates><x>1.0</x><y>2.0</y></coordinates></node><node id="B"><coordinates><x>1</x><y>2</y>
</coordinates></node></nodes><links><link id="L"><source>A</source><target>B</target></link></links>
</networkStructure></network>""",
    b'{"nodes": [{"id": "a"}, {"id": "b", "pos": [1, 2]}], "links": [{"source": "a", "target": "b"}]}',
    b'{"switches": [{"id": "s1", "dpid": "0000000000000001"}, {"id": "s2", "dpid": "0000000000000002"}],'
    b' "links": [{"a": "s1", "a_port": 1, "b": "s2", "b_port": 1}], "hosts": []}',
    b"Topology: ( 2 Nodes, 1 Edges )\nNodes: ( 2 )\n0 1 2 1 1 1 RT_NODE\n1 3 4 1 1 1 RT_NODE\n"
    b"Edges: ( 1 )\n0 0 1 2.2 -1 10 1 1 E_RT U\n",
    b"1 @Seattle,+US + bb (2) &2 -> <2> <3> =r0 rn\n2 @Paris bb (1) -> <1> =r1 rn\n"
    b"3 @Rome (1) -> <1> =r2 rn\n",
    b"s1 lo:  s1-eth1:s2-eth1 s1-eth2:h1-eth0\ns2 lo:  s2-eth1:s1-eth1\nh1 h1-eth0:s1-eth2\n",
)
FILE_TOKENS = (
    *(
        b"<!DOCTYPE a [<!ENTITY b 'c'>]>",
        b"&amp;",
        b"</node>",
        b"[" * 200,
        b"{" * 50,
        b"null",
        b"1e999",
        b"NaN",
    ),
    *(
        b"-1",
        b"99999999999999999999",
        b'"',
        b"\xff\xfe",
        b"\x00",
        b"A" * 300,
        b"\xef\xbb\xbf",
        b"id",
        b"0",
        b"true",
    ),
)


@fuzz
@given(spoilt(FILES, FILE_TOKENS), st.integers(0, 2), st.sampled_from(("ipv6", "ipv4")))
def test_a_topology_is_read_whole_or_refused(data, hosts, family):
    try:
        imported = read_topology(data, None, hosts, family)
    except (Refused, RefusedMany) as refused:
        assert str(refused)
        return
    read_own(imported.topology, family)
