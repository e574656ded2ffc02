"""The network of the lab, as the platform uses it: start, stop, and processes in its hosts."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from mininet_labs.errors import LabError
from mininet_labs.fabric.binaries import Binaries
from mininet_labs.fabric.cleanup import start_time
from mininet_labs.fabric.wiring import FabricWiring, ReadOnlyObject
from mininet_labs.lab import needs
from mininet_labs.lab.namespaces import outer_pids
from mininet_labs.lab.relay import Relay
from mininet_labs.lab.talk import LabMessage, receive, send
from mininet_labs.processes import die_with_parent

ROOT = Path(__file__).resolve().parents[2]
HOSTS_FILE = "hosts.json"
"""File with the ids and start times of the hosts' processes, for programs that enter their namespaces."""
SHORT_PREFIX = "tercast-lab-"
SHORT_LINK = "sockets"
_GRACE = 20.0


class MininetNetwork:
    """Switches, links and hosts of a topology in network namespaces.

    The controller listens at 127.0.0.1:`port`. `run_dir` contains logs and `hosts.json`. Sockets and the
    database of the switches are in a short folder elsewhere. `stop()` removes all of it. If this process ends
    in another way, only the files remain.
    """

    def __init__(self, run_dir: Path, topology: ReadOnlyObject, port: int) -> None:
        self._run_dir = run_dir
        self._plan = _plan(FabricWiring.of(topology), topology)
        self._port = port
        self._process: subprocess.Popen[str] | None = None
        self._relay: Relay | None = None
        self._short: Path | None = None
        self._turn = threading.Lock()
        self._names = 0

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def start(self, progress: Callable[[int, int], None] = lambda _done, _total: None) -> None:
        """Start the network; return when switches, links and hosts are ready.

        Mininet builds the network in one step, so `progress` is called only at its end.
        """
        needs.check()
        self._run_dir.mkdir(parents=True, exist_ok=True)
        remove_leftovers(self._run_dir)
        self._short = Path(tempfile.mkdtemp(prefix=SHORT_PREFIX))
        (self._run_dir / SHORT_LINK).symlink_to(self._short)
        try:
            self._relay = Relay(self._short / "controller", self._port)
            self._relay.start()
            self._spawn()
            self._write_hosts(self._exchange(self._plan | self._places())["hosts"])
            parts = sum(len(self._plan[kind]) for kind in ("bridges", "links", "hosts"))
            progress(parts, parts)
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """End all processes in the namespaces, which end with them, and remove the files."""
        if self._process is not None:
            assert self._process.stdin is not None
            with contextlib.suppress(OSError):
                self._process.stdin.close()
            try:
                self._process.wait(_GRACE)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._process = None
        if self._relay is not None:
            self._relay.stop()
            self._relay = None
        remove_leftovers(self._run_dir)
        self._short = None

    def alive(self) -> bool:
        """Whether the network and its switch daemons run."""
        if self._process is None or self._process.poll() is not None:
            return False
        return self._exchange({"do": "check"})["ended"] is None

    def check(self) -> None:
        """Check that the network runs.

        Raises:
            LabError: The network or one of its switch daemons has ended.
        """
        if not self.alive():
            rule = f"has ended: {self._last_words()}"
            raise LabError("the Mininet network", rule, f"see {self._run_dir / 'lab.log'}")

    def host_sockets(self) -> Mapping[str, Sequence[Path]]:
        """Return no sockets: hosts are namespaces here, with sockets of the kernel."""
        return {}

    def run(
        self, host: str, argv: Sequence[str], log: Path, env: Mapping[str, str] | None = None
    ) -> HostProcess:
        """Start a process in a host; its output goes to `log`."""
        self.interface(host)
        self._names += 1
        name = f"p{self._names}"
        log.parent.mkdir(parents=True, exist_ok=True)
        self._exchange(
            {
                "do": "start",
                "name": name,
                "host": host,
                "argv": list(argv),
                "log": str(log.absolute()),
                "env": dict(env or {}),
            }
        )
        return HostProcess(self, name, log)

    def interface(self, host: str) -> str:
        """Return the name of a host's first interface in its namespace."""
        rows = {row["id"]: row["name"] for row in self._plan["hosts"]}
        if host not in rows:
            raise LabError(host, "no such host in the lab", "use a host of the topology")
        return f"{rows[host]}-eth0"

    def set_link(self, switch: str, port: int, up: bool) -> None:
        """Set both ends of the link at a port down or up."""
        bridge = self._plan["bridge_names"][switch]
        self._exchange({"do": "link", "bridge": bridge, "port": port, "up": up})

    def link_ups(self, switch: str, port: int) -> tuple[bool, bool]:
        """Return whether each end of the link at a port is up, the end at this port first."""
        first, second = self._exchange(
            {"do": "ups", "bridge": self._plan["bridge_names"][switch], "port": port}
        )["ups"]
        return bool(first), bool(second)

    def poll(self, name: str) -> int | None:
        """Return the exit status of a host's process; None while it runs."""
        status: int | None = self._exchange({"do": "poll", "name": name})["status"]
        return status

    def signal(self, name: str, number: int) -> None:
        """Send a signal to a host's process."""
        self._exchange({"do": "signal", "name": name, "number": number})

    def _spawn(self) -> None:
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1", "LC_ALL": "C"}
        environment["PATH"] = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
        namespaces = ("unshare", "--net", "--pid", "--fork", "--mount-proc", "--kill-child=KILL")
        with (self._run_dir / "lab.log").open("w", encoding="utf-8") as log:
            self._process = subprocess.Popen(
                [*namespaces, needs.SYSTEM_PYTHON, "-m", "mininet_labs.lab.inside"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                env=environment,
                text=True,
                start_new_session=True,
                preexec_fn=die_with_parent,  # noqa: PLW1509 - it only calls prctl, loaded before the fork
            )

    def _places(self) -> LabMessage:
        return {
            "run_dir": str(self._short),
            "schema": str(Binaries.find().schema),
            "controller": f"unix:{self._short}/controller",
        }

    def _exchange(self, request: LabMessage) -> LabMessage:
        """Send a request and return its answer.

        Raises:
            LabError: The main process of the lab refuses the request or has ended.
        """
        process = self._process
        if process is None:
            raise LabError("the lab", "is not running", "call start() first")
        assert process.stdin is not None and process.stdout is not None
        with self._turn:
            try:
                send(process.stdin, request)
                answer = receive(process.stdout)
            except (OSError, ValueError):
                answer = None
        if answer is None:
            raise LabError("the main process of the lab", f"has ended: {self._last_words()}", "see lab.log")
        if "error" in answer:
            raise LabError("the lab", str(answer["error"]), f"see {self._run_dir / 'lab.log'}")
        return answer

    def _write_hosts(self, inner: Mapping[str, int]) -> None:
        assert self._process is not None
        outer = outer_pids(self._process.pid)
        found = {host: {"pid": outer[pid], "started": start_time(outer[pid])} for host, pid in inner.items()}
        (self._run_dir / HOSTS_FILE).write_text(json.dumps(found, indent=2) + "\n", "utf-8")

    def _last_words(self) -> str:
        log = self._run_dir / "lab.log"
        lines = log.read_text("utf-8", "replace").strip().splitlines() if log.exists() else []
        return lines[-1] if lines else "the log is empty"


class HostProcess:
    """A process in the namespaces of a host."""

    def __init__(self, network: MininetNetwork, name: str, log: Path) -> None:
        self._network, self._name, self.log = network, name, log

    def poll(self) -> int | None:
        """Return its exit status; None while it runs."""
        return self._network.poll(self._name)

    def interrupt(self) -> None:
        """Send it SIGINT, as Ctrl-C does."""
        self._network.signal(self._name, signal.SIGINT)


def remove_leftovers(run_dir: Path) -> None:
    """Remove the files and the socket folder of an earlier lab, which leaves no processes."""
    (run_dir / HOSTS_FILE).unlink(missing_ok=True)
    link = run_dir / SHORT_LINK
    if not link.is_symlink():
        return
    folder = link.readlink()
    own = folder.parent == Path(tempfile.gettempdir()) and folder.name.startswith(SHORT_PREFIX)
    if own and folder.is_dir() and not folder.is_symlink() and folder.stat().st_uid == os.geteuid():
        shutil.rmtree(folder, ignore_errors=True)
    link.unlink()


def _plan(wiring: FabricWiring, topology: ReadOnlyObject) -> LabMessage:
    """Return the network to build, in the format of the inside.

    Raises:
        LabError: A lab cannot have this network.
    """
    taken: dict[tuple[str, int], str] = {}
    hosts = []
    for number, row in enumerate(topology.get("hosts", ())):
        ports = wiring.hosts[row["id"]]
        for port in ports:
            other = taken.setdefault((port.switch, port.number), row["id"])
            if other != row["id"]:
                rule = f"is the port of both {other} and {row['id']}, but a cable has two ends"
                raise LabError(port, rule, "give each host in the lab a separate port")
        hosts.append(_host(row, number, [(wiring.bridge(p.switch).name, p.number) for p in ports]))
    return {
        "bridges": [{"name": b.name, "dpid": b.dpid} for b in wiring.bridges.values()],
        "bridge_names": {b.switch: b.name for b in wiring.bridges.values()},
        "links": [
            {
                "a": wiring.bridge(link.a.switch).name,
                "a_port": link.a.number,
                "b": wiring.bridge(link.b.switch).name,
                "b_port": link.b.number,
            }
            for link in wiring.links()
        ],
        "hosts": hosts,
    }


def _host(row: Mapping[str, Any], number: int, ports: Sequence[tuple[str, int]]) -> LabMessage:
    # Names of interfaces start with the name of their node, and Linux permits 15 characters.
    return {
        "id": row["id"],
        "name": f"H{number}",
        "mac": row["mac"],
        "ip": row["ip"],
        "ports": [{"bridge": bridge, "number": at} for bridge, at in ports],
    }
