"""The command `fabric`: run an embedded fabric in the foreground until Ctrl-C."""

from __future__ import annotations

import argparse
import re
import signal
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import FrameType
from typing import Any

from mininet_labs.fabric.bridges import CHUNK
from mininet_labs.fabric.depth import depth_warning
from mininet_labs.fabric.fabric import Fabric
from mininet_labs.topologies import load
from tercast.runtime.wording import quantity

CONTROLLER = "tcp:127.0.0.1:6653"

_TARGET = re.compile(r"p?(tcp|ssl):[^\s,]+|p?unix:[^\s,]+").fullmatch


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("topology", help="topology file, or the name of an included topology (abilene)")
    parser.add_argument(
        "--run-dir", type=Path, required=True, metavar="DIR", help="folder for sockets and logs"
    )
    parser.add_argument(
        "--controller",
        action="append",
        type=_controller,
        metavar="TARGET",
        help=f"OpenFlow controller; repeat for several (default {CONTROLLER}); `none` for no controller",
    )
    parser.add_argument(
        "--links",
        choices=("patch", "joined"),
        default="patch",
        help="kind of links; only links of the kind joined can go down (default patch)",
    )
    parser.add_argument(
        "--flow-cache", action="store_true", help="cache decisions; then table changes take effect later"
    )


def _controller(text: str) -> str:
    """Return a target of Open vSwitch; a wrong one would only be in the log of the switches."""
    if text != "none" and not _TARGET(text):
        rule = "is not a target; use none, or for example tcp:127.0.0.1:6653, ssl:[::1]:6653 or unix:/run/x"
        raise argparse.ArgumentTypeError(f"{text!r} {rule}")
    return text


def run(args: argparse.Namespace) -> int:
    """Run the fabric; return 0 after Ctrl-C or SIGTERM, 1 if a daemon has ended."""
    controllers = [target for target in args.controller or [CONTROLLER] if target != "none"]
    topology = load(args.topology)
    fabric = Fabric(args.run_dir, topology, controllers, args.links, flow_cache=args.flow_cache)
    if args.links == "patch" and (warning := depth_warning(topology)):
        print(f"warning: {warning}", file=sys.stderr, flush=True)
    return serve(fabric, lambda: describe(fabric, topology, f"controller {', '.join(controllers) or 'none'}"))


def serve(fabric: Fabric, begin: Callable[[], None]) -> int:
    """Start the fabric, call `begin`, and wait for Ctrl-C or SIGTERM (0) or a daemon's end (1)."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _interrupt)
    try:
        try:
            fabric.start(show_progress)
            begin()
            fabric.wait()
            fabric.check()
        finally:
            fabric.stop()
    except KeyboardInterrupt:
        print("fabric stopped", file=sys.stderr)
        return 0
    return 1


def show_progress(done: int, total: int) -> None:
    """Print the progress of a start with more than one step."""
    if total > CHUNK:
        print(f"{done:,} of {total:,} bridges, ports and links are ready", file=sys.stderr, flush=True)


def describe(fabric: Fabric, topology: Mapping[str, Any], what: str) -> None:
    """Print the sockets of all hosts, the size of the fabric, `what` controls it, and `ready`."""
    for host, sockets in fabric.host_sockets().items():
        print(f"{host:<20} {' '.join(map(str, sockets))}")
    nouns = {"switches": ("switch", "switches"), "links": ("link", "links"), "hosts": ("host", "hosts")}
    parts = [quantity(len(topology.get(kind, ())), *words) for kind, words in nouns.items()]
    print(f"{', '.join(parts)}; {what}; Ctrl-C ends it")
    print("ready", flush=True)


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt
