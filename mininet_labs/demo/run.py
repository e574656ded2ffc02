"""`make run`: start the platform, load the demo, show the events, and stop everything."""

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

from mininet_labs.demo import standby
from mininet_labs.demo.demo import DEFAULT_TOPOLOGY, Demo
from mininet_labs.demo.options import from_arguments
from mininet_labs.demo.status import (
    passed,
    status_text,
)
from mininet_labs.errors import LabError
from mininet_labs.interrupts import Interrupted, raise_when_asked
from mininet_labs.topologies import load


def run(arguments: argparse.Namespace) -> int:
    """Run the demo; return 0 without lost or duplicated events and failures."""
    options = from_arguments(arguments, DEFAULT_TOPOLOGY)
    topology = load(options.topology)
    raise_when_asked()
    try:
        if options.empty:
            return standby.run(options, topology)
        with Demo(options, topology) as demo:
            demo.start()
            demo.launch(fixed=True)
            demo.greet()
            report = conclude(demo)
            print(f"tercast: {status_text(report['entries'], report)}", flush=True)
            if options.report is not None:
                write_report(options.report, report)
            return 0 if passed(report) else 1
    except Interrupted:
        return 130
    except (LabError, OSError) as error:
        print(f"\ntercast: {error}", file=sys.stderr)
        return 1
    finally:
        print("tercast: all processes have stopped", flush=True)


def conclude(demo: Demo) -> dict[str, Any]:
    """Watch until the end and return the report, also if a needed process ends before."""
    try:
        try:
            demo.watch()
        except Interrupted:
            print("tercast: stopping …", flush=True)
        return demo.finish()
    except LabError as error:
        print(f"\ntercast: {error}", file=sys.stderr, flush=True)
        return demo.salvage(error)


def write_report(path: Path, report: dict[str, Any]) -> None:
    """Write the report as a whole or not at all."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    temporary.replace(path)
    print(f"tercast: report in {path}", flush=True)
