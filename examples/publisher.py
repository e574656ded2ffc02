"""Publish weather events from a host of a running platform.

Usage: see examples/README.md.
"""

import argparse
from contextlib import nullcontext

from tercast.client import Api, ApiSource, FabricPort, MetadataSource, Publisher, Transport

EVENTS = [
    {"city": "Seattle", "celsius": 33},
    {"city": "Seattle", "celsius": 12},
]


def publish(source: MetadataSource, transport: Transport, advertisement: str) -> int:
    """Send all events.

    Args:
        source: Where topics and filters come from: the REST API or a scenario file.
        transport: The host's connection to the network.
        advertisement: The name of the advertisement that the events belong to.

    Returns:
        The number of events that were sent.
    """
    announced = source.advertisement(advertisement)
    topic = source.topic(announced.topic)
    lease = source.lease(advertisement)  # it reports changes of the encoding; a scenario has none
    with lease or nullcontext():
        publisher = Publisher(
            lease.begin(topic) if lease else topic,
            announced.filter,
            transport,
            source.address("ipv6"),
            announced.name,
            source.depth(),
            lease=lease,
        )
        if lease:
            lease.keep(publisher)
        for values in EVENTS:
            publisher.publish(values)
    return len(EVENTS)


def main() -> None:
    """Connect as the command line says, publish, and print the number of events."""
    parser = argparse.ArgumentParser(description="Publish weather events.")
    parser.add_argument("--api", required=True, help="address of the platform")
    parser.add_argument("--token", required=True, help="file that contains an API token")
    parser.add_argument("--host", required=True, help="name of the host")
    parser.add_argument("--port", required=True, help="socket of the host's port")
    parser.add_argument("--advertisement", required=True, help="name of the advertisement, for example a6")
    args = parser.parse_args()
    source = ApiSource(Api.with_token_file(args.api, args.token))
    host = source.host(args.host)
    with FabricPort(args.port, host.ip, host.mac) as transport:
        print(f"published {publish(source, transport, args.advertisement)} events")


if __name__ == "__main__":
    main()
