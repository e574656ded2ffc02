"""The command `topology`: print a generated topology as JSON."""

from __future__ import annotations

import argparse
import json

from mininet_labs.topologies.generate import fat_tree, ring

SHAPES = {"ring": ring, "fat-tree": fat_tree}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("shape", choices=sorted(SHAPES), help="shape of the topology")
    parser.add_argument("size", type=int, help="number of switches in a ring, or (even) arity of a fat tree")
    parser.add_argument("--hosts", type=int, metavar="N", help="hosts per (edge) switch")
    parser.add_argument("--budget", type=int, metavar="N", help="TCAM budget of each switch (default: none)")


def run(args: argparse.Namespace) -> int:
    """Print the topology."""
    make = SHAPES[args.shape]
    topology = (
        make(args.size, tcam_budget=args.budget)
        if args.hosts is None
        else make(args.size, args.hosts, args.budget)
    )
    print(json.dumps(topology, indent=2))
    return 0
