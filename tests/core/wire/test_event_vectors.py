"""The published vectors, read by the library and by a second implementation written from the page alone.

`python tests/core/wire/test_event_vectors.py` prints the bytes that the second implementation computes.
"""

import hashlib
import json
import math
import struct
from pathlib import Path

import pytest

from tercast.eventspace.topic import Topic
from tercast.wire.errors import UnknownSchema, WireError
from tercast.wire.event_codec import (
    SEALED_EVENT,
    Event,
    EventCodec,
    decode,
    fingerprint,
    origin_bytes,
    read_head,
)
from tercast.wire.event_seal import EventSeal, is_good

FILE = Path(__file__).parents[2] / "support" / "vectors" / "wire.json"
VECTORS = json.loads(FILE.read_text(encoding="utf-8"))
TOPICS = {name: Topic.from_json(obj) for name, obj in VECTORS["topics"].items()}


class Plain:
    """The format of docs/wire-format.md, from JSON values to hex digits, without shared code."""

    def __init__(self, topic):
        self.topic = topic

    def varint(self, number):
        groups = []
        while True:
            number, low = divmod(number, 128)
            groups.append(low)
            if number == 0:
                break
        return "".join(f"{group + (128 if i < len(groups) - 1 else 0):02x}" for i, group in enumerate(groups))

    def signed(self, number):
        number = int(number)
        return self.varint(2 * number if number >= 0 else -2 * number - 1)

    def text(self, text):
        data = text.encode("utf-8")
        return self.varint(len(data)) + data.hex()

    def double(self, number):
        return struct.pack("!d", number).hex()

    def domain(self, attribute):
        kind = attribute["type"]
        if kind == "int":
            return "01" + self.signed(attribute["min"]) + self.signed(attribute["max"])
        if kind == "float":
            return "02" + "".join(self.double(attribute[end] or 0.0) for end in ("min", "max"))
        if kind == "enum":
            return "04" + self.varint(len(attribute["values"])) + "".join(map(self.text, attribute["values"]))
        return {"bool": "03", "string": "05"}[kind]

    def description(self):
        attributes = self.topic["attributes"]
        listed = "".join(self.text(attribute["name"]) + self.domain(attribute) for attribute in attributes)
        return self.text(self.topic["name"]) + self.varint(len(attributes)) + listed

    def schema(self):
        return hashlib.sha256(bytes.fromhex(self.description())).hexdigest()[:8]

    def value(self, attribute, value):
        kind = attribute["type"]
        if kind == "int":
            return self.signed(value)
        if kind == "float":
            return self.double(value)
        if kind == "bool":
            return "01" if value else "00"
        if kind == "enum":
            return self.varint(attribute["values"].index(value))
        return self.text(value)

    def event(self, vector):
        publisher = vector["publisher"].encode("utf-8")
        values = vector["values"]
        return (
            ("5414" if "key" in vector else "5411")
            + self.schema()
            + f"{int(vector['seq']):016x}{int(vector['sent_at']):016x}"
            + self.varint(int(vector.get("code", self.topic["code"])))
            + f"{len(publisher):02x}"
            + publisher.hex()
            + "".join(
                self.value(attribute, values[attribute["name"]]) for attribute in self.topic["attributes"]
            )
        )

    def sealed(self, vector):
        data = self.event(vector) + f"{int(vector['key_number']):08x}"
        key = bytes.fromhex(vector["key"])
        tag = hashlib.blake2s(bytes.fromhex(data), key=key, digest_size=16, person=b"tercast4")
        return data + tag.hexdigest()


def find(topic):
    codec = EventCodec(topic)
    return lambda code, schema: codec if schema == codec.fingerprint and code | 1 == topic.code | 1 else None


def same(one, other):
    """Whether values are equal, with the same type and sign."""
    if isinstance(one, float):
        return type(other) is float and one == other and math.copysign(1, one) == math.copysign(1, other)
    return type(one) is type(other) and one == other


def named(kind):
    return pytest.mark.parametrize("vector", VECTORS[kind], ids=[vector["name"] for vector in VECTORS[kind]])


@pytest.mark.parametrize("name", TOPICS)
def test_schemas_have_their_fingerprints(name):
    expected = VECTORS["schemas"][name]
    plain = Plain(VECTORS["topics"][name])
    assert plain.description() == expected["description"]
    assert plain.schema() == expected["fingerprint"]
    assert f"{fingerprint(TOPICS[name]):08x}" == expected["fingerprint"]


@named("events")
def test_events_have_their_bytes(vector):
    topic = TOPICS[vector["topic"]]
    values = topic.check_json(vector["values"])
    code = int(vector.get("code", topic.code))
    event = Event(topic.name, code, vector["publisher"], int(vector["seq"]), int(vector["sent_at"]), values)
    assert Plain(VECTORS["topics"][vector["topic"]]).event(vector) == vector["hex"]
    assert EventCodec(topic).encode(event).hex() == vector["hex"]
    back = decode(bytes.fromhex(vector["hex"]), find(topic))
    assert back == event
    assert list(back.values) == list(values)
    assert all(same(back.values[name], values[name]) for name in values)


@named("sealed")
def test_sealed_events_have_their_bytes(vector):
    topic = TOPICS[vector["topic"]]
    codec = EventCodec(topic)
    seal = EventSeal(int(vector["key_number"]), bytes.fromhex(vector["key"]))
    values = topic.check_json(vector["values"])
    head = codec.head(int(vector["seq"]), int(vector["sent_at"]), SEALED_EVENT)
    data = seal.closed(head + origin_bytes(topic.code, vector["publisher"]) + codec.encode_values(values))
    assert Plain(VECTORS["topics"][vector["topic"]]).sealed(vector) == vector["hex"] == data.hex()
    back = decode(data, find(topic))
    assert (back.publisher, back.seq, back.values) == (vector["publisher"], int(vector["seq"]), values)
    assert is_good(data, seal.key) and read_head(data).key_number == seal.number


@named("bad_seals")
def test_other_seals_are_refused(vector):
    """Events whose seal does not match the key of their vector, and those without space for a seal."""
    data, key = bytes.fromhex(vector["hex"]), bytes.fromhex(vector["key"])
    if vector["counts_as"] == "malformed":
        with pytest.raises(WireError) as caught:
            decode(data, find(TOPICS[vector["topic"]]))
        assert caught.value.position == vector["position"]
    else:
        assert read_head(data).key_number == int(vector["key_number"])
        assert not is_good(data, key)


@named("refused")
def test_other_bytes_are_refused_where_it_shows(vector):
    with pytest.raises(WireError) as caught:
        decode(bytes.fromhex(vector["hex"]), find(TOPICS[vector["topic"]]))
    assert caught.value.position == vector["position"]
    assert isinstance(caught.value, UnknownSchema) == (vector["counts_as"] == "unknown")


def test_every_type_and_every_check_is_among_the_vectors():
    kinds = {attribute.kind for topic in TOPICS.values() for attribute in topic.attributes}
    assert kinds == {"int", "float", "bool", "enum", "string"}
    assert {vector["counts_as"] for vector in VECTORS["refused"]} == {"malformed", "unknown"}


if __name__ == "__main__":
    for name, topic in VECTORS["topics"].items():
        print(name, Plain(topic).schema(), Plain(topic).description())
    for vector in VECTORS["events"]:
        print(vector["name"], Plain(VECTORS["topics"][vector["topic"]]).event(vector))
    for vector in VECTORS["sealed"]:
        print(vector["name"], Plain(VECTORS["topics"][vector["topic"]]).sealed(vector))
