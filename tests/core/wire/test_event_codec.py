"""Events of all topics round-trip; other bytes raise a WireError and no other exception."""

import math
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercast.errors import Refused
from tercast.eventspace.topic import Bool, Enum, Float, Int, String, Topic
from tercast.wire.errors import UnknownSchema, WireError
from tercast.wire.event_codec import MAX_PAYLOAD, Event, EventCodec, decode, fingerprint
from tests.property_profiles import examples

LARGEST = 2**64 - 1
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
doubles = st.floats(allow_nan=False, allow_infinity=False)


attribute_kinds = st.one_of(
    st.tuples(st.integers(), st.integers()).map(lambda ends: lambda name: Int(name, min(ends), max(ends))),
    st.lists(doubles, min_size=2, max_size=2, unique_by=float).map(
        lambda ends: lambda name: Float(name, min(ends), max(ends))
    ),
    st.just(Bool),
    st.lists(texts, min_size=1, max_size=300, unique=True).map(
        lambda values: lambda name: Enum(name, tuple(values))
    ),
    st.just(String),
)
topics = st.builds(
    lambda name, code, kinds: Topic(name, code, tuple(kind(f"a{i}") for i, kind in enumerate(kinds))),
    st.text("abcé", min_size=1, max_size=5),
    st.integers(0, (1 << 112) - 1),
    st.lists(attribute_kinds, min_size=1, max_size=4),
)


def values_of(attribute):
    match attribute:
        case Int(min=low, max=high):
            return st.integers(low, high)
        case Float(min=low, max=high):
            return st.floats(low, high)
        case Bool():
            return st.booleans()
        case Enum(values=values):
            return st.sampled_from(values)
        case _:
            return texts


@st.composite
def topic_and_event(draw):
    topic = draw(topics)
    values = {attribute.name: draw(values_of(attribute)) for attribute in topic.attributes}
    publisher = draw(texts.filter(lambda text: 0 < len(text.encode()) <= 255))
    numbers = draw(st.integers(0, LARGEST)), draw(st.integers(0, LARGEST))
    return topic, Event(topic.name, topic.code, publisher, *numbers, topic.check(values))


def one(codec):
    return lambda code, schema: codec if schema == codec.fingerprint else None


def bits(values):
    return [struct.pack(">d", value) if isinstance(value, float) else value for value in values.values()]


@given(topic_and_event())
def test_every_event_round_trips(drawn):
    topic, event = drawn
    codec = EventCodec(topic)
    data = codec.encode(event)
    back = decode(data, one(codec))
    assert back == event
    assert bits(back.values) == bits(event.values)
    assert [type(value) for value in back.values.values()] == [type(value) for value in event.values.values()]
    assert sum(codec.sizes(event.values).values()) == len(codec.encode_values(event.values))


@given(topic_and_event(), st.data())
def test_every_cut_and_every_addition_is_refused(drawn, data):
    codec = EventCodec(drawn[0])
    whole = codec.encode(drawn[1])
    cut = data.draw(st.integers(0, len(whole) - 1))
    for broken in (whole[:cut], whole + data.draw(st.binary(min_size=1, max_size=3))):
        with pytest.raises(WireError) as caught:
            decode(broken, one(codec))
        assert 0 <= caught.value.position <= len(broken)


def only_its_own_form(codec, data):
    try:
        event = decode(data, one(codec))
    except WireError as error:
        assert 0 <= error.position <= max(len(data), MAX_PAYLOAD)
        assert error.rule and "\n" not in str(error)
    else:
        assert codec.encode(event) == data


@examples(300)
@given(topic_and_event(), st.data())
def test_changed_bytes_are_refused_or_the_one_form_of_another_event(drawn, data):
    codec = EventCodec(drawn[0])
    whole = bytearray(codec.encode(drawn[1]))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(whole) - 1))
        match data.draw(st.sampled_from(["set", "insert", "delete"])):
            case "set":
                whole[at] = data.draw(st.integers(0, 255))
            case "insert":
                whole[at:at] = data.draw(st.binary(max_size=3))
            case "delete" if len(whole) > 1:
                del whole[at]
    only_its_own_form(codec, bytes(whole))


