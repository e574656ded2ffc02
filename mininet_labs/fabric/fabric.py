"""A network of real Open vSwitch bridges, without root and without a kernel module."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from mininet_labs.fabric import bridges
from mininet_labs.fabric.assembly import Assembly, Progress, ignore_progress, link_kind
from mininet_labs.fabric.binaries import Binaries
from mininet_labs.fabric.cleanup import clean_up
from mininet_labs.fabric.daemons import SwitchDaemons
from mininet_labs.fabric.errors import FabricError
from mininet_labs.fabric.readings import FlowReading, PortReading, parse_flows, parse_ports
from mininet_labs.fabric.rundir import RunDir
from mininet_labs.fabric.tools import Tools, environment
from mininet_labs.fabric.wiring import FabricWiring, ReadOnlyObject
from tercast.cli.certificate_authority import Identity


@dataclass(frozen=True, slots=True)
class _Running:
    """Objects that exist while the fabric runs."""

    daemons: SwitchDaemons
    tools: Tools
    assembly: Assembly


class Fabric:
    """Bridges, links and host ports of a topology, served by two daemons in `run_dir`.

    Args:
        topology: The topology object of a scenario, with optional `name`, `lat` and `lon` on switches.
        controllers: Targets of Open vSwitch (`tcp:127.0.0.1:6653`, or `ssl:…` with `tls`).
        links: "patch" or "joined" (see docs/fabric.md).
        flow_cache: The switch caches decisions: table changes then take effect with a delay.
        tls: Files of the switches' certificate.
        timeout: Seconds for each step of the start and for each call of a tool.
    """

    def __init__(
        self,
        run_dir: Path | str,
        topology: ReadOnlyObject,
        controllers: Sequence[str] = (),
        links: str = "patch",
        *,
        flow_cache: bool = False,
        tls: Identity | None = None,
        timeout: float = 30.0,
    ) -> None:
        self._run_dir = RunDir(run_dir)
        self._wiring = FabricWiring.of(topology)
        self._controllers = tuple(controllers)
        self._links = link_kind(links)
        self._flow_cache = flow_cache
        self._tls = tls
        self._timeout = timeout
        self._state: _Running | None = None

    # Life cycle

    def start(self, progress: Progress = ignore_progress) -> None:
        """Start daemons and bridges; return when every port has its number and its socket.

        First it removes what a killed fabric left in the run directory. `progress` is called with the number
        of finished parts (bridges, ports, links) and their total.
        """
        if self._state is not None:
            raise FabricError(self._run_dir.path, "the fabric already runs", "stop it first")
        binaries = Binaries.find()
        self._run_dir.acquire()
        try:
            clean_up(self._run_dir)
            self._run_dir.make_sockets()
            self._start_daemons(binaries)
            self._running.assembly.add_everything(self._controllers, progress)
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Stop both daemons and remove all files; do nothing if the fabric does not run."""
        try:
            if self._state is not None:
                self._state.daemons.stop()
        finally:
            self._state = None
            if self._run_dir.held:
                self._run_dir.remove()
                self._run_dir.release()

    def __enter__(self) -> Fabric:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def alive(self) -> bool:
        """Whether both daemons run."""
        return self._state is not None and self._state.daemons.alive()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until a daemon ends, for at most `timeout` seconds; return whether one did."""
        return self._running.daemons.wait(timeout)

    def check(self) -> None:
        """Check that both daemons run.

        Raises:
            FabricError: A daemon has ended; the error has the last lines of its log.
        """
        self._running.daemons.check()

    def pids(self) -> tuple[int, ...]:
        """Process ids of the daemons."""
        return self._running.daemons.pids()

    def restart_switches(self) -> None:
        """Restart ovs-vswitchd, as after a power failure: tables are empty, hosts must reconnect."""
        running = self._running
        running.daemons.switch.stop()
        running.daemons.start_switch(self._timeout)
        running.assembly.resume()

    # Names and sockets

    def bridge(self, switch: str) -> str:
        """Return the bridge's name in Open vSwitch."""
        return self._wiring.bridge(switch).name

    def interface(self, switch: str, port: int) -> str:
        """Return the name of a port in Open vSwitch."""
        return self._wiring.port(switch, port).name

    def host_socket(self, host: str, attachment: int = 0) -> Path:
        """Return the socket of a host's port; attachments from 1 on are standby ports.

        Hosts at one port share its socket.
        """
        return self._run_dir.socket(self._wiring.attachment(host, attachment).name)

    def host_sockets(self) -> dict[str, tuple[Path, ...]]:
        """Return the sockets of all hosts, one per attachment."""
        hosts = self._wiring.hosts.items()
        return {host: tuple(self._run_dir.socket(port.name) for port in ports) for host, ports in hosts}

    # Reading and changing switches

    def ofctl(self, switch: str, command: str, *args: str, input: str | None = None) -> str:
        """Run `ovs-ofctl -O OpenFlow13 COMMAND BRIDGE ARGS` and return its output.

        Args:
            input: Text for its standard input.
        """
        return self._running.tools.ofctl(self._wiring.bridge(switch), command, *args, input=input)

    def vsctl(self, *args: str) -> str:
        """Run `ovs-vsctl ARGS` with the database of this fabric and return its output."""
        return self._running.tools.vsctl(*args)

    def appctl(self, *args: str) -> str:
        """Run `ovs-appctl ARGS` with ovs-vswitchd of this fabric and return its output."""
        return self._running.tools.appctl(*args)

    def dump_flows(self, switch: str) -> list[FlowReading]:
        """Return the entries of a switch, with counters."""
        return parse_flows(self.ofctl(switch, "dump-flows"))

    def port_stats(self, switch: str) -> dict[int, PortReading]:
        """Return the counters of a switch's ports."""
        return parse_ports(self.ofctl(switch, "dump-ports"))

    def set_controller(self, *targets: str, switch: str | None = None) -> None:
        """Connect one switch, or all present and later ones, to other controllers.

        Without targets, they disconnect.
        """
        chosen = self._wiring.bridges.values() if switch is None else [self._wiring.bridge(switch)]
        self._running.assembly.configure(bridges.set_controllers(bridge, targets) for bridge in chosen)
        if switch is None:
            self._controllers = targets

    def set_tls(self, identity: Identity) -> None:
        """Change the certificate of all switches, and their trusted authority."""
        self.vsctl("set-ssl", *_set_ssl(identity))

    def set_capacity(self, switch: str, entries: int | None) -> None:
        """Limit the number of entries in table 0, like a TCAM; None removes the limit."""
        self._running.assembly.configure([bridges.set_capacity(self._wiring.bridge(switch), entries)])

    def set_link(self, switch: str, port: int, up: bool) -> None:
        """Set both ends of a joined link down or up; the switches report this as port status."""
        self._running.assembly.set_link(self._wiring.link_at(switch, port), up)

    # Changing the network while it runs

    def add_switch(self, switch: ReadOnlyObject) -> None:
        """Add a switch `{"id", "dpid"}`."""
        running = self._running
        running.assembly.add_bridge(self._wiring.add_switch(switch), self._controllers)

    def add_link(self, link: ReadOnlyObject) -> None:
        """Add a link `{"a", "a_port", "b", "b_port"}`."""
        running = self._running
        running.assembly.add_link(self._wiring.add_link(link))

    def add_host(self, host: ReadOnlyObject) -> None:
        """Add a host `{"id", "switch", "port", "standby"?}`."""
        running = self._running
        running.assembly.add_host_ports(self._wiring.add_host(host))

    def remove_switch(self, switch: str) -> None:
        """Remove a switch and its links; its hosts must be removed first."""
        running = self._running
        bridge, links = self._wiring.remove_switch(switch)
        far_ends = [end for link in links for end in link.ends() if end.switch != switch]
        running.assembly.remove(far_ends, bridge)

    def remove_link(self, switch: str, port: int) -> None:
        """Remove both ends of the link at a port."""
        running = self._running
        running.assembly.remove(self._wiring.remove_link(switch, port).ends())

    def remove_host(self, host: str) -> None:
        """Remove a host, and its ports unless other hosts use them."""
        running = self._running
        running.assembly.remove(self._wiring.remove_host(host))

    # Private methods

    @property
    def _running(self) -> _Running:
        if self._state is None:
            raise FabricError(self._run_dir.path, "the fabric is not running", "call start() first")
        return self._state

    def _start_daemons(self, binaries: Binaries) -> None:
        surroundings = environment(self._run_dir)
        daemons = SwitchDaemons(binaries, self._run_dir, surroundings)
        tools = Tools(binaries, self._run_dir, surroundings, self._timeout)
        assembly = Assembly(
            self._wiring,
            self._links,
            run_dir=self._run_dir,
            daemons=daemons,
            tools=tools,
            timeout=self._timeout,
        )
        self._state = _Running(daemons, tools, assembly)
        daemons.start_database(self._timeout)
        tools.vsctl("init", wait=False)
        if self._tls is not None:
            tools.vsctl("set-ssl", *_set_ssl(self._tls), wait=False)
        if not self._flow_cache:
            # No cached decisions: every packet is looked up in the current tables.
            tools.vsctl("set", "Open_vSwitch", ".", "other_config:flow-limit=0", wait=False)
        daemons.start_switch(self._timeout)


def _set_ssl(identity: Identity) -> tuple[str, str, str]:
    """Return the arguments of `ovs-vsctl set-ssl`."""
    files = (identity.key, identity.certificate, identity.authority)
    key, certificate, authority = (str(path.absolute()) for path in files)
    return key, certificate, authority
