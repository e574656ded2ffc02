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
        help="create certificates for OpenFlow over TLS in a lab",
        description="Create a certificate authority, and a key and a certificate for the controller and for "
        "each NAME (a switch). If datapath ids (16 hex digits) follow the name, the certificate proves them. "
        "Existing files in the folder stay unchanged.",
    )
    parser.add_argument("folder", metavar="FOLDER", type=Path, help="folder for keys and certificates")
    parser.add_argument(
        "names",
        metavar="NAME[=DPID,...]",
        nargs="*",
        help="names of switches; with datapath ids, the certificate proves them",
    )
    parser.add_argument(
        "--days", type=_days, default=DAYS, metavar="N", help="validity in days (default %(default)s)"
    )
    parser.set_defaults(call=run)


def run(arguments: argparse.Namespace) -> int:
    """Create the certificates; 0 on success, 2 if a name is invalid or a file cannot be written."""
    names = [word.partition("=")[0] for word in arguments.names]
    dpids = {
        name: ids.split(",") for word in arguments.names for name, _, ids in [word.partition("=")] if ids
    }
    try:
        made = make_certificates(arguments.folder, [CONTROLLER, *names], arguments.days, dpids)
    except Refused as refused:
        print(refused.detail, file=sys.stderr)
        return 2
    except (OSError, ValueError) as error:
        print(f"{arguments.folder}: {error}", file=sys.stderr)
        return 2
    print(f"created: {', '.join(made) or 'nothing, all files exist'}")
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
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of days; use 1 to 36500")
    return int(text)