@given(topics, st.binary(max_size=1300), st.binary(max_size=60))
def test_noise_is_refused(topic, noise, tail):
    codec = EventCodec(topic)
    only_its_own_form(codec, noise)
    only_its_own_form(codec, codec.head(1, 2) + tail)
    only_its_own_form(codec, codec.head(1, 2) + b"\x04\x02a1" + tail)


@pytest.mark.parametrize(
    "value", [-0.0, 0.0, 1e-310, 5e-324, 31.333846775201351, 1.7976931348623157e308, 0.1 + 0.2]
)
def test_doubles_arrive_with_all_their_bits(value):
    topic = Topic("t", 0, (Float("x", -1.7976931348623157e308, 1.7976931348623157e308),))
    codec = EventCodec(topic)
    data = codec.encode(Event("t", 0, "p", 1, 2, topic.check({"x": value})))
    back = decode(data, one(codec)).values["x"]
    assert struct.pack(">d", back) == struct.pack(">d", value)


def test_a_minus_zero_is_in_a_domain_that_begins_at_zero():
    topic = Topic("t", 0, (Float("x", 0.0, 1.0),))
    codec = EventCodec(topic)
    data = codec.encode(Event("t", 0, "p", 1, 2, topic.check({"x": -0.0})))
    assert math.copysign(1, decode(data, one(codec)).values["x"]) == -1


@pytest.mark.parametrize("publisher", ["", "x" * 256, "ü" * 128, "a\0b", "\ud800"])
def test_long_publisher_id_is_refused(publisher):
    codec = EventCodec(Topic("t", 0, (Bool("b"),)))
    with pytest.raises(Refused) as caught:
        codec.encode(Event("t", 0, publisher, 1, 2, {"b": True}))
    assert caught.value.path == ("publisher",)


@pytest.mark.parametrize(
    ("seq", "sent_at", "path"), [(-1, 0, "seq"), (2**64, 0, "seq"), (0, 2**64, "sent_at")]
)
def test_numbers_that_do_not_fit_are_refused(seq, sent_at, path):
    codec = EventCodec(Topic("t", 0, (Bool("b"),)))
    with pytest.raises(Refused) as caught:
        codec.encode(Event("t", 0, "p", seq, sent_at, {"b": True}))
    assert caught.value.path == (path,)


def test_the_fingerprint_sees_name_attributes_and_domains_but_no_code_or_indexing():
    base = Topic("t", 4, (Int("a", 0, 9), Float("b", 0.0, 1.0), Enum("c", ("x", "y"))))
    a, b, c = base.attributes
    others = [
        Topic("u", 4, (a, b, c)),
        Topic("t", 4, (b, a, c)),
        Topic("t", 4, (a, b)),
        Topic("t", 4, (Int("a", 0, 10), b, c)),
        Topic("t", 4, (Int("d", 0, 9), b, c)),
        Topic("t", 4, (a, Float("b", 0.0, 2.0), c)),
        Topic("t", 4, (a, b, Enum("c", ("y", "x")))),
        Topic("t", 4, (a, b, String("c"))),
        Topic("t", 4, (Bool("a"), b, c)),
    ]
    assert len({fingerprint(topic) for topic in [base, *others]}) == len(others) + 1
    assert fingerprint(base) == fingerprint(base.with_code(5)) == fingerprint(base.with_indexed(["b"]))
    assert fingerprint(base) == fingerprint(Topic("t", 4, (a, Float("b", -0.0, 1.0), c)))


def test_an_event_of_another_schema_is_distinguished_from_noise():
    old, new = (EventCodec(Topic("t", 4, (Int("a", 0, most),))) for most in (9, 10))
    data = old.encode(Event("t", 4, "p", 1, 2, {"a": 3}))
    with pytest.raises(UnknownSchema, match=rf"code 4 and schema {old.fingerprint:08x}"):
        decode(data, one(new))


def test_an_event_is_named_by_topic_publisher_and_number():
    event = Event("t", 4, "p", 1, 2, {"a": 3})
    assert {event: "here"}[Event("t", 4, "p", 1, 2, {"a": 3})] == "here"
    assert event != Event("t", 4, "p", 2, 2, {"a": 3})
