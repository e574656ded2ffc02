"""Measure the time for one event at a host; print JSON. `python tests/benchmarks/bench_client.py`."""

import json
import platform
import time
import timeit
from itertools import count

from tercast.client.event_origins import EventOrigin, FixedOrigins, OriginPolicy
from tercast.client.lease import PublisherLease, Terms
from tercast.client.publisher import Publisher
from tercast.client.subscriber import Subscriber
from tercast.client.telemetry import HostTelemetry
from tercast.eventspace.address_plan import AddressPlan
from tercast.eventspace.topic import Float, Int, String, Topic
from tercast.filters.filter import Filter
from tercast.telemetry.rows import check_row
from tercast.wire.event_codec import HEAD_BYTES, SEALED_EVENT, Event, EventCodec, decode
from tercast.wire.event_seal import KEY_BYTES, EventSeal
from tercast.wire.packets import EVENT_PORT, event_payload, pack_ip, udp_frame

RUNS, ROUNDS = 2_000, 40
PORTS = (EVENT_PORT, EVENT_PORT)


class Null:
    """A transport that discards everything."""

    def send(self, dst_ip, payload):
        """Do nothing."""


class Sourced(Null):
    """A transport that could report the sources of payloads."""

    def receive(self, timeout=None):
        """Do nothing."""

    receive_from = receive

    def fileno(self):
        """Return no descriptor."""

    def close(self):
        """Do nothing."""


class Lends:
    """Grants one long lease."""

    def __init__(self, topic, seal):
        self.terms = Terms(1, topic.code, topic.indexed, 1e9, 1e9, seal)

    def lease(self, advertisement, holder, version):
        """Return the terms."""
        return self.terms

    def release(self, advertisement, holder):
        """Do nothing."""


class AtOnce:
    """A recorder that makes each row immediately, in the same thread."""

    def add(self, dataset, make):
        """Check the row."""
        check_row(make(), dataset)


def main():
    """Measure the steps of an event with six attributes: microseconds of CPU time, best of 40 runs."""
    prices = (Float(name, 0.0, 10000.0) for name in ("open", "high", "low", "close"))
    topic = Topic("quotes", 4, (String("symbol"), *prices, Int("volume", 0, 10**12)))
    values = topic.check(
        {
            "symbol": "AAPL",
            "open": 31.333846775201351,
            "high": 31.5,
            "low": 30.0,
            "close": 30.1,
            "volume": 123456789,
        }
    )
    codec = EventCodec(topic)
    payload = codec.encode(Event(topic.name, topic.code, "a1", 1, 1, values))
    wanted = Filter.parse('symbol prefix "AA" and volume > 1000 and low in [10, 50)', topic)
    publisher = Publisher(topic, 'symbol = "AAPL" and low < 5000', Null(), AddressPlan.default(), "a1")
    subscriber = Subscriber({"q1": wanted, "q2": "high > 30"}, topic, Null())
    telemetry = HostTelemetry(AtOnce(), "h1")
    ips = pack_ip("fd00::1"), pack_ip("fd00::2")
    frame = udp_frame((bytes(6), bytes(6)), *ips, payload, PORTS)
    numbers = count()
    tail = payload[HEAD_BYTES:]
    seal = EventSeal(1, bytes(KEY_BYTES))
    leased, sealing = publishing(topic, None), publishing(topic, seal)
    checking = receiving(wanted, topic, EventOrigin(ips[0]))
    opening = receiving(wanted, topic, EventOrigin(ips[0], OriginPolicy.REQUIRED, {1: seal.key}))
    steps = {
        "publish": lambda: publisher.publish(values),
        "receive": lambda: subscriber.take(codec.head(next(numbers), 1) + tail),
        "publish_leased": lambda: leased.publish(values),
        "publish_sealed": lambda: sealing.publish(values),
        "receive_checked": lambda: checking.take(codec.head(next(numbers), 1) + tail, ips[0]),
        "seal": lambda: seal.closed(payload),
        "receive_sealed": lambda: opening.take(
            seal.closed(codec.head(next(numbers), 1, SEALED_EVENT) + tail), ips[0]
        ),
        "encode": lambda: codec.encode(Event(topic.name, topic.code, "a1", 1, 1, values)),
        "decode": lambda: decode(payload, lambda code, schema: codec),
        "match": lambda: wanted.matches(values),
        "dz": lambda: topic.event_dz(values, 96),
        "frame": lambda: udp_frame((bytes(6), bytes(6)), *ips, payload, PORTS),
        "row": lambda: telemetry.published(topic, "a1", 1, 1, 1 << 96, values),
        "unframe": lambda: event_payload(frame, ips[1], EVENT_PORT),
    }
    best = dict.fromkeys(steps, float("inf"))
    for _ in range(ROUNDS):  # in turn, so that other load of the machine affects all of them
        for name, step in steps.items():
            taken = timeit.timeit(step, timer=time.process_time, number=RUNS) / RUNS
            best[name] = min(best[name], taken * 1e6)
    figures = {name: round(taken, 2) for name, taken in best.items()}
    figures["receive_sealed"] = round(figures["receive_sealed"] - figures["seal"], 2)
    print(
        json.dumps(
            {
                "python": platform.python_version(),
                "bytes": len(payload),
                "bytes_sealed": len(seal.closed(payload)),
                "microseconds": figures,
                "ratio_of_sealed": {
                    "publish": round(figures["publish_sealed"] / figures["publish_leased"], 2),
                    "receive": round(figures["receive_sealed"] / figures["receive_checked"], 2),
                },
            }
        )
    )


def publishing(topic, seal):
    """Make a publisher that seals events if its lease has a key."""
    lease = PublisherLease(Lends(topic, seal), "a1")
    lease.begin(topic)
    return Publisher(
        topic, 'symbol = "AAPL" and low < 5000', Null(), AddressPlan.default(), "a1", lease=lease
    )


def receiving(wanted, topic, origin):
    """Make a subscriber that knows the source of the events of advertisement a1."""
    origins = FixedOrigins({})
    origins._known = {"a1": origin}
    return Subscriber({"q1": wanted, "q2": "high > 30"}, topic, Sourced(), origins=origins)


if __name__ == "__main__":
    main()
