"""How long one event takes at a host; prints JSON. `python tests/core/client/bench_client.py`."""

import json
import platform
import timeit
from itertools import count

from tercast.addressing import AddressPlan
from tercast.client.packets import EVENT_PORT, event_payload, pack_ip, udp_frame
from tercast.client.publisher import Publisher
from tercast.client.subscriber import Subscriber
from tercast.client.telemetry import HostTelemetry
from tercast.client.wire import Event, EventCodec, decode
from tercast.eventspace import Float, Int, String, Topic
from tercast.filters import Filter
from tercast.telemetry.rows import check_row

RUNS = 20_000
PORTS = (EVENT_PORT, EVENT_PORT)


class Null:
    """A transport to nowhere."""

    def send(self, dst_ip, payload):
        """Nothing."""


class AtOnce:
    """A recorder that makes each row when it comes, in the same thread."""

    def add(self, dataset, make):
        """Check the row."""
        check_row(make(), dataset)


def main():
    """Measure the steps of a six-attribute event, in microseconds (the best of five runs)."""
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
    tail = payload[22:]
    steps = {
        "publish": lambda: publisher.publish(values),
        "receive": lambda: subscriber.take(codec.head(next(numbers), 1) + tail),
        "encode": lambda: codec.encode(Event(topic.name, topic.code, "a1", 1, 1, values)),
        "decode": lambda: decode(payload, lambda code, schema: codec),
        "match": lambda: wanted.matches(values),
        "dz": lambda: topic.event_dz(values, 96),
        "frame": lambda: udp_frame((bytes(6), bytes(6)), *ips, payload, PORTS),
        "row": lambda: telemetry.published(topic, "a1", 1, 1, 1 << 96, values),
        "unframe": lambda: event_payload(frame, ips[1], EVENT_PORT),
    }
    figures = {
        name: round(min(timeit.repeat(step, number=RUNS, repeat=5)) / RUNS * 1e6, 2)
        for name, step in steps.items()
    }
    print(json.dumps({"python": platform.python_version(), "bytes": len(payload), "microseconds": figures}))


if __name__ == "__main__":
    main()
