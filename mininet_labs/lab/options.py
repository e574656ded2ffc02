"""The command line of the lab."""

from __future__ import annotations

import argparse

from mininet_labs.demo.options import port, seconds


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options on `parser`."""
    parser.add_argument(
        "topology", nargs="?", default="abilene", help="a topology file, or a built-in one (default abilene)"
    )
    parser.add_argument("--for", dest="run_for", type=seconds, metavar="SECONDS", help="end after this time")
    parser.add_argument(
        "--port", type=port, default=8000, help="of the web page (default %(default)s, or the next free one)"
    )
    parser.add_argument("--fresh", action="store_true", help="delete the database of earlier runs")
