"""The command line of the demo."""

import argparse
import math
from dataclasses import dataclass
from pathlib import Path

RATE = 100.0
"""Events a second that are published by default; the fabric of the demo carries several times as many."""


@dataclass(frozen=True, slots=True)
class DemoOptions:
    """How to run the demo; times in seconds, `rate` in events a second."""

    run_for: float | None
    report: Path | None
    rate: float
    port: int
    topology: Path
    fresh: bool
    tls: bool = False
    empty: bool = False
    openflow: str = "127.0.0.1"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options on `parser`."""
    parser.add_argument(
        "--for", dest="run_for", type=seconds, metavar="SECONDS", help="end by itself after so long"
    )
    parser.add_argument("--report", type=writable, metavar="FILE", help="write a JSON report at the end")
    parser.add_argument(
        "--rate", type=rate, default=RATE, metavar="EVENTS", help="events a second (default %(default)g)"
    )
    parser.add_argument(
        "--port", type=port, default=8000, help="of the web page (default %(default)s, or the next free one)"
    )
    parser.add_argument(
        "--topology", type=Path, default=None, metavar="FILE", help="another network than Abilene"
    )
    parser.add_argument(
        "--fresh", action="store_true", help="forget the database and the secrets of earlier runs"
    )
    parser.add_argument(
        "--empty",
        action="store_true",
        help="begin without a network: the page offers the demo, a topology file, or real switches",
    )
    parser.add_argument(
        "--openflow",
        type=listening,
        default="127.0.0.1",
        metavar="ADDRESS",
        help="where the controller listens for switches (default %(default)s; 0.0.0.0: also from elsewhere)",
    )
    parser.add_argument(
        "--tls",
        action="store_true",
        help="let switches and controller speak TLS, with certificates on both sides that are made for it",
    )


def from_arguments(arguments: argparse.Namespace, default_topology: Path) -> DemoOptions:
    """The options as a value."""
    return DemoOptions(
        run_for=arguments.run_for,
        report=arguments.report,
        rate=arguments.rate,
        port=arguments.port,
        topology=arguments.topology or default_topology,
        fresh=arguments.fresh,
        tls=arguments.tls,
        empty=arguments.empty,
        openflow=arguments.openflow,
    )


def listening(text: str) -> str:
    """An address from the command line on which the embedded fabric reaches the controller, too."""
    if text in ("127.0.0.1", "0.0.0.0"):  # noqa: S104 - asked for
        return text
    raise argparse.ArgumentTypeError(f"{text}: give 127.0.0.1 (this machine alone) or 0.0.0.0 (also others)")


def seconds(text: str) -> float:
    """A time from the command line."""
    value = _number(text)
    if not 1 <= value <= 7 * 86400:
        raise argparse.ArgumentTypeError(f"{text}: give 1 to 604800 seconds")
    return value


def writable(text: str) -> Path:
    """A file that can be written, from the command line."""
    path = Path(text)
    if path.is_dir() or not path.absolute().parent.is_dir():
        raise argparse.ArgumentTypeError(f"{text}: name a file in a folder that is there")
    return path


def rate(text: str) -> float:
    """Events a second, from the command line."""
    value = _number(text)
    if not 0.1 <= value <= 1000:
        raise argparse.ArgumentTypeError(f"{text}: give 0.1 to 1000 events a second")
    return value


def port(text: str) -> int:
    """A TCP port, from the command line."""
    value = _number(text)
    if value != int(value) or not 1 <= value <= 65535:
        raise argparse.ArgumentTypeError(f"{text}: a port is a whole number from 1 to 65535")
    return int(value)


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number")
    return value
