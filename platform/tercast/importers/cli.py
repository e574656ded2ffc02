"""The `import` command: a topology file of another tool becomes one of ours."""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from tercast.errors import Refused
from tercast.importers.read import FORMATS, MOST_HOSTS, read_topology


def add_commands(commands: Any) -> None:
    """Add `import` to the command line of `tercast`."""
    parser = commands.add_parser(
        "import",
        help="read a topology of another tool",
        description="Read a topology file (Topology Zoo and other GraphML, GML, SNDlib XML, topohub and "
        "other node-link JSON, Rocketfuel, BRITE, Mininet lists) and write it as scenarios have it. "
        "Every repair is told on standard error.",
    )
    parser.add_argument("file", type=Path, metavar="FILE")
    parser.add_argument(
        "-o", "--output", type=Path, required=True, metavar="TOPOLOGY", help="'-' for standard output"
    )
    parser.add_argument("--format", choices=FORMATS, help="where the content does not tell it")
    parser.add_argument("--hosts", type=_hosts, default=0, metavar="N", help="attach N hosts to every switch")
    parser.set_defaults(call=run)


def run(arguments: argparse.Namespace) -> int:
    """Import; 0 when it is written, 2 when the file is refused."""
    try:
        imported = read_topology(arguments.file.read_bytes(), arguments.format, arguments.hosts)
        text = json.dumps(imported.topology, indent=1, ensure_ascii=False) + "\n"
        if str(arguments.output) == "-":
            sys.stdout.write(text)
        else:
            _write(arguments.output, text)
    except Refused as error:
        print(f"{arguments.file}: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"{error.filename}: {error.strerror}", file=sys.stderr)
        return 2
    for note in imported.repairs:
        print(f"repaired: {note}", file=sys.stderr)
    counts = {name: len(imported.topology[name]) for name in ("switches", "links", "hosts")}
    told = ", ".join(f"{number} {name}" for name, number in counts.items())
    print(f"{arguments.file}: {imported.format}, {told}, {len(imported.repairs)} repairs", file=sys.stderr)
    return 0


def _write(path: Path, text: str) -> None:
    temporary = path.with_name(f".{path.name}.part")
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(path)


def _hosts(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) <= MOST_HOSTS):
        raise argparse.ArgumentTypeError(f"{text}: give 0 to {MOST_HOSTS}")
    return int(text)
