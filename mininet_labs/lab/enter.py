"""`enter`: run a command in a host of a lab that runs."""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path

from mininet_labs.errors import LabError
from mininet_labs.fabric.cleanup import start_time
from mininet_labs.lab import needs
from mininet_labs.lab.command import RUN_DIR
from mininet_labs.lab.network import HOSTS_FILE


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("host", help="a host of the topology")
    parser.add_argument("argv", nargs="*", metavar="COMMAND", help="and its arguments (default: a shell)")
    parser.add_argument("--run-dir", type=Path, default=RUN_DIR, metavar="DIR", help="of the lab")


def run(args: argparse.Namespace) -> int:
    """Become the command, in the host's namespaces; it ends with the lab."""
    needs.check()
    pid = host_pid(args.run_dir / "fabric" / HOSTS_FILE, args.host)
    command = args.argv or [os.environ.get("SHELL", "/bin/sh")]
    within = ["nsenter", f"--target={pid}", "--net", "--pid", "--mount", f"--wd={Path.cwd()}", "--"]
    os.execvp("nsenter", [*within, *command])  # noqa: S606 - it is what was asked for


def host_pid(hosts_file: Path, host: str) -> int:
    """The process that holds a host's namespaces; LabError when there is no such host, or no lab runs.

    The file of a lab that was killed names processes that are gone, or others that have their ids by now.
    """
    try:
        hosts = json.loads(hosts_file.read_text("utf-8"))
    except FileNotFoundError:
        raise LabError(hosts_file, "no lab runs there", "start one with make lab") from None
    if host not in hosts:
        raise LabError(host, "no such host in the lab", f"take one of {', '.join(hosts)}")
    pid = int(hosts[host]["pid"])
    if start_time(pid) != hosts[host]["started"]:
        raise LabError(hosts_file, "is of a lab that has ended", "start one with make lab")
    return pid
