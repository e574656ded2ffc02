"""Measure the installation rate of entries through the northbound, compared with `ovs-ofctl`; print JSON.

    .venv/bin/python tests/benchmarks/bench_controller.py --entries 50000 --switches 1 11

It uses real Open vSwitch of the embedded fabric. In each round the same entries, divided evenly over the
switches, are installed in empty tables in each way in turn. The report has the best and the median round. The
time of the northbound is from the sending of the request (ready as bytes) to its answer. The time of
`ovs-ofctl --bundle add-flows` is from its start to its end, one process at a time, and all together.
`cpu_seconds` is the CPU time of all involved processes in the median round; on a busy machine it says more
than rates. `framework_objects` are flow-mods from objects of Ryu, one at a time, on a plain socket: the rate
without the own encoder and without bundles.
"""

import argparse
import json
import os
import platform
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from ipaddress import IPv6Address, ip_network
from pathlib import Path
from statistics import median
from types import SimpleNamespace
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/support/controller"), str(ROOT), str(ROOT / "platform")]

from bench_machine import processor_time  # noqa: E402
from controller_harness import (  # noqa: E402
    TOKEN,
    Controller,
    dpid,
    entry,
    key,
    output,
    running,
    set_dst,
)

from controller_app.ryu_api import ofproto_v1_3, ofproto_v1_3_parser  # noqa: E402
from mininet_labs.fabric import Fabric  # noqa: E402

COOKIE = 0x7EC0A57E00000001
CONTENT = f"cookie={COOKIE:#x}/-1"
QUIET = ("--probe-interval", "5", "--poll-interval", "2")
Entries = list[dict[str, Any]]


def entries_of(count: int) -> Entries:
    """Return distinct entries with eight prefix lengths and one to three outputs; some rewrite."""
    found = []
    for n in range(count):
        length = 56 + n % 8
        address = (0xFF0E << 112) | (0x4 << 96) | (n + 1) << (128 - length)
        actions = [output(port) for port in range(1, 2 + n % 3)]
        if n % 10 == 0:
            actions = [*actions, set_dst("fd00::9", "02:00:00:00:00:09"), output(7)]
        found.append(entry(f"{IPv6Address(address)}/{length}", length - 14, *actions))
    return found


def flow_text(item: dict[str, Any]) -> str:
    """Return an entry in the syntax of `ovs-ofctl`."""
    actions = []
    for action in item["actions"]:
        if "output" in action:
            actions.append(f"output:{action['output']}")
        else:
            rewrite = action["set_dst"]
            actions.append(f"set_field:{rewrite['mac']}->eth_dst,set_field:{rewrite['ip']}->ipv6_dst")
    match = f"cookie={COOKIE:#x},priority={item['priority']},ipv6,ipv6_dst={item['dst']}"
    return f"{match},actions={','.join(actions)}\n"


def compact(entries: Entries) -> dict[str, Any]:
    """Return the compact form of entries."""
    places: dict[str, int] = {}
    rows = []
    for item in entries:
        actions = json.dumps(item["actions"])
        rows.append([item["dst"], item["priority"], places.setdefault(actions, len(places))])
    return {"actions": [json.loads(actions) for actions in places], "entries": rows}


def divided(entries: Entries, switches: int) -> list[Entries]:
    """Return the entries of each switch."""
    return [entries[n::switches] for n in range(switches)]


