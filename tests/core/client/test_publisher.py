"""What a publisher sends, where to, and what it refuses by name."""

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercast.client.publisher import Publisher
from tercast.client.sequence import Sequence
from tercast.errors import Refused
from tercast.eventspace.address_plan import AddressPlan
from tercast.eventspace.dz import parse
from tercast.eventspace.topic import Bool, Enum, Float, Int, String, Topic
from tercast.filters.filter import Filter
from tercast.wire.errors import TransportClosed
from tercast.wire.event_codec import MAX_PAYLOAD, EventCodec, decode


@pytest.fixture
def publisher(stocks, memory, plan):
    return Publisher(stocks, 'symbol = "AAPL" and low < 100', memory, plan, "a1", clock=lambda: 1_000_000)


def read(topic, payload):
    codec = EventCodec(topic)
    return decode(payload, lambda code, schema: codec)


def test_an_event_goes_to_the_address_of_its_full_dz(publisher, memory, stocks, quote, plan):
    seq = publisher.publish(quote)
    [(address, payload)] = memory.sent
    assert address == plan.event_address(4, stocks.event_dz(quote, 96))
    event = read(stocks, payload)
    assert (event.topic, event.code, event.publisher) == ("stocks", 4, "a1")
    assert event.seq == seq == 1_000_000
    assert event.sent_at == 1_000_000
    assert event.values == quote
    assert publisher.publish(quote) == seq + 1


def test_the_known_address_of_the_worked_case(memory):
    topic = Topic("quotes", 4, (Int("low", 0, 1023),))
    plan = AddressPlan.default("ipv6")
    Publisher(topic, "", memory, plan, "a1", 20).publish({"low": 92})
    assert memory.sent[0][0] == plan.event_address(4, parse("0001011100")) == "ff0e:4:1700::"


@pytest.mark.parametrize("depth", [1, 3, 23])
def test_a_given_depth_cuts_the_address(memory, depth):
    topic = Topic("t", 0, (Float("pressure", 0.0, 100.0), Float("area", 0.0, 100.0)))
    plan = AddressPlan.default("ipv4")
    Publisher(topic, "", memory, plan, "a1", depth).publish({"pressure": 99.0, "area": 99.0})
    assert memory.sent[0][0] == plan.event_address(0, topic.event_dz({"pressure": 99.0, "area": 99.0}, depth))


@pytest.mark.parametrize("depth", [0, -1, 97])
def test_a_depth_that_the_address_has_no_room_for_is_refused(stocks, memory, plan, depth):
    with pytest.raises(Refused, match=r"depth: -?\d+ is out of range; use a number of bits from 1 to 96"):
        Publisher(stocks, "", memory, plan, "a1", depth)


@pytest.mark.parametrize(
    ("change", "path", "code"),
    [
        ({"low": None}, "low", "wrong_type"),
        ({"low": "null"}, "low", "wrong_type"),
        ({"low": "undefined"}, "low", "wrong_type"),
        ({"low": "30.0"}, "low", "wrong_type"),
        ({"low": True}, "low", "wrong_type"),
        ({"low": float("nan")}, "low", "out_of_domain"),
        ({"low": float("inf")}, "low", "out_of_domain"),
        ({"low": -0.1}, "low", "out_of_domain"),
        ({"low": 2**60 + 1}, "low", "wrong_type"),
        ({"volume": True}, "volume", "wrong_type"),
        ({"volume": 7.0}, "volume", "wrong_type"),
        ({"volume": "7"}, "volume", "wrong_type"),
        ({"volume": 10**12 + 1}, "volume", "out_of_domain"),
        ({"symbol": None}, "symbol", "wrong_type"),
        ({"symbol": "null"}, "symbol", "outside_advertisement"),
        ({"symbol": "undefined"}, "symbol", "outside_advertisement"),
        ({"symbol": "AAPL\0"}, "symbol", "out_of_domain"),
        ({"symbol": "\ud800"}, "symbol", "out_of_domain"),
        ({"low": 100.0}, "low", "outside_advertisement"),
        ({"extra": 1}, "extra", "unknown_attribute"),
        ({"extra": None}, "extra", "unknown_attribute"),
    ],
)
def test_values_that_are_not_allowed_are_refused_by_name_and_not_sent(
    publisher, memory, quote, change, path, code
):
    with pytest.raises(Refused) as caught:
        publisher.publish({**quote, **change})
    assert (caught.value.path, caught.value.code) == ((path,), code)
    assert caught.value.value == change[path] or change[path] != change[path]
    assert "\n" not in str(caught.value)
    assert memory.sent == []


@pytest.mark.parametrize("name", ["symbol", "low", "volume"])
def test_a_missing_attribute_is_refused_and_is_not_null(publisher, memory, quote, name):
    del quote[name]
    with pytest.raises(Refused) as caught:
        publisher.publish(quote)
    assert (caught.value.path, caught.value.code) == ((name,), "missing_attribute")
    assert memory.sent == []


def test_null_and_undefined_are_texts_like_others_where_texts_are_allowed(alarms, memory, plan):
    publisher = Publisher(alarms, "", memory, plan, "a1")
    for note in ("null", "undefined", ""):
        publisher.publish({"level": "low", "on": False, "note": note})
    assert [read(alarms, payload).values["note"] for _, payload in memory.sent] == ["null", "undefined", ""]


@pytest.mark.parametrize("value", [31.333846775201351, -0.0, 1e-310])
def test_an_advertisement_of_one_value_takes_exactly_that_value(memory, plan, value):
    topic = Topic("t", 4, (Float("x", -1.0, 100.0),))
    publisher = Publisher(topic, f"x = {value!r}", memory, plan, "a1")
    publisher.publish({"x": value})
    for other in (value + 1e-9, 5e-324):
        with pytest.raises(Refused, match="not match the advertisement"):
            publisher.publish({"x": other})
    assert len(memory.sent) == 1


@pytest.mark.parametrize(
    ("advertised", "text"),
    [
        ('s = "abcdefghijklmnop"', "abcdefghijklmnopq"),
        ('s != "abcdefghijklmnop"', "abcdefghijklmnop"),
        ('s < "abcdefghijklmnop" and s prefix "abc" or n = 1', "abcdefghijklmnop"),
    ],
)
def test_a_text_that_shares_its_point_with_advertised_ones_is_refused_all_the_same(
    memory, plan, advertised, text
):
    topic = Topic("t", 4, (Int("n", 0, 9), String("t"), String("s")))
    publisher = Publisher(topic, advertised, memory, plan, "a1")
    with pytest.raises(Refused, match="not match the advertisement") as caught:
        publisher.publish({"n": 0, "t": "x", "s": text})
    assert caught.value.path == ("s",)
    assert memory.sent == []


def test_a_refusal_costs_no_number(publisher, quote):
    first = publisher.publish(quote)
    for bad in ({**quote, "low": 200.0}, {}, {**quote, "symbol": "AAPL" * 400}):
        with pytest.raises(Refused):
            publisher.publish(bad)
    assert publisher.publish(quote) == first + 1


def test_largest_event_is_accepted_and_a_larger_one_refused(alarms, memory, plan):
    publisher = Publisher(alarms, "", memory, plan, "a1")
    event = {"level": "low", "on": True, "note": ""}
    publisher.publish(event)
    room = MAX_PAYLOAD - len(memory.sent[0][1]) - 1  # a length of two bytes
    publisher.publish({**event, "note": "x" * room})
    assert len(memory.sent[1][1]) == MAX_PAYLOAD
    with pytest.raises(Refused) as caught:
        publisher.publish({**event, "note": "x" * (room + 1)})
    assert (caught.value.path, caught.value.code) == (("note",), "too_large")
    assert f"has {MAX_PAYLOAD + 1} bytes, {room + 3} of them in this attribute" in caught.value.detail


def test_the_refusal_names_the_attribute_that_fails_in_the_nearest_alternative(stocks, memory, plan, quote):
    text = '(symbol = "IBM" and low < 10 and volume > 5) or (symbol prefix "AA" and high > 40)'
    publisher = Publisher(stocks, text, memory, plan, "a1")
    with pytest.raises(Refused) as caught:
        publisher.publish(quote)
    assert caught.value.path == ("high",)
    assert caught.value.detail.startswith("31.5 does not match the advertisement ")


PAIR = Topic(
    "pair", 0, (Int("n", -9, 9), Float("x", -1.0, 1.0), String("s"), Enum("e", ("p", "q", "r")), Bool("b"))
)
TESTS = [
    "n in [-3, 4)", "n != 2", "x >= 0.5", "x in (0.25, -0.5)", 's prefix "a"', 's != "ab"', 's > "b"',
    'e in ("p", "r")', 'e < "r"', "b = true", "b != true",
]  # fmt: skip
filters = st.recursive(
    st.sampled_from(TESTS),
    lambda inner: st.one_of(
        inner.map(lambda text: f"not ({text})"),
        st.tuples(inner, st.sampled_from(["and", "or"]), inner).map(lambda parts: f"({' '.join(parts)})"),
    ),
    max_leaves=6,
)


