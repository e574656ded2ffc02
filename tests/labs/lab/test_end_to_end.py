"""One end-to-end test over the embedded fabric and over Mininet: hosts register in band and use UDP.

Hosts know the topic, but not the REST API. Those of Mininet run in their namespaces, with sockets of their
own kernel. Those of the fabric use Ethernet over the Unix socket of their port.
"""

import json
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

import pytest

from mininet_labs.demo.platform_up import ROOT, Platform
from mininet_labs.demo.registration import are_tables_settled, register
from mininet_labs.demo.rest import RestClient
from mininet_labs.demo.services import wait_until as wait_for_services
from mininet_labs.errors import LabError
from mininet_labs.fabric import Fabric
from mininet_labs.lab import needs
from mininet_labs.lab.network import MininetNetwork
from mininet_labs.topologies.generate import ring
from tercast.eventspace.topic import Topic
from tercast.filters.filter import Filter
from tests.waiting import LIMIT_SECONDS, wait_until

pytestmark = pytest.mark.fabric

TOPIC = {"name": "weather", "attributes": [{"name": "celsius", "type": "int", "min": 0, "max": 63}]}
WANTED = {"h2": "celsius >= 40", "h3": "celsius < 8 or celsius = 41", "h4": "celsius in [20, 30]"}
PUBLISHER = "h1"
TERCAST = (sys.executable, "-m", "tercast")
ENV = {"PYTHONPATH": f"{ROOT / 'platform'}:{ROOT}"}


class Process(Protocol):
    """A process of a host, as both networks start it."""

    log: Path

    def poll(self) -> int | None: ...

    def interrupt(self) -> None: ...


class Local:
    """A process of this machine in the role of a host of the fabric."""

    def __init__(self, argv: Sequence[str], log: Path) -> None:
        self.log = log
        with log.open("wb") as output:
            self._process = subprocess.Popen(argv, stdout=output, stderr=subprocess.STDOUT)

    def poll(self) -> int | None:
        return self._process.poll()

    def interrupt(self) -> None:
        self._process.send_signal(signal.SIGINT)


def lacks_mininet() -> str | None:
    try:
        needs.check()
    except LabError as error:
        return str(error)
    return None


NETWORKS = [
    "fabric",
    pytest.param(
        "mininet",
        marks=[
            pytest.mark.full,
            pytest.mark.skipif(lacks_mininet() is not None, reason=f"{lacks_mininet()}"),
        ],
    ),
]


class World:
    """The platform over one kind of network, and hosts that run commands of the host library."""

    def __init__(self, kind: str, folder: Path) -> None:
        self.folder, self.topology = folder, ring(4)
        self.hosts = {host["id"]: host for host in self.topology["hosts"]}
        make = MininetNetwork if kind == "mininet" else None
        self.platform = Platform(folder / "run", self.topology, 8400, make)
        self.scenario = folder / "scenario.json"
        self.started: list[Process] = []

    def start(self) -> None:
        for step in ("prepare", "start_fabric", "start_controller", "start_control_plane"):
            getattr(self.platform, step)()
        self.rest = RestClient(self.platform.base_url, self.platform.secret("operator-token"))
        register(self.rest, self.topology)
        self.topic = self.rest.post("/api/v1/topics/", TOPIC)
        kept = {key: self.topic[key] for key in ("name", "code", "attributes", "indexed")}
        address = {"family": "ipv6", "prefix": "ff0e::/16", "topic_bits": 16}
        nothing: dict[str, Any] = {"switches": [], "links": [], "hosts": []}
        scenario = {"format": "scenario/1", "address": address, "topology": nothing, "topics": [kept]}
        self.scenario.write_text(json.dumps({**scenario, "requests": []}))
        self.settle()

    def settle(self) -> None:
        wait_for_services(
            "the tables",
            lambda: are_tables_settled(self.rest, self.platform),
            self.platform.services,
            LIMIT_SECONDS,
        )

    def tercast(self, host: str, *arguments: str) -> Process:
        """Run a command of the host library at a host."""
        row, log = self.hosts[host], self.folder / f"{host}-{len(self.started)}.log"
        command = [*TERCAST, arguments[0], "--in-band", "--scenario", str(self.scenario), *arguments[1:]]
        network = self.platform.network
        process: Process
        if isinstance(network, MininetNetwork):
            at = f"{row['ip']}%{network.interface(host)}"
            process = network.run(host, [*command, "--udp", at], log, ENV)
        else:
            assert isinstance(network, Fabric)
            way = ["--fabric-port", str(network.host_socket(host)), "--as", f"{row['ip']},{row['mac']}"]
            process = Local([*command, *way], log)
        self.started.append(process)
        return process

    def entries(self) -> int:
        return sum(row["entries"] for row in self.rest.all("/api/v1/switches/"))

    def stop(self) -> None:
        for process in self.started:
            if process.poll() is None:
                process.interrupt()
        self.platform.stop()


def ended(process: Process) -> str:
    wait_until(lambda: f"does not end: {process.log.read_text()}", lambda: process.poll() is not None)
    text = process.log.read_text()
    assert process.poll() == 0, text
    return text


@pytest.fixture(params=NETWORKS)
def world(request: pytest.FixtureRequest) -> Iterator[World]:
    folder = Path(tempfile.mkdtemp(prefix="tercast-e2e-", dir="/tmp"))
    running = World(request.param, folder)
    try:
        running.start()
        yield running
    finally:
        running.stop()
        shutil.rmtree(folder, ignore_errors=True)


def deliveries(process: Process) -> list[int]:
    """Return the expected values that a listener with `--json` has printed, in order."""
    rows = [json.loads(line) for line in process.log.read_text().splitlines() if line.startswith("{")]
    return [row["values"]["celsius"] for row in rows if "values" in row]


def test_each_host_gets_what_it_asked_for_in_band_exactly_once_and_leaves_nothing(world: World) -> None:
    topic = Topic.from_json({**TOPIC, "code": world.topic["code"]})
    events = [{"celsius": number} for number in range(64)]
    expected = {
        host: [event["celsius"] for event in events if Filter.parse(text, topic).matches(event)]
        for host, text in WANTED.items()
    }
    listeners = {
        host: world.tercast(host, "listen", "--topic", "weather", "--filter", text, "--json")
        for host, text in WANTED.items()
    }
    for process in listeners.values():
        wait_until(process.log.read_text, lambda process=process: "listening at" in process.log.read_text())
    file = world.folder / "events.jsonl"
    file.write_text("".join(f"{json.dumps({'publisher': 'in-band', 'values': event})}\n" for event in events))
    publisher = world.tercast(PUBLISHER, "publish", "--topic", "weather", "--file", str(file), "--rate", "50")
    ended(publisher)
    for host, process in listeners.items():
        wait_until(
            process.log.read_text,
            lambda host=host, process=process: len(deliveries(process)) >= len(expected[host]),
        )
    assert {host: deliveries(process) for host, process in listeners.items()} == expected

    shown = {row["name"]: row["origin"] for row in world.rest.all("/api/v1/subscribers/")}
    assert len(shown) == len(WANTED)
    assert set(shown.values()) == {"in-band"}
    for process in listeners.values():
        process.interrupt()
    for process in listeners.values():
        lines = [json.loads(line) for line in ended(process).splitlines() if line.startswith("{")]
        assert lines[-1]["counters"]["doubled"] == 0
    world.settle()
    assert world.entries() == 0
    for path in ("advertisements", "subscriptions"):
        assert {row["state"] for row in world.rest.all(f"/api/v1/{path}/")} == {"withdrawn"}