class Bench:
    """A fabric with switches, and a controller with or without bundles."""

    def __init__(self, run_dir: Path, fabric: Fabric, controller: Controller, parts: list[Entries]) -> None:
        self.run_dir = run_dir
        self.fabric = fabric
        self.controller = controller
        self.parts = parts
        self.files: list[Path] = []
        for n, part in enumerate(parts, 1):
            self.files.append(run_dir / f"flows-{n}")
            self.files[-1].write_text("".join(map(flow_text, part)))
        self.bodies = {
            "given": self._body("given", list),
            "any": self._body("any", list),
            "compact": self._body("given", compact),
        }
        removes = [{"dpid": dpid(n), "remove": [*map(key, part)]} for n, part in enumerate(parts, 1)]
        self.removal = json.dumps({"id": "remove", "switches": removes}).encode()

    def _body(self, order: str, form: Callable[[Entries], object]) -> bytes:
        switches = [{"dpid": dpid(n), "add": form(part)} for n, part in enumerate(self.parts, 1)]
        return json.dumps({"id": order, "order": order, "switches": switches}).encode()

    def northbound(self, body: str) -> None:
        """Send the change of all switches with a name in `bodies`."""
        self._post(self.bodies[body])

    def remove(self) -> None:
        """Send a change that removes all entries."""
        self._post(self.removal)

    def _post(self, body: bytes) -> None:
        connection = HTTPConnection("127.0.0.1", self.controller.northbound, timeout=600)
        connection.request("POST", "/v1/changes", body, {"Authorization": f"Bearer {TOKEN}"})
        answer = json.loads(connection.getresponse().read())
        connection.close()
        assert {part["state"] for part in answer["switches"]} == {"confirmed"}, answer

    def ofctl(self, at_once: bool) -> None:
        """Run `ovs-ofctl --bundle add-flows` for each switch."""
        started = []
        for n, path in enumerate(self.files, 1):
            command = ["ovs-ofctl", "-O", "OpenFlow13", "--bundle", "add-flows", self._target(n), str(path)]
            started.append(subprocess.Popen(command))
            if not at_once:
                assert started[-1].wait() == 0
        assert all(process.wait() == 0 for process in started)

    def objects(self) -> None:
        """Send flow-mods from objects of the framework, one at a time, with a barrier at the end."""
        for n, part in enumerate(self.parts, 1):
            send_objects(self._target(n).removeprefix("unix:"), part)

    def _target(self, n: int) -> str:
        return f"unix:{self.run_dir}/f/s/s{n}.mgmt"

    def check(self) -> None:
        """Check that every table has its entries."""
        for n, part in enumerate(self.parts, 1):
            output = self.fabric.ofctl(f"s{n}", "dump-aggregate", CONTENT)
            assert f"flow_count={len(part)}" in output, output

    def clear(self) -> None:
        """Empty the tables, and wait until the switch is idle."""
        for n in range(1, len(self.parts) + 1):
            self.fabric.ofctl(f"s{n}", "del-flows", CONTENT)
        time.sleep(0.5)

    def timed(self, act: Callable[[], None]) -> tuple[float, float]:
        """Return the seconds to fill empty tables in a way, and the CPU seconds of all processes."""
        self.clear()
        began, worked = time.perf_counter(), self._worked()
        act()
        seconds, worked = time.perf_counter() - began, self._worked() - worked
        self.check()
        return seconds, worked

    def _worked(self) -> float:
        """Return the CPU seconds of the controller, Open vSwitch, this process and `ovs-ofctl`."""
        assert self.controller.process is not None
        daemon = json.loads((self.run_dir / "f" / "ovs-vswitchd.process").read_text())["pid"]
        own = os.times()
        others = map(processor_time, (self.controller.process.pid, daemon))
        return sum((*others, own.user, own.system, own.children_user, own.children_system))


def send_objects(path: str, entries: Entries) -> None:
    """Fill a table over its management socket."""
    channel = socket.socket(socket.AF_UNIX)
    channel.connect(path)
    channel.sendall(struct.pack("!BBHI", 4, 0, 8, 1))
    parser, datapath = ofproto_v1_3_parser, SimpleNamespace(ofproto=ofproto_v1_3)
    datapath.ofproto_parser = parser
    for xid, item in enumerate(entries, 2):
        message = framework_flow_mod(parser, datapath, item)
        message.set_xid(xid)
        message.serialize()
        channel.sendall(message.buf)
    channel.sendall(struct.pack("!BBHI", 4, 20, 8, 1))
    with channel.makefile("rb") as answers:
        while True:
            _, kind, length, _ = struct.unpack("!BBHI", answers.read(8))
            body = answers.read(length - 8)
            assert kind != 1, body
            if kind == 21:
                break
    channel.close()


def framework_flow_mod(parser: Any, datapath: Any, item: dict[str, Any]) -> Any:
    """Return an addition as an object of the framework."""
    network = ip_network(item["dst"])
    actions: list[Any] = []
    for action in item["actions"]:
        if "output" in action:
            actions.append(parser.OFPActionOutput(action["output"], 0))
        else:
            actions.append(parser.OFPActionSetField(eth_dst=action["set_dst"]["mac"]))
            actions.append(parser.OFPActionSetField(ipv6_dst=action["set_dst"]["ip"]))
    return parser.OFPFlowMod(
        datapath,
        cookie=COOKIE,
        priority=item["priority"],
        match=parser.OFPMatch(eth_type=0x86DD, ipv6_dst=(str(network.network_address), str(network.netmask))),
        instructions=[parser.OFPInstructionActions(4, actions)],
    )


