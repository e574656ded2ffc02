"""Print the events that the subscriptions of a host receive.

Usage: see examples/README.md.
"""

import argparse
import time
from collections.abc import Iterator
from contextlib import closing

from tercast.client import (
    Api,
    ApiOrigins,
    ApiSource,
    Delivery,
    FabricPort,
    Filter,
    LearnedOrigins,
    Subscriber,
)


def receive(subscriber: Subscriber, seconds: float) -> Iterator[Delivery]:
    """Yield each event that a subscription matches, once, until the time is over.

    Args:
        subscriber: The subscriber of the host.
        seconds: How long to wait for events, in seconds.
    """
    end = time.monotonic() + seconds
    while (delivery := subscriber.receive(max(0.0, end - time.monotonic()))) is not None:
        yield delivery


def main() -> None:
    """Connect as the command line says, and print events."""
    parser = argparse.ArgumentParser(description="Print the events of a host.")
    parser.add_argument("--api", required=True, help="address of the platform")
    parser.add_argument("--token", required=True, help="file that contains an API token")
    parser.add_argument("--host", required=True, help="name of the host")
    parser.add_argument("--port", required=True, help="socket of the host's port")
    parser.add_argument("--seconds", type=float, default=60.0, help="how long to listen (default 60)")
    args = parser.parse_args()
    api = Api.with_token_file(args.api, args.token)
    source = ApiSource(api)
    host = source.host(args.host)
    announced = source.subscriptions(args.host)
    topics = {one.topic: source.topic(one.topic) for one in announced}
    filters = {one.name: Filter.parse(one.filter, topics[one.topic]) for one in announced}
    with (
        closing(LearnedOrigins(ApiOrigins(api).fetch)) as origins,
        FabricPort(args.port, host.ip, host.mac) as transport,
    ):
        origins.learn(topics)
        subscriber = Subscriber(filters, topics.values(), transport, origins=origins)
        print(f"listening for {', '.join(filters)}", flush=True)
        for delivery in receive(subscriber, args.seconds):
            print(f"{delivery.event.values} for {', '.join(delivery.subscriptions)}", flush=True)


if __name__ == "__main__":
    main()
