"""What a subscriber delivers, how often, and what it counts."""

import threading

import pytest

from tercast.client.duplicates import SeenEvents
from tercast.client.publisher import Publisher
from tercast.client.subscriber import Subscriber
from tercast.errors import Refused
from tercast.eventspace.topic import Float, Int, Topic
from tercast.filters.filter import Filter
from tercast.wire.errors import TransportClosed, UnknownSchema, WireError
from tercast.wire.event_codec import Event, EventCodec

QUOTES = Topic("quotes", 4, (Int("low", 0, 1023),))


def payload(low, seq, publisher="a1", topic=QUOTES, sent_at=1000):
    values = topic.check({"low": low})
    return EventCodec(topic).encode(Event(topic.name, topic.code, publisher, seq, sent_at, values))


def subscriber(memory, subscriptions, topics=QUOTES, **options):
    return Subscriber(subscriptions, topics, memory, clock=lambda: 3500, **options)


def counted(host):
    return {name: count for name, count in host.counters.to_json().items() if count}


def test_a_wanted_event_is_delivered_with_its_delay(memory):
    host = subscriber(memory, {"q1": "low in [80, 100]"})
    memory.waiting.append(payload(92, 7))
    delivery = host.receive(0)
    assert delivery.event == Event("quotes", 4, "a1", 7, 1000, {"low": 92})
    assert delivery.subscriptions == ("q1",)
    assert delivery.wanted and not delivery.doubled
    assert (delivery.received_at, delivery.delay) == (3500, 0.0025)
    assert host.receive(0) is None
    assert counted(host) == {"received": 1, "wanted": 1, "delivered": 1}


def test_overlapping_subscriptions_bring_one_delivery_that_names_them(memory):
    host = subscriber(memory, {"q1": "low < 100", "q2": "low > 50", "q3": "low > 500", "q4": ""})
    memory.waiting.append(payload(92, 7))
    assert host.receive(0).subscriptions == ("q1", "q2", "q4")
    assert host.receive(0) is None
    assert counted(host) == {"received": 1, "wanted": 1, "delivered": 1}


def test_a_second_copy_is_counted_and_not_delivered(memory):
    host = subscriber(memory, {"q1": "low < 100"})
    memory.waiting += [payload(92, 7), payload(92, 7), payload(93, 8), payload(92, 7, "a2"), payload(92, 7)]
    got = [host.receive(0) for _ in range(4)]
    assert [(d.event.publisher, d.event.seq) for d in got[:3]] == [("a1", 7), ("a1", 8), ("a2", 7)]
    assert got[3] is None
    assert counted(host) == {"received": 5, "wanted": 3, "delivered": 3, "doubled": 2}


def test_a_copy_under_the_topics_other_code_is_a_double_too(memory):
    host = subscriber(memory, {"q1": ""})
    memory.waiting += [payload(92, 7), payload(92, 7, topic=QUOTES.with_code(5))]
    assert host.receive(0) and host.receive(0) is None
    assert counted(host) == {"received": 2, "wanted": 1, "delivered": 1, "doubled": 1}


def test_a_false_positive_is_counted_and_skipped(memory):
    host = subscriber(memory, {"q1": "low < 100"})
    memory.waiting += [payload(500, 7), payload(501, 8), payload(92, 9), payload(500, 7)]
    assert host.receive(0).event.seq == 9
    assert host.receive(0) is None
    assert counted(host) == {"received": 4, "wanted": 1, "unwanted": 2, "delivered": 3, "doubled": 1}


def test_receive_any_gives_everything_with_its_flags(memory):
    host = subscriber(memory, {"q1": "low < 100"})
    memory.waiting += [payload(500, 7), b"noise", payload(92, 8), payload(92, 8), payload(500, 7)]
    got = [host.receive_any(0) for _ in range(4)]
    assert [(d.wanted, d.doubled) for d in got] == [
        (False, False),
        (True, False),
        (True, True),
        (False, True),
    ]
    assert host.receive_any(0) is None
    assert counted(host) == {
        "received": 5, "malformed": 1, "wanted": 1, "unwanted": 1, "delivered": 2, "doubled": 2,
    }  # fmt: skip


def test_every_payload_is_counted_exactly_once(memory):
    host = subscriber(memory, {"q1": "low < 100"}, seen=SeenEvents(window=2))
    others = Topic("others", 4, (Int("low", 0, 1023),))
    memory.waiting += [payload(n % 300, n % 7) for n in range(40)]
    memory.waiting += [
        b"",
        b"x" * 2000,
        payload(1, 1)[:-1],
        payload(1, 1) + b"x",
        payload(1, 1, topic=others),
    ]
    while host.receive(0):
        pass
    counters = host.counters
    assert counters.received == 45
    assert (counters.malformed, counters.unknown) == (4, 1)
    assert counters.received == counters.delivered + counters.doubled + counters.malformed + counters.unknown
    assert counters.delivered == counters.wanted + counters.unwanted


def test_what_was_wrong_with_the_last_bad_payload_is_kept(memory):
    host = subscriber(memory, {})
    assert host.last_malformed is None
    memory.waiting.append(payload(1, 1)[:-1])
    host.receive(0)
    assert type(host.last_malformed) is WireError
    memory.waiting.append(payload(1, 1, topic=QUOTES.with_code(6)))
    host.receive(0)
    assert type(host.last_malformed) is UnknownSchema


def test_the_memory_for_doubles_is_bounded_as_said(memory):
    host = subscriber(memory, {"q1": ""}, seen=SeenEvents(window=2))
    memory.waiting += [payload(1, seq) for seq in (1, 2, 1, 3, 1)]
    assert [host.receive_any(0).doubled for _ in range(5)] == [False, False, True, False, False]