@contextmanager
def bench(parts: list[Entries], *options: str) -> Iterator[Bench]:
    """Yield a bench whose switches are connected."""
    run_dir = Path(tempfile.mkdtemp(prefix="tc-", dir="/tmp"))
    switches = [{"id": f"s{n}", "dpid": dpid(n)} for n in range(1, len(parts) + 1)]
    topology = {"switches": switches, "links": [], "hosts": []}
    try:
        with (
            running(run_dir, *QUIET, *options) as controller,
            Fabric(run_dir / "f", topology, [controller.target]) as fabric,
        ):
            controller.await_switches(*(switch["dpid"] for switch in switches))
            yield Bench(run_dir, fabric, controller, parts)
    finally:
        shutil.rmtree(run_dir, ignore_errors=True)


def measure(entries: Entries, switches: int, rounds: int) -> dict[str, Any]:
    """Return the rates of all ways with a number of switches."""
    parts = divided(entries, switches)
    taken: dict[str, list[float]] = {}
    spent: dict[str, list[float]] = {}
    with bench(parts) as bundled, bench(parts, "--no-bundles") as single:
        ways: dict[str, tuple[Bench, Callable[[], None]]] = {
            "ofctl_bundle": (bundled, lambda: bundled.ofctl(at_once=False)),
            "northbound": (bundled, lambda: bundled.northbound("given")),
            "northbound_compact": (bundled, lambda: bundled.northbound("compact")),
            "ofctl_bundle_at_once": (bundled, lambda: bundled.ofctl(at_once=True)),
            "northbound_order_any": (bundled, lambda: bundled.northbound("any")),
            "northbound_no_bundles": (single, lambda: single.northbound("given")),
            "framework_objects": (bundled, bundled.objects),
        }
        for _ in range(rounds):
            for name, (place, act) in ways.items():
                seconds, worked = place.timed(act)
                taken.setdefault(name, []).append(seconds)
                spent.setdefault(name, []).append(worked)
        bundled.timed(lambda: bundled.northbound("given"))
        began = time.perf_counter()
        bundled.remove()
        removed = time.perf_counter() - began
    rates = {name: rate(len(entries), seconds) for name, seconds in taken.items()}
    return {
        "entries_per_second": rates,
        "cpu_seconds": {name: round(median(seconds), 2) for name, seconds in spent.items()},
        "removed_per_second": round(len(entries) / removed),
        "northbound_to_ofctl_bundle": ratio(taken["ofctl_bundle"], taken["northbound"]),
        "compact_to_ofctl_bundle": ratio(taken["ofctl_bundle"], taken["northbound_compact"]),
        "order_any_to_ofctl_at_once": ratio(taken["ofctl_bundle_at_once"], taken["northbound_order_any"]),
        "northbound_to_framework_objects": ratio(taken["framework_objects"], taken["northbound"]),
    }


def rate(count: int, seconds: list[float]) -> dict[str, int]:
    """Return the entries per second in the best and in the median round."""
    return {"best": round(count / min(seconds)), "median": round(count / median(seconds))}


def ratio(other: list[float], own: list[float]) -> dict[str, float]:
    """Return how many times faster the own way is."""
    return {
        "best": round(min(other) / min(own), 2),
        "median": round(median(other) / median(own), 2),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--entries", type=int, default=50_000)
    parser.add_argument("--switches", type=int, nargs="+", default=[1, 11])
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    entries = entries_of(given.entries)
    before = os.getloadavg()
    result = {str(count): measure(entries, count, given.rounds) for count in given.switches}
    report = {
        "machine": {
            "cpus": os.cpu_count(),
            "system": platform.release(),
            "python": platform.python_version(),
            "open_vswitch": subprocess.check_output(["ovs-ofctl", "--version"], text=True).split()[3],
            "load_before": [round(load, 2) for load in before],
            "load_after": [round(load, 2) for load in os.getloadavg()],
        },
        "entries": given.entries,
        "rounds": given.rounds,
        "switches": result,
    }
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
