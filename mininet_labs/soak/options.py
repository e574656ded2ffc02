"""Command line of the soak test."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

from mininet_labs.demo.options import rate, seconds, writable


@dataclass(frozen=True, slots=True)
class SoakOptions:
    """Options of the soak test; times in seconds, `rate` in events per second."""

    run_for: float
    report: Path | None
    seed: int
    rate: float
    fault_every: float


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options to `parser`."""
    parser.add_argument(
        "--for", dest="run_for", type=seconds, default=60.0, metavar="SECONDS", help="duration (default 60)"
    )
    parser.add_argument("--report", type=writable, metavar="FILE", help="also write the report to this file")
    parser.add_argument(
        "--seed", type=int, default=1, help="seed of the random changes and faults (default 1)"
    )
    parser.add_argument(
        "--rate", type=rate, default=50.0, metavar="EVENTS", help="events per second (default 50)"
    )
    parser.add_argument(
        "--fault-every", type=seconds, default=8.0, metavar="SECONDS", help="time between faults (default 8)"
    )


def from_arguments(arguments: argparse.Namespace) -> SoakOptions:
    """Return the options of parsed arguments."""
    return SoakOptions(
        run_for=arguments.run_for,
        report=arguments.report,
        seed=arguments.seed,
        rate=arguments.rate,
        fault_every=arguments.fault_every,
    )
