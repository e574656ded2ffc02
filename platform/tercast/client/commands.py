"""The host tools `publish` and `listen`, which use the platform or only a scenario file."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import TypeVar

from tercast.client.inband import PATIENCE
from tercast.client.inband_session import SessionOpener
from tercast.client.listen_command import listen
from tercast.client.metadata_sources import MetadataSource, ScenarioSource
from tercast.client.publish_command import publish
from tercast.client.rest_api import Api, ApiSource
from tercast.client.telemetry import HostTelemetry, RejectionReports, open_telemetry
from tercast.client.transports import FabricPort, Transport, UdpSocket
from tercast.errors import Refused, RefusedMany, TercastError
from tercast.signalling.messages import PORT
from tercast.wire.packets import EVENT_PORT

_REFUSED = 2

Number = TypeVar("Number", int, float)


def add_commands(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `publish` and `listen`; `run(args)` of the arguments returns the exit status."""
    listener = subparsers.add_parser("listen", help="print the events that reach a host", description=_LISTEN)
    _add_common(listener)
    listener.add_argument("--topic", help="topic of the filters in --filter")
    listener.add_argument(
        "--filter",
        action="append",
        help="receive events that match this filter instead of the host's subscriptions; repeatable",
    )
    listener.add_argument("--all", action="store_true", help="also print false positives and duplicates")
    listener.add_argument(
        "--any-source",
        action="store_true",
        help="accept events from any address, not only from the host of their advertisement",
    )
    listener.add_argument(
        "--for", type=_positive(float, "a number"), dest="seconds", metavar="SECONDS", help="time limit"
    )
    listener.add_argument("--json", action="store_true", help="print JSON lines, the counters last")
    listener.set_defaults(run=_run_listen)
    publisher = subparsers.add_parser("publish", help="send events from a host", description=_PUBLISH)
    _add_common(publisher)
    publisher.add_argument("--advertisement", metavar="ID", help="advertisement of the events")
    publisher.add_argument("--topic", help="expected topic of the advertisement; in band: topic to advertise")
    publisher.add_argument("--filter", help="in band: filter to advertise (default: all events of the topic)")
    events = publisher.add_mutually_exclusive_group(required=True)
    events.add_argument(
        "--value", action="append", nargs="+", metavar="NAME=VALUE", help="values of the event"
    )
    events.add_argument("--file", help='JSON lines {"publisher": ID, "values": {...}}; - is standard input')
    publisher.add_argument(
        "--rate", type=_positive(float, "a number"), default=100.0, help="events per second (default 100)"
    )
    publisher.add_argument("--state", metavar="FILE", help="file that keeps sequence numbers unique")
    publisher.add_argument("--to", metavar="IP", help="send to this address, to test without switches")
    publisher.set_defaults(run=_run_publish)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `publish` or `listen`; exit status 0 done, 2 refused."""
    parser = argparse.ArgumentParser(prog="tercast")
    add_commands(parser.add_subparsers(required=True, metavar="COMMAND"))
    parsed = parser.parse_args(arguments)
    run: Callable[[argparse.Namespace], int] = parsed.run
    return run(parsed)


_LISTEN = (
    "Print each event that matches the host's subscriptions, with its delay. "
    "Ctrl-C stops and prints the counters."
)
_PUBLISH = "Check events against topic and advertisement, send them at a rate, and print their number."


def _add_common(parser: argparse.ArgumentParser) -> None:
    known = parser.add_mutually_exclusive_group(required=True)
    known.add_argument(
        "--api", metavar="URL", help="read topics, hosts and filters from the running platform"
    )
    known.add_argument("--scenario", metavar="FILE", help="read topics, hosts and filters from a scenario")
    parser.add_argument("--token-file", metavar="FILE", help="file with the API token")
    parser.add_argument("--host", help="name of the host")
    way = parser.add_mutually_exclusive_group(required=True)
    way.add_argument("--fabric-port", metavar="PATH", help="Unix socket that connects the host to its switch")
    way.add_argument("--udp", metavar="IP[%IFACE]", help="IP address of this host, and its interface")
    parser.add_argument(
        "--as", dest="addresses", metavar="IP,MAC", help="IP and MAC address of the host, for --fabric-port"
    )
    parser.add_argument(
        "--in-band",
        action="store_true",
        help="announce over the data network, without the API, and withdraw at the end",
    )
    parser.add_argument(
        "--key-file", metavar="FILE", help="in band: file with the host's key, which seals messages"
    )
    parser.add_argument(
        "--patience",
        type=_positive(float, "a number"),
        default=PATIENCE,
        metavar="SECONDS",
        help=f"in band: maximum time to wait for an answer (default {PATIENCE:g})",
    )
    parser.add_argument(
        "--port", type=_port, default=EVENT_PORT, help=f"UDP port of events (default {EVENT_PORT})"
    )
    parser.add_argument(
        "--count", type=_positive(int, "a whole number"), help="stop after this number of events"
    )
    sink = parser.add_mutually_exclusive_group()
    sink.add_argument("--telemetry", metavar="ROOT", help="write telemetry to this folder, as Parquet files")
    sink.add_argument(
        "--telemetry-api", action="store_true", help="send telemetry to the platform that --api names"
    )


def _run_listen(args: argparse.Namespace) -> int:
    return _guarded(
        lambda: listen(args, _source(args), _opener(args, True), _asker(args), _listener_telemetry(args))
    )


def _run_publish(args: argparse.Namespace) -> int:
    return _guarded(
        lambda: publish(args, _source(args), _opener(args, False), _asker(args), _telemetry(args))
    )


def _guarded(command: Callable[[], None]) -> int:
    """Run `command`; print errors to standard error, one per line."""
    try:
        with _terminable():
            command()
    except RefusedMany as refused:
        for error in refused.errors:
            print(error, file=sys.stderr)
        return _REFUSED
    except TercastError as error:
        print(error, file=sys.stderr)
        return _REFUSED
    except KeyboardInterrupt:
        pass
    return 0


@contextmanager
def _terminable() -> Iterator[None]:
    """Handle SIGTERM as Ctrl-C within the block."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _source(args: argparse.Namespace) -> MetadataSource:
    if args.scenario is not None:
        return ScenarioSource.load(args.scenario)
    return ApiSource(Api.with_token_file(args.api, args.token_file))


