"""The command `lab`: run the whole platform over a Mininet network."""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path
from typing import Any

from mininet_labs import interrupts
from mininet_labs.demo.errors import DemoError
from mininet_labs.demo.platform_up import ROOT, Platform
from mininet_labs.demo.registration import Settling, register, settling_patience
from mininet_labs.demo.rest import RestClient
from mininet_labs.demo.services import wait_until
from mininet_labs.demo.status import ReportProgress, shown, step
from mininet_labs.errors import LabError
from mininet_labs.interrupts import Interrupted, raise_when_asked
from mininet_labs.lab import needs
from mininet_labs.lab.network import MininetNetwork
from mininet_labs.topologies import load
from tercast.runtime.wording import quantity

RUN_DIR = Path(os.environ.get("TERCAST_RUN_DIR", ROOT / "run" / "lab"))


def run(args: argparse.Namespace) -> int:
    """Run the lab until Ctrl-C; return 0 then, 1 if a part has ended or did not start."""
    topology = load(args.topology)
    needs.check()
    raise_when_asked()
    platform = Platform(RUN_DIR, topology, args.port, MininetNetwork)
    try:
        if args.fresh:
            platform.forget()
        start(platform, topology)
        greet(platform, topology)
        _keep(platform, args.run_for)
    except Interrupted:
        print("tercast: stopping …", flush=True)
    except (LabError, DemoError, OSError) as error:
        print(f"\ntercast: {error}", file=sys.stderr)
        return 1
    finally:
        platform.stop()
        print("tercast: all processes have stopped", flush=True)
    return 0


def start(platform: Platform, topology: dict[str, Any]) -> RestClient:
    """Start the platform with its network, register the network, and return the API client."""
    step("database, secrets, users", lambda _: platform.prepare())
    switches = quantity(len(topology["switches"]), "switch", "switches")
    step(f"Mininet: {switches}, userspace datapath", platform.start_fabric)
    step("controller (Ryu)", platform.start_controller)
    step("web server, Celery workers and beat", platform.start_control_plane)
    rest = RestClient(platform.base_url, platform.secret("operator-token"))
    step("topology", lambda report: register(rest, topology, report))
    step("tables", lambda report: _settle(rest, platform, topology, report))
    return rest


def _settle(rest: RestClient, platform: Platform, topology: dict[str, Any], report: ReportProgress) -> None:
    settling, patience = Settling(rest, platform), settling_patience(topology)
    services, progress = platform.services, settling.progress
    wait_until("the tables", settling.ready, services, patience, progress=progress, report=report)


def greet(platform: Platform, topology: dict[str, Any]) -> None:
    """Print the addresses, and how to run a command in a host."""
    hosts = [host["id"] for host in topology["hosts"]]
    example = hosts[0] if hosts else "HOST"
    print(
        f"\n  page      {platform.base_url}/   (admin, password {platform.secret('admin-password')})\n"
        f"  hosts     {', '.join(hosts)}\n"
        f"  enter one {sys.executable} -m mininet_labs enter {example} -- ip address\n"
        f"  logs      {shown(platform.logs)}\n"
        "  Ctrl-C ends it, and removes every interface.\n",
        flush=True,
    )


def _keep(platform: Platform, for_s: float | None) -> None:
    until = float("inf") if for_s is None else time.monotonic() + for_s
    while time.monotonic() < until:
        interrupts.check()
        platform.check()
        time.sleep(min(1.0, max(0.0, until - time.monotonic())))
