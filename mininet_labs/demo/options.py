"""Command line of the demo."""

import argparse
import math
from dataclasses import dataclass
from pathlib import Path

RATE = 100.0
"""Default number of published events per second; the fabric of the demo carries several times as many."""


@dataclass(frozen=True, slots=True)
class DemoOptions:
    """Options of the demo; times in seconds, `rate` in events per second."""

    run_for: float | None
    report: Path | None
    rate: float
    port: int
    topology: Path
    fresh: bool
    tls: bool = False
    empty: bool = False
    openflow: str = "127.0.0.1"
    learn: bool = False


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options to `parser`."""
    parser.add_argument("--for", dest="run_for", type=seconds, metavar="SECONDS", help="stop after this time")
    parser.add_argument("--report", type=writable, metavar="FILE", help="write a JSON report at the end")
    parser.add_argument(
        "--rate", type=rate, default=RATE, metavar="EVENTS", help="events per second (default %(default)g)"
    )
    parser.add_argument(
        "--port", type=port, default=8000, help="port of the web page (default %(default)s, or the next free)"
    )
    parser.add_argument(
        "--topology", type=Path, default=None, metavar="FILE", help="topology file (default: Abilene)"
    )
    parser.add_argument(
        "--fresh", action="store_true", help="remove the database and the secrets of earlier runs first"
    )
    parser.add_argument(
        "--empty",
        action="store_true",
        help="start without a network; the page offers the demo, a topology file, or real switches",
    )
    parser.add_argument(
        "--learn",
        action="store_true",
        help="apply a learned event space when there are event samples; the report compares both spaces",
    )
    parser.add_argument(
        "--openflow",
        type=listening,
        default="127.0.0.1",
        metavar="ADDRESS",
        help="address for switches (default %(default)s; 0.0.0.0: also switches on other machines)",
    )
    parser.add_argument(
        "--tls",
        action="store_true",
        help="use TLS between switches and controller, with generated certificates on both sides",
    )


def from_arguments(arguments: argparse.Namespace, default_topology: Path) -> DemoOptions:
    """Return the options of parsed arguments."""
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
        learn=arguments.learn,
    )


def listening(text: str) -> str:
    """Parse an address of the controller that the embedded fabric can reach too."""
    if text in ("127.0.0.1", "0.0.0.0"):  # noqa: S104 - the user requests this
        return text
    rule = "use 127.0.0.1 (only this machine) or 0.0.0.0 (all machines)"
    raise argparse.ArgumentTypeError(f"{text}: {rule}")


def seconds(text: str) -> float:
    """Parse a time in seconds."""
    value = _number(text)
    if not 1 <= value <= 7 * 86400:
        raise argparse.ArgumentTypeError(f"{text}: use 1 to 604800 seconds")
    return value


def writable(text: str) -> Path:
    """Parse the path of a file in an existing folder."""
    path = Path(text)
    if path.is_dir() or not path.absolute().parent.is_dir():
        raise argparse.ArgumentTypeError(f"{text}: name a file in an existing folder")
    return path


def rate(text: str) -> float:
    """Parse a number of events per second."""
    value = _number(text)
    if not 0.1 <= value <= 1000:
        raise argparse.ArgumentTypeError(f"{text}: use 0.1 to 1000 events per second")
    return value


def port(text: str) -> int:
    """Parse a TCP port."""
    value = _number(text)
    if value != int(value) or not 1 <= value <= 65535:
        raise argparse.ArgumentTypeError(f"{text}: use a whole number from 1 to 65535")
    return int(value)


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number")
    return value
