"""The processes of the platform on one machine, from the fabric to the web server."""

import fcntl
import os
import shutil
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any

import httpx

from mininet_labs.demo.errors import DemoError
from mininet_labs.demo.services import Service, python, run_once, wait_until
from mininet_labs.demo.status import ReportProgress, ignore
from mininet_labs.free_ports import choosing_ports, free_port
from mininet_labs.networks import SWITCHES, DemoNetwork, embedded_fabric, trusted_fabric
from tercast.cli.certificate_authority import CONTROLLER, Identity, make_certificates
from tercast.runtime.private_files import restrict

ROOT = Path(__file__).resolve().parents[2]
CELERY = ("-m", "celery", "-A", "controlplane.config.celery")
POLLS_A_SECOND = 50
"""Highest number of switches per second whose counters are read."""
PROBES_A_SECOND = 200
"""Highest number of ports with links per second that are probed."""
SETUPS_A_SECOND = 20
"""Switches that are set up per second on a busy machine; all switches may connect at the same time."""


class Platform:
    """All processes for a network; `start` methods start them in order, `stop` in reverse order.

    A run directory has at most one platform: a second one is refused while the first runs.

    Args:
        network: Makes the network from a folder, the topology and the controller's port; None for an embedded
            fabric.
        tls: The controller accepts only switches with a certificate (for the embedded fabric).
    """

    def __init__(  # noqa: PLR0917 - the order that labs rely on
        self,
        run_dir: Path,
        topology: dict[str, Any],
        web_port: int,
        network: Callable[[Path, dict[str, Any], int], DemoNetwork] | None = None,
        tls: bool = False,
        openflow: str = "127.0.0.1",
    ) -> None:
        self.fabric_is_up = False
        self.openflow = openflow
        self.run_dir = run_dir
        self.topology = topology
        self.state_dir = run_dir / "state"
        self.logs = run_dir / "logs"
        self.hosts = run_dir / "hosts"
        self.services: list[Service] = []
        self._stack = ExitStack()
        self._lock = self._take_lock()
        self._ports_lock = choosing_ports()
        self.openflow_port = free_port(6653)
        self.northbound_port = free_port(6680, but=(self.openflow_port,))
        self.web_port = free_port(web_port, but=(self.openflow_port, self.northbound_port))
        self.certificates = self.state_dir / "secrets" / "tls" if tls else None
        if self.certificates is not None:
            network = trusted_fabric(self.certificates)
        self.network = (network or embedded_fabric)(run_dir / "fabric", topology, self.openflow_port)

    @property
    def base_url(self) -> str:
        """The address of the web page and the API."""
        return f"http://127.0.0.1:{self.web_port}"

    @property
    def telemetry(self) -> Path:
        """The telemetry root, which the control plane gets too."""
        return self.state_dir / "telemetry"

    def secret(self, name: str) -> str:
        """Return a generated secret by its name."""
        return (self.state_dir / "secrets" / name).read_text(encoding="ascii").strip()

    def forget(self) -> None:
        """Remove the database and the secrets of earlier runs."""
        shutil.rmtree(self.state_dir, ignore_errors=True)

    def prepare(self) -> None:
        """Create the database, the secrets and the users; existing ones stay."""
        run_once("prepare", python("manage.py", "prepare"), self.logs / "prepare.log", self._env())
        if self.certificates is not None:
            make_certificates(self.certificates, [CONTROLLER, SWITCHES])

    def start_fabric(self, report: ReportProgress = ignore) -> None:
        """Start Open vSwitch with all bridges, links and host ports."""
        self._stack.callback(self.stop_fabric)
        self.network.start(lambda done, total: report(f"{done:,} of {total:,} parts"))
        self.fabric_is_up = True
        self._name_ports()

    def stop_fabric(self) -> None:
        """Stop the network, as far as it runs; it can be started again."""
        self.fabric_is_up = False
        self.network.stop()
        shutil.rmtree(self.hosts, ignore_errors=True)

    def start_controller(self, report: ReportProgress = ignore) -> None:
        """Start the controller, and wait until it answers and all switches are connected."""
        options = (*self._pace_options(), *self._tls_options())
        self._serve("controller", python("-m", "controller_app", *options))
        wait_until("the controller", self._controller_answers, self.services)
        self.await_switches(report)

    def await_switches(self, report: ReportProgress = ignore) -> None:
        """Wait until every switch is connected, if the network runs."""
        if not self.fabric_is_up:
            return
        total, connected = len(self.topology["switches"]), 0

        def ready() -> bool:
            nonlocal connected
            connected = len(self.epochs())
            return connected >= total

        def progress() -> str:
            return f"{connected:,} of {total:,} switches connected"

        patience = max(60.0, float(total))  # the controller needs about 20 ms of an idle processor for each
        wait_until("the switches", ready, self.services, patience, progress=progress, report=report)

    def start_control_plane(self, report: ReportProgress = ignore) -> None:
        """Start the web server, the Celery workers and beat; wait until the API answers."""
        self._serve("web", self.web_command())
        self._serve("worker", python(*CELERY, "worker", "-Q", "planner,celery", *WORKER_OPTIONS))
        own = ("-Q", "analytics", "-n", "analytics@%h")
        self._serve("analytics", python(*CELERY, "worker", *own, *WORKER_OPTIONS), optional=True)
        self._serve("beat", python(*CELERY, "beat", *BEAT_OPTIONS), optional=True)
        wait_until("the web server", self._web_answers, self.services, progress=self._states, report=report)
        self._ports_lock.close()

    def web_command(self, *more: str) -> list[str]:
        """Return the command that serves the web page and the API at a port of loopback."""
        where = ("--host", "127.0.0.1", "--port", str(self.web_port))
        return python("-m", "uvicorn", WEB, *where, *WEB_OPTIONS, *more)

    def check(self) -> None:
        """Restart services that have died; raise `LabError` if the network has ended."""
        for service in self.services:
            service.check()
        if self.fabric_is_up:
            self.network.check()

    def troubles(self) -> list[str]:
        """Return the services that do not run, each with its state."""
        return [service.trouble for service in self.services if service.trouble]

    def given_up(self) -> list[str]:
        """Return the services that are no longer restarted."""
        return [service.name for service in self.services if service.given_up]

    def restarts(self) -> dict[str, int]:
        """Return the number of restarts of each service that has died."""
        return {service.name: service.restarts for service in self.services if service.restarts}

    def stop(self) -> None:
        """Stop all processes and release the run directory.

        The services stop in parallel, but the controller stops after its clients, and the fabric stops last.
        """
        for service in self.services[1:]:
            service.ask_to_stop()
        try:
            self._stack.close()
        finally:
            self._ports_lock.close()
            self._lock.close()

    def restart(self, name: str) -> None:
        """Kill a service and its child processes, and start it again."""
        for service in self.services:
            if service.name == name:
                service.kill()
                service.start()

    def _name_ports(self) -> None:
        """Create a link for each host port: `hosts/NAME.sock`, `NAME.standby1.sock`, …"""
        shutil.rmtree(self.hosts, ignore_errors=True)
        self.hosts.mkdir()
        for host, sockets in self.network.host_sockets().items():
            for number, socket_path in enumerate(sockets):
                name = f"{host}.standby{number}.sock" if number else f"{host}.sock"
                (self.hosts / name).symlink_to(socket_path.absolute())

    def _serve(self, name: str, argv: list[str], optional: bool = False) -> None:
        service = Service(name, argv, self.logs / f"{name}.log", self._env(), optional=optional)
        self._stack.callback(service.stop)
        service.start()
        self.services.append(service)

    @property
    def _scheme(self) -> str:
        return "tcp" if self.certificates is None else "ssl"

    def _pace_options(self) -> list[str]:
        """Return options with longer periods for a large network: the controller has one processor."""
        switches, links = len(self.topology.get("switches", ())), len(self.topology.get("links", ()))
        return [
            *("--poll-interval", f"{max(2.0, switches / POLLS_A_SECOND):g}"),
            *("--probe-interval", f"{max(5.0, 2 * links / PROBES_A_SECOND):g}"),
            *("--reply-timeout", f"{max(5.0, switches / SETUPS_A_SECOND):g}"),
        ]

    def _tls_options(self) -> list[str]:
        if self.certificates is None:
            return []
        own = Identity.of(self.certificates, CONTROLLER)
        files = {"certificate": own.certificate, "key": own.key, "authority": own.authority}
        return [word for name, path in files.items() for word in (f"--tls-{name}", str(path))]

    def _env(self) -> dict[str, str]:
        return {
            "TERCAST_STATE_DIR": str(self.state_dir),
            "TERCAST_LOG_DIR": str(self.logs),
            "TERCAST_TELEMETRY_ROOT": str(self.telemetry),
            "TERCAST_NORTHBOUND_URL": f"http://127.0.0.1:{self.northbound_port}",
            "TERCAST_OPENFLOW": f"{self._scheme}:{self.openflow}:{self.openflow_port}",
            "TERCAST_SOURCE_CHECK": os.environ.get("TERCAST_SOURCE_CHECK", "1"),
            "TERCAST_OVS_RUN_DIR": str((self.run_dir / "fabric" / "s").absolute()),
            "PYTHONUNBUFFERED": "1",
        }

    def epochs(self) -> dict[str, int]:
        """Return the connected switches by datapath id, with the numbers of their connections."""
        return {row["dpid"]: row["epoch"] for row in self._connected() or ()}

    def _connected(self) -> list[dict[str, Any]] | None:
        """Return the connected switches; None if the controller does not answer."""
        headers = {"Authorization": f"Bearer {self.secret('northbound-token')}"}
        url = f"http://127.0.0.1:{self.northbound_port}/v1/switches"
        try:
            answer = httpx.get(url, headers=headers, timeout=5.0, trust_env=False)
        except httpx.HTTPError:
            return None
        return list(answer.json()) if answer.is_success else None

    def _controller_answers(self) -> bool:
        return self._connected() is not None

    def _states(self) -> str:
        return ", ".join(self.troubles())

    def _web_answers(self) -> bool:
        """Whether the right server answers: the one that accepts this installation's token."""
        headers = {"Authorization": f"Bearer {self.secret('operator-token')}"}
        try:
            answer = httpx.get(f"{self.base_url}/api/v1/me/", headers=headers, timeout=5.0, trust_env=False)
        except httpx.HTTPError:
            return False
        return answer.is_success

    def _take_lock(self) -> IO[str]:
        self.run_dir.mkdir(parents=True, exist_ok=True)
        restrict([self.run_dir])
        lock = (self.run_dir / "lock").open("a+", encoding="ascii")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            owner = lock.read().strip() or "unknown"
            raise DemoError(
                f"Tercast already runs in {self.run_dir} (process {owner}); stop it first"
            ) from None
        lock.truncate(0)
        lock.write(f"{os.getpid()}\n")
        lock.flush()
        return lock


WEB = "controlplane.config.asgi:application"
WEB_OPTIONS = (
    *("--lifespan", "off", "--timeout-graceful-shutdown", "2", "--log-level", "warning"),
    *("--ws-max-size", "16384"),
    *("--ws-ping-interval", "0"),  # a ping closes a slow client with 1011 before it reads its reason, 4408
    "--no-proxy-headers",  # there is no proxy: the address of the connection is the client's
)
WORKER_OPTIONS = ("--without-heartbeat", "--without-gossip", "--without-mingle", "--loglevel", "info")
BEAT_OPTIONS = ("--loglevel", "warning", "--pidfile", "")
