"""A control plane, a controller and real switches in one process."""

import shutil
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from controlplane.requestlog.models import Request
from mininet_labs.fabric import Fabric, FabricError, FrameSocket
from mininet_labs.fabric.probe import event_frame, event_payload
from tests.support.controlplane import network_world as world
from tests.support.controlplane.worker_processes import CELERY, Process, environment, wait_until, worker
from tests.support.ports import free_port

OWN = "cookie=0x7ec0a57e00000001/-1"


HOSTS = {
    f"h{n}": {
        "id": f"h{n}",
        "switch": f"s{n}",
        "port": 3,
        "ip": f"fd00::{n}",
        "mac": f"02:00:00:00:00:0{n}",
    }
    for n in (1, 2, 3)
}


TOPOLOGY = {
    "switches": [{"id": f"s{n}", "dpid": world.dpid(n)} for n in (1, 2, 3)],
    "links": [{"a": f"s{n}", "a_port": 1, "b": f"s{n + 1}", "b_port": 2} for n in (1, 2)],
    "hosts": list(HOSTS.values()),
}


def next_event(receiver: FrameSocket, seconds: float = 5.0) -> bytes | None:
    """What h3 receives next, among probes of the controller; None where that is nothing for so long."""
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0 and (frame := receiver.recv(left)) is not None:
        found = event_payload(HOSTS["h3"], frame)
        if isinstance(found, bytes):
            return found
    return None


class Platform:
    """Open vSwitch, a controller with `options`, a worker and beat, on the test's database."""

    def __init__(self, folder: Path, *options: str, links: Iterable[dict[str, Any]] = ()) -> None:
        """`links` are added to those of the line."""
        self.folder = folder
        self.options = options
        self.openflow, self.northbound = free_port(), free_port()
        topology = {**TOPOLOGY, "links": [*TOPOLOGY["links"], *links]}
        self.fabric = Fabric(
            folder / "f", topology, controllers=[f"tcp:127.0.0.1:{self.openflow}"], links="joined"
        )
        self.env = environment(folder / "state", f"http://127.0.0.1:{self.northbound}")
        self.controller: Process | None = None
        self.worker: Process | None = None
        self.beat: Process | None = None

    def start(self) -> None:
        self.fabric.start()
        self.start_controller()
        Process([sys.executable, "manage.py", "prepare"], self.env, self.folder / "prepare.log").died()
        self.start_worker()
        beat = [*CELERY, "beat", "--pidfile", "", "--loglevel", "warning"]
        self.beat = Process(beat, self.env, self.folder / "beat.log")

    def start_worker(self) -> None:
        self.worker = worker(self.env, self.folder / "worker.log")

    def manage(self, *arguments: str) -> None:
        process = Process([sys.executable, "manage.py", *arguments], self.env, self.folder / "manage.log")
        assert process.died() == 0, process.log.read_text()

    def start_controller(self) -> None:
        where = ["--openflow", f"127.0.0.1:{self.openflow}", "--northbound", f"127.0.0.1:{self.northbound}"]
        token = ["--token-file", str(self.folder / "state/secrets/northbound-token")]
        quick = ["--probe-interval", "0.5", "--poll-interval", "0.5"]
        arguments = [sys.executable, "-m", "controller_app", *where, *token, *quick, *self.options]
        self.controller = Process(arguments, self.env, self.folder / "controller.log")

    def stop(self) -> None:
        for process in (self.beat, self.worker, self.controller):
            if process is not None:
                process.__exit__()
        self.fabric.stop()

    def until(self, condition, what: str) -> None:
        """Wait for it; a switch that restarts may interrupt a question, which is then repeated."""

        def holds() -> bool:
            try:
                return bool(condition())
            except FabricError:
                return False

        wait_until(holds, what, self.worker)

    def own_entries(self) -> dict[str, int]:
        """How many content entries each switch has."""
        return {
            switch: self.fabric.ofctl(switch, "dump-flows", OWN).count("cookie=")
            for switch in ("s1", "s2", "s3")
        }

    def flows(self) -> dict[str, list[str]]:
        """The content entries of each switch, without what they have counted."""
        found = {
            name: self.fabric.ofctl(name, "dump-flows", OWN, "--no-stats") for name in ("s1", "s2", "s3")
        }
        return {name: sorted(line.strip() for line in text.splitlines()) for name, text in found.items()}

    def event(self, low_bits: str, payload: bytes) -> bytes | None:
        """Publish from h1 an event whose dz begins with `low_bits`; what h3 receives of it."""
        address = f"ff0e:4:{int(low_bits.ljust(16, '0'), 2):x}::"
        with (
            FrameSocket(self.fabric.host_socket("h1")) as sender,
            FrameSocket(self.fabric.host_socket("h3")) as receiver,
        ):
            sender.send(event_frame(HOSTS["h1"], address, payload))
            return next_event(receiver)


@contextmanager
def running(
    *options: str, links: Iterable[dict[str, Any]] = (), env: Mapping[str, str] | None = None
) -> Iterator[Platform]:
    """A platform that has started, in its own temporary folder, with `env` added to its environment."""
    folder = Path(tempfile.mkdtemp(prefix="tc-", dir="/tmp"))
    platform = Platform(folder, *options, links=links)
    platform.env.update(env or {})
    try:
        platform.start()
        yield platform
    finally:
        platform.stop()
        shutil.rmtree(folder, ignore_errors=True)


def active(*rows) -> bool:
    return all(Request.objects.get(pk=row.request_id).state == "active" for row in rows)
