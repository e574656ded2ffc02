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
from mininet_labs.fabric.wiring import FabricWiring, Object
from tercast.cli.certificate_authority import Identity


@dataclass(frozen=True, slots=True)
class _Running:
    """What exists while the fabric runs."""

    daemons: SwitchDaemons
    tools: Tools
    assembly: Assembly


class Fabric:
    """Bridges, links and host ports of a topology, served by two daemons in `run_dir`.

    `topology` is a scenario's topology object, with optional `name`, `lat` and `lon` on switches.
    `controllers` are Open vSwitch targets (`tcp:127.0.0.1:6653`, or `ssl:…` with
    `tls`, the files that switches show). `links` is "patch" or "joined" (see
    docs/fabric.md). `flow_cache` lets the switch remember decisions: table changes then take effect with a
    delay. `timeout` is in seconds, for each step of the start and each call of a tool.
    """

    def __init__(
        self,
        run_dir: Path | str,
        topology: Object,
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
        """Start daemons and bridges; returns when every port has its number and its socket.

        What a killed fabric left in the run directory is ended and removed first. `progress` is called with
        the parts (bridges, ports, links) that are done, and their total.
        """
        if self._state is not None:
            raise FabricError(self._run_dir.path, "the fabric runs already", "stop it first")
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
        """End both daemons and remove all files; does nothing when the fabric does not run."""
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
        """Wait for a daemon to end by itself; whether one did within `timeout` seconds (None: for ever)."""
        return self._running.daemons.wait(timeout)

    def check(self) -> None:
        """FabricError with its last words when a daemon has ended."""
        self._running.daemons.check()

    def pids(self) -> tuple[int, ...]:
        """Process ids of the daemons."""
        return self._running.daemons.pids()

    def restart_switches(self) -> None:
        """End ovs-vswitchd and start it anew, as a power cut: tables are empty, hosts must connect again."""
        running = self._running
        running.daemons.switch.stop()
        running.daemons.start_switch(self._timeout)
        running.assembly.resume()

    # Names and sockets

    def bridge(self, switch: str) -> str:
        """The bridge's name in Open vSwitch."""
        return self._wiring.bridge(switch).name

    def interface(self, switch: str, port: int) -> str:
        """The name in Open vSwitch of a port."""
        return self._wiring.port(switch, port).name

    def host_socket(self, host: str, attachment: int = 0) -> Path:
        """The socket of a host's port; attachment 1 and on are standby ports. Hosts of one port share it."""
        return self._run_dir.socket(self._wiring.attachment(host, attachment).name)

    def host_sockets(self) -> dict[str, tuple[Path, ...]]:
        """The sockets of all hosts, one an attachment."""
        hosts = self._wiring.hosts.items()
        return {host: tuple(self._run_dir.socket(port.name) for port in ports) for host, ports in hosts}

    # Reading and changing switches

    def ofctl(self, switch: str, command: str, *args: str, input: str | None = None) -> str:
        """Run `ovs-ofctl -O OpenFlow13 COMMAND BRIDGE ARGS`; its output. `input` goes to its stdin."""
        return self._running.tools.ofctl(self._wiring.bridge(switch), command, *args, input=input)

    def vsctl(self, *args: str) -> str:
        """Run `ovs-vsctl ARGS` against this fabric's database; its output."""
        return self._running.tools.vsctl(*args)

    def appctl(self, *args: str) -> str:
        """Run `ovs-appctl ARGS` against this fabric's ovs-vswitchd; its output."""
        return self._running.tools.appctl(*args)

    def dump_flows(self, switch: str) -> list[FlowReading]:
        """The entries of a switch, with counters."""
        return parse_flows(self.ofctl(switch, "dump-flows"))

    def port_stats(self, switch: str) -> dict[int, PortReading]:
        """The counters of a switch's ports."""
        return parse_ports(self.ofctl(switch, "dump-ports"))

    def set_controller(self, *targets: str, switch: str | None = None) -> None:
        """Connect one switch, or all and those added later, to other controllers; no targets: disconnect."""
        chosen = self._wiring.bridges.values() if switch is None else [self._wiring.bridge(switch)]
        self._running.assembly.configure(bridges.set_controllers(bridge, targets) for bridge in chosen)
        if switch is None:
            self._controllers = targets

    def set_tls(self, identity: Identity) -> None:
        """Let all switches show another certificate, and trust another authority."""
        self.vsctl("set-ssl", *_set_ssl(identity))

    def set_capacity(self, switch: str, entries: int | None) -> None:
        """Let table 0 refuse entries beyond a number, as a full TCAM; None lifts the limit."""
        self._running.assembly.configure([bridges.set_capacity(self._wiring.bridge(switch), entries)])

    def set_link(self, switch: str, port: int, up: bool) -> None:
        """Take a joined link down or up at both ends; the switches report it as port status."""
        self._running.assembly.set_link(self._wiring.link_at(switch, port), up)

    # Changing the network while it runs

    def add_switch(self, switch: Object) -> None:
        """Add a switch `{"id", "dpid"}`."""
        running = self._running
        running.assembly.add_bridge(self._wiring.add_switch(switch), self._controllers)

    def add_link(self, link: Object) -> None:
        """Add a link `{"a", "a_port", "b", "b_port"}`."""
        running = self._running
        running.assembly.add_link(self._wiring.add_link(link))

    def add_host(self, host: Object) -> None:
        """Add a host `{"id", "switch", "port", "standby"?}`."""
        running = self._running
        running.assembly.add_host_ports(self._wiring.add_host(host))

    def remove_switch(self, switch: str) -> None:
        """Remove a switch and its links; its hosts must have been removed."""
        running = self._running
        bridge, links = self._wiring.remove_switch(switch)
        far_ends = [end for link in links for end in link.ends() if end.switch != switch]
        running.assembly.remove(far_ends, bridge)

    def remove_link(self, switch: str, port: int) -> None:
        """Remove the link at a port, both ends."""
        running = self._running
        running.assembly.remove(self._wiring.remove_link(switch, port).ends())

    def remove_host(self, host: str) -> None:
        """Remove a host, and its ports unless other hosts use them."""
        running = self._running
        running.assembly.remove(self._wiring.remove_host(host))

    # Within

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
            # No remembered decisions: every packet is looked up in the tables as they are at that moment.
            tools.vsctl("set", "Open_vSwitch", ".", "other_config:flow-limit=0", wait=False)
        daemons.start_switch(self._timeout)


def _set_ssl(identity: Identity) -> tuple[str, str, str]:
    """The arguments of `ovs-vsctl set-ssl`."""
    files = (identity.key, identity.certificate, identity.authority)
    key, certificate, authority = (str(path.absolute()) for path in files)
    return key, certificate, authority
