"""The commands of `python -m mininet_labs`.

A command is a module with `run(args) -> exit status`, and a module with `add_arguments(parser)`, which may be
the same. The modules are imported when the command is called, so that a command needs only its own
requirements. A separate module of options uses only the standard library: `make run ARGS=--help` prints them
before the set-up.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from mininet_labs.errors import LabError


@dataclass(frozen=True, slots=True)
class LabCommand:
    """Modules of a command and of its options, and its help text."""

    module: str
    help: str
    options: str = ""


COMMANDS = {
    "run": LabCommand(
        "mininet_labs.demo.run", "run the whole platform with its demo", "mininet_labs.demo.options"
    ),
    "soak": LabCommand(
        "mininet_labs.soak.run",
        "run the platform under changes and faults, and print a report",
        "mininet_labs.soak.options",
    ),
    "lab": LabCommand(
        "mininet_labs.lab.command",
        "run the whole platform over a Mininet network (root)",
        "mininet_labs.lab.options",
    ),
    "figures": LabCommand(
        "mininet_labs.figures.command",
        "reproduce figures of the papers, with a verdict for each claim",
        "mininet_labs.figures.options",
    ),
    "enter": LabCommand("mininet_labs.lab.enter", "run a command in a host of the running lab (root)"),
    "fabric": LabCommand("mininet_labs.fabric.command", "run an embedded fabric alone until Ctrl-C"),
    "install": LabCommand("mininet_labs.install", "run a fabric with an offline plan until Ctrl-C"),
    "topology": LabCommand("mininet_labs.topologies.command", "print a generated topology"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command that the arguments name; return 2 if the command refuses its input."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    parser = argparse.ArgumentParser(prog="python -m mininet_labs", description="Labs of Tercast.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    chosen = next((argument for argument in given if not argument.startswith("-")), None)
    for name, command in COMMANDS.items():
        sub = commands.add_parser(name, help=command.help, description=command.help)
        if name == chosen:
            importlib.import_module(command.options or command.module).add_arguments(sub)
    args = parser.parse_args(given)
    try:
        return int(importlib.import_module(COMMANDS[args.command].module).run(args))
    except LabError as error:
        print(error, file=sys.stderr)
        return 2