def _telemetry(args: argparse.Namespace) -> Callable[[], HostTelemetry | None]:
    """Return a function that starts telemetry if an option requests it."""
    if args.telemetry is None and not args.telemetry_api:
        return lambda: None
    if args.host is None:
        raise Refused(("host",), "missing_host", "telemetry needs the name of the host; add --host")
    if args.telemetry_api and args.api is None:
        raise Refused(("api",), "missing_api", "--telemetry-api needs the address of the platform; add --api")
    api = Api.with_token_file(args.api, args.token_file) if args.telemetry_api else None
    return lambda: open_telemetry(args.host, args.telemetry, api)


def _listener_telemetry(args: argparse.Namespace) -> Callable[[], HostTelemetry | None]:
    """Return a function that starts telemetry, or else the reports of rejected events.

    The reports need the platform, the name of the host, and the check of source addresses.
    """
    if args.telemetry or args.telemetry_api or args.api is None or args.host is None or args.any_source:
        return _telemetry(args)
    api = Api.with_token_file(args.api, args.token_file)
    return lambda: RejectionReports(args.host, api)


def _asker(args: argparse.Namespace) -> SessionOpener:
    """Return a function that opens the host's transport for control messages."""
    return _opener(args, False, PORT)


def _opener(args: argparse.Namespace, receives: bool, port: int | None = None) -> SessionOpener:
    """Return a function that opens the host's transport and returns it with the host's address."""
    number: int = args.port if port is None else port

    def opened(source: MetadataSource) -> tuple[Transport, str]:
        if args.udp is not None:
            ip, _, interface = args.udp.partition("%")
            return UdpSocket(ip, interface or None, number, listen=receives), ip
        ip, mac = _addresses(args, source)
        return FabricPort(args.fabric_port, ip, mac, number), ip

    return opened


def _addresses(args: argparse.Namespace, source: MetadataSource) -> tuple[str, str]:
    """The addresses of a host at a fabric port."""
    if args.addresses is not None:
        ip, comma, mac = args.addresses.partition(",")
        if not comma:
            detail = f"{args.addresses!r} is not IP,MAC; write both addresses with a comma between them"
            raise Refused(("as",), "bad_value", detail, args.addresses)
        return ip, mac
    if args.host is None:
        detail = "--fabric-port needs the addresses of the host; add --host NAME, or --as IP,MAC"
        raise Refused(("host",), "missing_host", detail)
    host = source.host(args.host)
    return host.ip, host.mac


def _positive(kind: Callable[[str], Number], what: str) -> Callable[[str], Number]:
    def parse(text: str) -> Number:
        try:
            number = kind(text)
        except ValueError:
            number = kind("0")
        if not 0 < number < float("inf"):
            raise argparse.ArgumentTypeError(f"{text!r} is not {what} above 0")
        return number

    return parse


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < int(text) < 65536):
        raise argparse.ArgumentTypeError(f"{text!r} is not a port; use a number from 1 to 65535")
    return int(text)
