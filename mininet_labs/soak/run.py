"""`make soak`: start the platform over joined links, stress it, and report the result."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mininet_labs import interrupts
from mininet_labs.demo.demo import DEFAULT_TOPOLOGY, Demo
from mininet_labs.demo.errors import DemoError
from mininet_labs.demo.options import DemoOptions
from mininet_labs.demo.platform_up import Platform
from mininet_labs.demo.registration import are_tables_settled
from mininet_labs.demo.rest import RestClient
from mininet_labs.demo.run import write_report
from mininet_labs.demo.services import wait_until
from mininet_labs.demo.status import PlatformOutage
from mininet_labs.errors import LabError
from mininet_labs.fabric import Fabric
from mininet_labs.interrupts import Interrupted, raise_when_asked
from mininet_labs.networks import DemoNetwork
from mininet_labs.soak.changes import SoakChanges
from mininet_labs.soak.descriptors import leaked, open_descriptors
from mininet_labs.soak.drift import differences
from mininet_labs.soak.faults import Faults
from mininet_labs.soak.options import SoakOptions, from_arguments
from mininet_labs.topologies import core_topology, load
from tercast.runtime.wording import quantity
from tercast.topology.reader import read_topology

SETTLE_S = 180.0
LOOKS, LOOK_EVERY_S = 20, 0.5
MUST_BE_ZERO = ("stable_lost", "stable_doubled", "drift", "leaked_descriptors", "restarts")


def joined_fabric(run_dir: Path, topology: dict[str, Any], port: int) -> DemoNetwork:
    """Return a fabric whose links forward packets one at a time, like cables."""
    return Fabric(run_dir, topology, [f"tcp:127.0.0.1:{port}"], links="joined")


class Soak:
    """A run of the soak test on a running platform."""

    def __init__(self, demo: Demo, options: SoakOptions) -> None:
        self.demo, self.options = demo, options
        platform = demo.platform
        assert isinstance(platform.network, Fabric)
        self.fabric = platform.network
        self.rest = demo.rest
        own = RestClient(platform.base_url, platform.secret("operator-token"), patience=60.0)
        self.changes = SoakChanges(own, demo.topology, options.seed)
        self.faults = Faults(platform, self.fabric, demo.topology, options.seed)

    def run(self) -> dict[str, Any]:
        """Run the test, wait until the tables are stable, and return the report."""
        self.changes.prepare()
        self.settle()
        before = self.descriptors(max)
        self.changes.start()
        self.suffer()
        self.changes.stop()
        self.settle()
        after = self.descriptors(min)
        drift = differences(self.fabric, self.rest, self.hosts())
        counters = self.demo.finish()
        return self.report(counters, drift, (before, after))

    def suffer(self) -> None:
        """Cause faults during the changes of the other thread, and report the counters meanwhile."""
        assert self.demo.feed is not None
        outage = PlatformOutage()
        end = time.monotonic() + self.options.run_for
        next_fault = time.monotonic() + self.options.fault_every
        while (now := time.monotonic()) < end:
            self.changes.check()
            interrupts.check()
            self.demo.platform.check()
            self.demo.feed.check()
            with outage.bridged():
                self.demo.feed.pass_on()
            counters = self.demo.feed.counters
            if now >= next_fault:
                self.faults.one()
                next_fault = time.monotonic() + self.options.fault_every
            self.say(counters, end - now)
            time.sleep(0.5)

    def settle(self) -> None:
        """Wait until no request is running and every switch has its table."""
        platform = self.demo.platform
        wait_until("the tables", self._pass_on_and_settle, platform.services, timeout=SETTLE_S)

    def _pass_on_and_settle(self) -> bool:
        assert self.demo.feed is not None
        self.demo.feed.pass_on()
        return are_tables_settled(self.rest, self.demo.platform)

    def descriptors(self, of: Callable[[list[int]], int]) -> dict[str, int]:
        """Return the highest or lowest numbers of several samples, because connections come and go."""
        assert self.demo.feed is not None
        looks = []
        for _ in range(LOOKS):
            looks.append(open_descriptors(self.demo.platform.services))
            self.demo.feed.pass_on()
            time.sleep(LOOK_EVERY_S)
        return {name: of([look[name] for look in looks]) for name in looks[0]}

    def hosts(self) -> Any:
        """Return the hosts of the topology by id."""
        return read_topology(core_topology(self.demo.topology), "ipv6").hosts

    def say(self, counters: dict[str, Any], left: float) -> None:
        """Print a line on standard error if it is a terminal."""
        if sys.stderr.isatty():
            changes, faults = self.changes.counts.total(), self.faults.counts.total()
            lost, doubled = counters["lost"], counters["doubled"]
            made = f"{quantity(changes, 'change')}, {quantity(faults, 'fault')}"
            line = f"{left:.0f} s left, {made}, lost {lost}, duplicates {doubled}"
            print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)

    def report(
        self, counters: dict[str, Any], drift: list[str], descriptors: tuple[dict[str, int], dict[str, int]]
    ) -> dict[str, Any]:
        """Return the results of the run as JSON."""
        before, after = descriptors
        return {
            "seconds": self.options.run_for,
            "seed": self.options.seed,
            "changes": self.changes.counts.total(),
            "changes_by_kind": dict(self.changes.counts),
            "changes_failed": dict(self.changes.failed),
            "last_reasons": self.changes.reasons,
            "changes_refused": dict(self.changes.refused),
            "faults": dict(self.faults.counts),
            "restarts": sum(self.demo.platform.restarts().values()),
            "restarts_by_service": self.demo.platform.restarts(),
            "published": counters["published"],
            "stable_wanted": counters["wanted"],
            "stable_lost": counters["lost"],
            "stable_doubled": counters["doubled"],
            "delay_ms": counters["delay_ms"],
            "drift": len(drift),
            "drifted": drift[:20],
            "leaked_descriptors": leaked(before, after),
            "descriptors": {"before": before, "after": after},
        }


def run(arguments: argparse.Namespace) -> int:
    """Run the soak test; return 0 only without lost or duplicated events, drift or leaks."""
    options = from_arguments(arguments)
    raise_when_asked()
    run_dir = Path(tempfile.mkdtemp(prefix="tercast-soak-", dir="/tmp"))
    done = False
    try:
        report = _soaked(options, run_dir)
        done = True
    except Interrupted:
        print("soak: interrupted", file=sys.stderr)
        return 130
    except (LabError, DemoError, OSError) as error:
        print(f"\nsoak: {error}", file=sys.stderr)
        return 1
    finally:
        if done:
            shutil.rmtree(run_dir, ignore_errors=True)
        else:
            print(f"soak: the logs are in {run_dir / 'logs'}", file=sys.stderr)
    print(json.dumps(report, indent=2))
    if options.report is not None:
        write_report(options.report, report)
    return 0 if all(report[name] == 0 for name in MUST_BE_ZERO) else 1


def _soaked(options: SoakOptions, run_dir: Path) -> dict[str, Any]:
    topology = load(DEFAULT_TOPOLOGY)
    demo_options = DemoOptions(
        run_for=None, report=None, rate=options.rate, port=8000, topology=DEFAULT_TOPOLOGY, fresh=True
    )
    platform = Platform(run_dir, topology, demo_options.port, joined_fabric)
    with Demo(demo_options, topology, platform) as demo:
        demo.start()
        return Soak(demo, options).run()
