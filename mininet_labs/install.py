"""The command `install`: run a fabric with the entries of an offline plan."""

from __future__ import annotations

import argparse
import ipaddress
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from mininet_labs.errors import LabError
from mininet_labs.fabric.command import describe, serve
from mininet_labs.fabric.fabric import Fabric
from tercast.offline.plan_file import read_plan
from tercast.offline.scenario import read_scenario
from tercast.runtime.json_files import FileRefused, read_document
from tercast.runtime.wording import quantity
from tercast.tables.entries import Entry, SetDst, SwitchDiff, difference
from tercast.topology.elements import Host

HostsByName = Mapping[str, Host]

FIELDS = {4: ("ip", "nw_dst", "ip_dst"), 6: ("ipv6", "ipv6_dst", "ipv6_dst")}
"""By IP version, in `ovs-ofctl` syntax: protocol, field to match, field to set."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("scenario", help="scenario file; the fabric has the network after its last request")
    parser.add_argument("plan", help="plan of this scenario, from `tercast plan`")
    parser.add_argument(
        "--run-dir", type=Path, required=True, metavar="DIR", help="folder for sockets and logs"
    )
    parser.add_argument(
        "--links", choices=("patch", "joined"), default="patch", help="kind of links (default patch)"
    )


def run(args: argparse.Namespace) -> int:
    """Run the fabric with the planned tables.

    Returns:
        0 after Ctrl-C or SIGTERM, 1 if a daemon has ended, 2 if a file is refused.
    """
    try:
        scenario = read_document(args.scenario, read_scenario)
        plan = read_document(args.plan, read_plan)
    except FileRefused as refused:
        print(refused, file=sys.stderr)
        return 2
    topology, hosts = scenario.final.topology.to_json(), scenario.final.topology.hosts
    fabric = Fabric(args.run_dir, topology, links=args.links)

    def begin() -> None:
        install(fabric, [difference(switch, (), table) for switch, table in plan.flows.items()], hosts)
        entries = sum(map(len, plan.flows.values()))
        describe(fabric, topology, f"{quantity(entries, 'entry', 'entries')} of {args.plan}")

    return serve(fabric, begin)


def install(fabric: Fabric, changes: Iterable[SwitchDiff], hosts: HostsByName) -> None:
    """Change tables: additions in the order of the diffs, then removals in reverse order.

    The additions at a switch are one OpenFlow bundle, and so are the removals: all take effect, or none.
    """
    changes = list(changes)
    for change in changes:
        _send(fabric, change.switch, [f"add {flow(entry, hosts)}" for entry in change.installs])
    for change in reversed(changes):
        _send(fabric, change.switch, [f"delete_strict {match(entry)}" for entry in change.removed])


def flow(entry: Entry, hosts: HostsByName) -> str:
    """Return an entry in `ovs-ofctl` syntax.

    Raises:
        LabError: An address is malformed, or a host does not exist.
    """
    return f"{match(entry)},actions={actions(entry, hosts)}"


def match(entry: Entry) -> str:
    """Return the priority and match, which identify an entry in its switch."""
    network = _network(entry.dst)
    protocol, field, _ = FIELDS[network.version]
    port = "" if entry.in_port is None else f"in_port={entry.in_port},"
    return f"priority={entry.priority},{port}{protocol},{field}={network}"


def actions(entry: Entry, hosts: HostsByName) -> str:
    """Return the actions of an entry; without actions `drop`."""
    field = FIELDS[_network(entry.dst).version][2]
    words: list[str] = []
    for action in entry.actions:
        if not isinstance(action, SetDst):
            words.append("IN_PORT" if action.port == "in_port" else f"output:{action.port}")
        elif action.host in hosts:
            host = hosts[action.host]
            words += [f"set_field:{host.ip}->{field}", f"set_field:{host.mac}->eth_dst"]
        else:
            raise LabError(f"set_dst {action.host!r}", "no such host", "name the scenario of this plan")
    return ",".join(words) or "drop"


def _send(fabric: Fabric, switch: str, lines: list[str]) -> None:
    if lines:
        fabric.ofctl(switch, "add-flows", "-", "--bundle", input="\n".join(lines) + "\n")


def _network(dst: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network:
    try:
        return ipaddress.ip_network(dst)
    except ValueError as error:
        raise LabError(
            f"dst {dst!r}", f"is not a prefix ({error})", "create the plan with `tercast plan`"
        ) from None