@given(
    filters,
    st.fixed_dictionaries(
        {
            "n": st.integers(-9, 9),
            "x": st.sampled_from([-1.0, -0.5, -0.0, 0.25, 0.5, 0.75]),
            "s": st.sampled_from(["", "a", "ab", "abc", "b", "ba"]),
            "e": st.sampled_from(["p", "q", "r"]),
            "b": st.booleans(),
        }
    ),
)
def test_whatever_the_filter_the_refusal_names_an_attribute_that_it_tests(text, values):
    sent = []

    class Sink:
        def send(self, dst_ip, payload):
            sent.append(payload)

    try:
        publisher = Publisher(PAIR, text, Sink(), AddressPlan.default("ipv6"), "a1")
    except Refused as refused:
        assert refused.code == "matches_nothing"
        return
    matches = Filter.parse(text, PAIR).matches(values)
    try:
        publisher.publish(values)
    except Refused as refused:
        assert not matches
        assert refused.code == "outside_advertisement"
        assert refused.path[0] in {part.strip("()") for part in text.split()}
    else:
        assert matches
    assert len(sent) == matches


def test_a_bad_advertisement_or_code_or_id_is_refused_at_the_start(stocks, memory, plan):
    with pytest.raises(Refused, match="price"):
        Publisher(stocks, "price < 3", memory, plan, "a1")
    with pytest.raises(Refused) as caught:
        Publisher(stocks.with_code(65536), "", memory, plan, "a1")
    assert caught.value.path == ("topic", "code")
    with pytest.raises(Refused) as caught:
        Publisher(stocks, "", memory, plan, "")
    assert caught.value.path == ("publisher",)


def test_following_another_encoding_changes_addresses_and_nothing_else(
    publisher, memory, stocks, quote, plan
):
    first = publisher.publish(quote)
    changed = stocks.with_code(5).with_indexed(["low"])
    publisher.follow(changed)
    assert publisher.topic == changed
    assert publisher.publish(quote) == first + 1
    assert memory.sent[1][0] == plan.event_address(5, changed.event_dz(quote, 96))
    assert read(changed, memory.sent[1][1]).code == 5
    with pytest.raises(Refused, match="not match the advertisement"):
        publisher.publish({**quote, "low": 100.0})


@pytest.mark.parametrize("change", ["name", "code", "attributes"])
def test_an_encoding_that_does_not_fit_changes_nothing(publisher, memory, stocks, quote, plan, change):
    bad = {
        "name": Topic("others", 5, stocks.attributes),
        "code": stocks.with_code(65536),
        "attributes": Topic("stocks", 5, (Int("volume", 0, 9),)),
    }[change]
    with pytest.raises(Refused):
        publisher.follow(bad)
    publisher.publish(quote)
    assert memory.sent[0][0] == plan.event_address(4, stocks.event_dz(quote, 96))


def test_once_following_returns_nothing_goes_the_old_way(stocks, quote, plan):
    """Publishers confirm a change of encoding, and then the old entries go."""
    arrived, go_on, codes = threading.Event(), threading.Event(), []

    class Slow:
        def send(self, dst_ip, payload):
            codes.append(plan.parse_event_address(dst_ip)[0])
            arrived.set()
            assert go_on.wait(60)

    publisher = Publisher(stocks, "", Slow(), plan, "a1")
    sending = threading.Thread(target=publisher.publish, args=(quote,))
    sending.start()
    assert arrived.wait(60)
    following = threading.Thread(target=publisher.follow, args=(stocks.with_code(5),))
    following.start()
    following.join(0.05)
    assert following.is_alive()  # an event with the old code is still in transit
    go_on.set()
    following.join(60)
    publisher.publish(quote)
    sending.join(60)
    assert codes == [4, 5]


def test_a_restarted_publisher_repeats_no_number(stocks, memory, plan, quote, tmp_path):
    used = set()
    for clock in (5_000_000, 4_000_000, 9_000_000):  # set back once
        with Sequence(tmp_path / "seq", clock=lambda clock=clock: clock) as sequence:
            publisher = Publisher(stocks, "", memory, plan, "a1", sequence=sequence)
            for _ in range(50):
                seq = publisher.publish(quote)
                assert seq not in used
                used.add(seq)
    events = [read(stocks, payload) for _, payload in memory.sent]
    assert len({(event.topic, event.publisher, event.seq) for event in events}) == 150


def test_threads_share_a_publisher(stocks, memory, plan, quote):
    publisher = Publisher(stocks, "", memory, plan, "a1")
    threads = [
        threading.Thread(target=lambda: [publisher.publish(quote) for _ in range(200)]) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({read(stocks, payload).seq for _, payload in memory.sent}) == 800


def test_what_the_transport_cannot_do_comes_through(stocks, plan, quote):
    class Gone:
        def send(self, dst_ip, payload):
            raise TransportClosed("the other end has closed the frame stream")

    with pytest.raises(TransportClosed):
        Publisher(stocks, "", Gone(), plan, "a1").publish(quote)
