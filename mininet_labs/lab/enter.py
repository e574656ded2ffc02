"""The command `enter`: run a command in a host of a running lab."""

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
    """Add the arguments of the command."""
    parser.add_argument("host", help="id of a host in the topology")
    parser.add_argument("argv", nargs="*", metavar="COMMAND", help="command and arguments (default: a shell)")
    parser.add_argument("--run-dir", type=Path, default=RUN_DIR, metavar="DIR", help="its run directory")


def run(args: argparse.Namespace) -> int:
    """Replace this process by the command in the host's namespaces; it ends with the lab."""
    needs.check()
    pid = host_pid(args.run_dir / "fabric" / HOSTS_FILE, args.host)
    command = args.argv or [os.environ.get("SHELL", "/bin/sh")]
    within = ["nsenter", f"--target={pid}", "--net", "--pid", "--mount", f"--wd={Path.cwd()}", "--"]
    os.execvp("nsenter", [*within, *command])  # noqa: S606 - the user requests this


def host_pid(hosts_file: Path, host: str) -> int:
    """Return the id of a process in a host's namespaces.

    After a lab was killed, its file may name processes that have ended, or later ones with the same ids.

    Raises:
        LabError: There is no such host, or no lab runs.
    """
    try:
        hosts = json.loads(hosts_file.read_text("utf-8"))
    except FileNotFoundError:
        raise LabError(hosts_file, "no lab runs here", "start one with make lab") from None
    if host not in hosts:
        raise LabError(host, "no such host in the lab", f"use one of {', '.join(hosts)}")
    pid = int(hosts[host]["pid"])
    if start_time(pid) != hosts[host]["started"]:
        raise LabError(hosts_file, "belongs to a lab that has ended", "start one with make lab")
    return pid
