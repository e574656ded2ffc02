"""Command line of the lab."""

from __future__ import annotations

import argparse

from mininet_labs.demo.options import port, seconds


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options to `parser`."""
    parser.add_argument(
        "topology", nargs="?", default="abilene", help="topology file, or an included one (default abilene)"
    )
    parser.add_argument("--for", dest="run_for", type=seconds, metavar="SECONDS", help="stop after this time")
    parser.add_argument(
        "--port", type=port, default=8000, help="port of the web page (default %(default)s, or the next free)"
    )
    parser.add_argument("--fresh", action="store_true", help="remove the database of earlier runs first")