def test_subscribing_and_withdrawing_while_it_runs(memory):
    host = subscriber(memory, {"q1": "low < 100"})
    host.subscribe("q2", "low > 900")
    memory.waiting += [payload(950, 1)]
    assert host.receive(0).subscriptions == ("q2",)
    host.subscribe("q2", "low > 990")
    memory.waiting += [payload(950, 2), payload(995, 3)]
    assert host.receive(0).event.seq == 3
    host.unsubscribe("q2")
    assert list(host.subscriptions) == ["q1"]
    memory.waiting += [payload(995, 4)]
    assert host.receive(0) is None
    with pytest.raises(Refused) as caught:
        host.unsubscribe("q2")
    assert caught.value.path == ("subscriptions", "q2")
    with pytest.raises(Refused, match="price"):
        host.subscribe("q3", "price = 1")
    assert list(host.subscriptions) == ["q1"]


def test_several_topics(memory):
    areas = Topic("areas", 6, (Float("low", 0.0, 1.0),))
    host = subscriber(memory, {"q1": Filter.parse("low < 0.5", areas)}, [QUOTES, areas])
    host.subscribe("q2", "low = 1", topic="quotes")
    memory.waiting += [payload(0.25, 1, topic=areas), payload(1, 1), payload(0.75, 2, topic=areas)]
    got = [host.receive_any(0) for _ in range(3)]
    assert [(d.event.topic, d.subscriptions) for d in got] == [
        ("areas", ("q1",)), ("quotes", ("q2",)), ("areas", ()),
    ]  # fmt: skip
    with pytest.raises(Refused, match="name one of the known topics"):
        host.subscribe("q3", "low = 1")
    for topic in ("nowhere", ""):
        with pytest.raises(Refused, match="; use one of quotes, areas"):
            host.subscribe("q3", "low = 1", topic)
    with pytest.raises(Refused, match="unknown topic"):
        host.subscribe("q3", Filter.parse("", Topic("nowhere", 8, QUOTES.attributes)))


def test_topics_that_share_a_code_are_distinguished_by_their_schema(memory):
    """Without topic bits in the address every topic has code 0."""
    one, two = (Topic(name, 0, QUOTES.attributes) for name in ("one", "two"))
    host = subscriber(
        memory, {"q1": Filter.parse("low < 9", one), "q2": Filter.parse("low < 5", two)}, [one, two]
    )
    memory.waiting += [payload(7, 1, topic=one), payload(7, 1, topic=two), payload(3, 2, topic=two)]
    got = [host.receive_any(0) for _ in range(3)]
    assert [(d.event.topic, d.subscriptions, d.doubled) for d in got] == [
        ("one", ("q1",), False), ("two", (), False), ("two", ("q2",), False),
    ]  # fmt: skip


def test_a_new_list_of_attributes_replaces_the_old_one(memory):
    host = subscriber(memory, {"q1": "low < 100"})
    wider = Topic("quotes", 8, (Int("low", -5, 5000), Int("volume", 0, 9)))
    host.know(wider)
    values = wider.check({"low": -5, "volume": 1})
    memory.waiting += [EventCodec(wider).encode(Event("quotes", 8, "a1", 1, 1, values)), payload(92, 2)]
    assert host.receive(0).event.values == {"low": -5, "volume": 1}
    assert host.receive(0) is None
    assert host.counters.unknown == 1
    with pytest.raises(Refused, match="low"):
        host.know(Topic("quotes", 8, (Int("volume", 0, 9),)))
    memory.waiting += [EventCodec(wider).encode(Event("quotes", 8, "a1", 3, 1, values))]
    assert host.receive(0)


def test_a_publishers_change_of_code_goes_unnoticed(memory, plan):
    host = subscriber(memory, {"q1": ""})
    publisher = Publisher(QUOTES, "", memory, plan, "a1")
    publisher.publish({"low": 1})
    publisher.follow(QUOTES.with_code(5))
    publisher.publish({"low": 2})
    memory.waiting += [sent for _, sent in memory.sent]
    assert [host.receive(0).event.code for _ in range(2)] == [4, 5]
    assert counted(host) == {"received": 2, "wanted": 2, "delivered": 2}


def test_a_payload_that_came_some_other_way_is_judged_alike(memory):
    host = subscriber(memory, {"q1": "low < 100"})
    assert host.take(payload(92, 1)).wanted
    assert host.take(payload(92, 1)).doubled
    assert host.take(b"noise") is None
    assert counted(host) == {"received": 3, "wanted": 1, "delivered": 1, "doubled": 1, "malformed": 1}


def test_false_positives_do_not_extend_the_timeout():
    class Flood:
        def receive(self, timeout=None):
            return payload(500, 1)

    assert Subscriber({"q1": "low < 100"}, QUOTES, Flood()).receive(0.02) is None


def test_the_end_of_the_transport_comes_through():
    class Gone:
        def receive(self, timeout=None):
            raise TransportClosed("the other end has closed the frame stream")

    with pytest.raises(TransportClosed):
        Subscriber({}, QUOTES, Gone()).receive(1)


def test_subscriptions_may_change_in_another_thread(memory):
    host = subscriber(memory, {"q0": "low < 100"})

    def change():
        for n in range(300):
            host.subscribe(f"q{n + 1}", "low < 100")
            host.unsubscribe(f"q{n + 1}")

    changing = threading.Thread(target=change)
    changing.start()
    for seq in range(2000):
        assert host.take(payload(92, seq)).subscriptions[0] == "q0"
    changing.join()
    assert list(host.subscriptions) == ["q0"]
