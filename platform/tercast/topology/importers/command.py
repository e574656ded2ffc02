"""The `import` command, which converts a topology file of another tool."""

import argparse
import sys
from pathlib import Path
from typing import Any

from tercast.errors import Refused, RefusedMany
from tercast.runtime.json_files import FileRefused, write_json
from tercast.runtime.wording import quantity
from tercast.topology.importers import FAMILIES, FORMATS, MOST_HOSTS_A_SWITCH, Imported, read_topology
from tercast.topology.importers.format_guess import FORMS
from tercast.topology.importers.limits import LARGEST_FILE


def add_commands(commands: Any) -> None:
    """Add `import` to the command line of `tercast`."""
    parser = commands.add_parser(
        "import",
        help="convert a topology file of another tool",
        description="Read a topology file and write it in the format of scenarios. It reads GraphML "
        "(Topology Zoo and others), GML, SNDlib XML, node-link JSON (topohub and others), Rocketfuel, BRITE, "
        "Mininet lists and Tercast's own format. "
        "Every repair is reported on standard error.",
    )
    parser.add_argument("file", metavar="FILE")
    parser.add_argument(
        "-o", "--output", required=True, metavar="TOPOLOGY", help="file to write; - is standard output"
    )
    parser.add_argument(
        "--format", choices=FORMATS, help="format of the file, if its content does not show it"
    )
    parser.add_argument("--hosts", type=_hosts, default=0, metavar="N", help="attach N hosts to every switch")
    parser.add_argument(
        "--family",
        choices=FAMILIES,
        default="ipv6",
        help="family of the hosts' addresses (default %(default)s)",
    )
    parser.set_defaults(call=run)


def run(arguments: argparse.Namespace) -> int:
    """Import a file; return 0 if the output is written, 2 if the file is refused."""
    try:
        with Path(arguments.file).open("rb") as stream:
            data = stream.read(LARGEST_FILE + 1)
        imported = read_topology(data, arguments.format, arguments.hosts, arguments.family)
        write_json(arguments.output, imported.topology)
    except (Refused, RefusedMany) as error:
        for line in str(error).splitlines():
            print(f"{arguments.file}: {line}", file=sys.stderr)
        return 2
    except FileRefused as error:
        print(error, file=sys.stderr)
        return 2
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or error
        print(f"{arguments.file}: cannot be read: {reason}", file=sys.stderr)
        return 2
    for note in imported.repairs:
        print(f"repaired: {note}", file=sys.stderr)
    if imported.assumed:
        shown_by = FORMS[imported.format]
        print(
            f"format: {imported.format}, detected from the content ({shown_by}); "
            "use --format to choose another",
            file=sys.stderr,
        )
    print(f"{arguments.file}: {imported.format}, {_counts(imported)}", file=sys.stderr)
    return 0


def _counts(imported: Imported) -> str:
    """Describe the numbers of switches, links, hosts and repairs in words."""
    nouns = {"switches": ("switch", "switches"), "links": ("link", "links"), "hosts": ("host", "hosts")}
    counts = [quantity(number, *nouns[part]) for part, number in imported.counts.items()]
    return ", ".join((*counts, quantity(len(imported.repairs), "repair")))


def _hosts(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) <= MOST_HOSTS_A_SWITCH):
        raise argparse.ArgumentTypeError(f"{text} is out of range; write 0 to {MOST_HOSTS_A_SWITCH}")
    return int(text)
