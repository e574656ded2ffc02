"""`topology`: print a generated topology as JSON."""

from __future__ import annotations

import argparse
import json

from mininet_labs.topologies.generate import fat_tree, ring

SHAPES = {"ring": ring, "fat-tree": fat_tree}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("shape", choices=sorted(SHAPES), help="what to make")
    parser.add_argument("size", type=int, help="switches of the ring, or the fat tree's (even) arity")
    parser.add_argument("--hosts", type=int, metavar="N", help="hosts on every (edge) switch")
    parser.add_argument("--budget", type=int, metavar="N", help="TCAM budget of every switch (default: none)")


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
