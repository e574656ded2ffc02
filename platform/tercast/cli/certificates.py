"""The `certificates` command: keys and certificates for OpenFlow over TLS in a lab."""

import argparse
import sys
from pathlib import Path
from typing import Any

from tercast.cli.certificate_authority import CONTROLLER, DAYS, Identity, make_certificates
from tercast.errors import Refused


def add_commands(commands: Any) -> None:
    """Add `certificates` to the command line of `tercast`."""
    parser = commands.add_parser(
        "certificates",
        help="make certificates for OpenFlow over TLS in a lab",
        description="Make an authority, and a key with its certificate for the controller and for each NAME "
        "(a switch). With datapath ids of 16 hex digits after the name, the certificate proves these. "
        "What is in the folder already stays.",
    )
    parser.add_argument("folder", metavar="FOLDER", type=Path)
    parser.add_argument("names", metavar="NAME[=DPID,...]", nargs="*", help="switches and their datapath ids")
    parser.add_argument(
        "--days", type=_days, default=DAYS, metavar="N", help="how long they are good (default %(default)s)"
    )
    parser.set_defaults(call=run)


def run(arguments: argparse.Namespace) -> int:
    """Make them; 0 when they are there, 2 when a name is refused or the folder cannot be written."""
    names = [word.partition("=")[0] for word in arguments.names]
    dpids = {
        name: ids.split(",") for word in arguments.names for name, _, ids in [word.partition("=")] if ids
    }
    try:
        made = make_certificates(arguments.folder, [CONTROLLER, *names], arguments.days, dpids)
    except (Refused, OSError, ValueError) as error:
        print(f"{arguments.folder}: {error}", file=sys.stderr)
        return 2
    print(f"made: {', '.join(made) or 'nothing, all are there'}")
    own = Identity.of(arguments.folder, CONTROLLER)
    print(
        f"controller: --tls-certificate {own.certificate} --tls-key {own.key} --tls-authority {own.authority}"
    )
    for name in names:
        files = Identity.of(arguments.folder, name)
        print(f"{name}: ovs-vsctl set-ssl {files.key} {files.certificate} {files.authority}")
    return 0


def _days(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:6]) <= 36500):
        raise argparse.ArgumentTypeError(f"{text}: give 1 to 36500 days")
    return int(text)
