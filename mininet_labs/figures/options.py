"""Options of `make figures`; only the standard library is needed to print them."""

from __future__ import annotations

import argparse
from pathlib import Path

PAPERS = ("mishra", "pleroma", "debs")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "--list", action="store_true", help="list the figures with their needs, minutes and last verdicts"
    )
    parser.add_argument(
        "--only", nargs="+", metavar="NUMBER", default=[], help="figures by number or name: 6.2, 7f, debs-5l"
    )
    parser.add_argument("--paper", choices=PAPERS, help="figures of one paper")
    sizes = parser.add_mutually_exclusive_group()
    sizes.add_argument(
        "--full", dest="size", action="store_const", const="full", help="sizes of the papers: hours; resumes"
    )
    sizes.add_argument(
        "--tiny", dest="size", action="store_const", const="tiny", help="seconds; for tests of the framework"
    )
    parser.add_argument("--real", action="store_true", help="also run the figures that need Mininet (root)")
    parser.add_argument(
        "--seeds", nargs="+", type=int, default=[], metavar="SEED", help="seeds (default: by size)"
    )
    parser.add_argument("--again", action="store_true", help="repeat seeds that are already finished")
    parser.add_argument(
        "--update", action="store_true", help="replace the committed results, pictures and docs/figures.md"
    )
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="DIR",
        default=Path("artifacts/figures"),
        help="folder of finished seeds, results and pictures (default: %(default)s)",
    )
    parser.set_defaults(size="quick")
