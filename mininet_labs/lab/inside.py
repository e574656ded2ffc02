"""The inside of the lab: the first process of its namespaces, with the system's Python.

It runs as `python3 -m mininet_labs.lab.inside`. The first message on standard input is the network to build:

    {"run_dir", "schema", "controller": TARGET, "bridges": [{"name", "dpid"}],
     "links": [{"a", "a_port", "b", "b_port"}],
     "hosts": [{"id", "name", "mac", "ip", "ports": [{"bridge", "number"}]}]}

The answer is {"hosts": {id: process id inside}}, or {"error": text}. Then each message has one request:

    {"do": "start", "name", "host", "argv", "log", "env"}   -> {"pid"}      process of a host; output in `log`
    {"do": "poll", "name"}                                  -> {"status"}   null while it runs
    {"do": "signal", "name", "number"}                      -> {}
    {"do": "link", "bridge", "port", "up"}                  -> {}           both ends
    {"do": "ups", "bridge", "port"}                         -> {"ups"}      of both ends
    {"do": "check"}                                         -> {"ended"}    a daemon that ended, or null

The lab ends at the end of standard input.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import IO, Any

from mininet.link import Intf
from mininet.log import setLogLevel
from mininet.net import Mininet
from mininet.node import Host, OVSSwitch

from mininet_labs.lab.switches import Daemons
from mininet_labs.lab.talk import LabMessage, receive, send


class InnerNetwork:
    """Switches, links and hosts, and the processes of the hosts."""

    def __init__(self, plan: LabMessage) -> None:
        self._plan = plan
        self._daemons = Daemons(Path(plan["run_dir"]), plan["schema"])
        self._net = Mininet(switch=OVSSwitch, controller=None, autoSetMacs=False, build=False)
        self._hosts: dict[str, Any] = {}
        self._far: dict[tuple[str, int], tuple[Intf, Intf]] = {}
        self._processes: dict[str, subprocess.Popen[bytes]] = {}

    def build(self) -> dict[str, int]:
        """Start everything; return the process ids of the hosts."""
        _checked("ip", "link", "set", "lo", "up")
        self._daemons.start()
        for bridge in self._plan["bridges"]:
            options = {"datapath": "user", "protocols": "OpenFlow13", "failMode": "secure"}
            self._net.addSwitch(bridge["name"], dpid=bridge["dpid"], **options)
        for link in self._plan["links"]:
            self._add_link(link)
        for host in self._plan["hosts"]:
            self._add_host(host)
        self._net.build()
        self._net.start()
        for host in self._plan["hosts"]:
            self._address(host)
        self._connect()
        return {host: node.pid for host, node in self._hosts.items()}

    def answer(self, request: LabMessage) -> LabMessage:
        """Carry out a request and return the answer."""
        return dict(getattr(self, f"_do_{request.pop('do')}")(**request) or {})

    def stop(self) -> None:
        """Stop the processes of the hosts and the network."""
        for process in self._processes.values():
            if process.poll() is None:
                process.terminate()
        for process in self._processes.values():
            try:
                process.wait(2.0)
            except subprocess.TimeoutExpired:
                process.kill()
        self._net.stop()

    def _add_link(self, link: LabMessage) -> None:
        made = self._net.addLink(link["a"], link["b"], port1=link["a_port"], port2=link["b_port"])
        ends = (made.intf1, made.intf2)
        self._far[link["a"], link["a_port"]] = self._far[link["b"], link["b_port"]] = ends

    def _add_host(self, host: LabMessage) -> None:
        node = self._net.addHost(host["name"], cls=Host, ip=None)
        self._hosts[host["id"]] = node
        for place in host["ports"]:
            self._net.addLink(node, place["bridge"], port2=place["number"])

    def _address(self, host: LabMessage) -> None:
        """Assign the host's MAC address to all its interfaces, and its IP address to the first."""
        node = self._hosts[host["id"]]
        for intf in node.intfList():
            # Without this, packets have checksums that only network hardware would complete.
            _checked(*_within(node), "ethtool", "-K", intf.name, "tx", "off")
            _checked(*_within(node), "ip", "link", "set", intf.name, "address", host["mac"])
        first, family = node.intfList()[0].name, "-6" if ":" in host["ip"] else "-4"
        address = f"{host['ip']}/{64 if family == '-6' else 24}"
        nodad = ("nodad",) if family == "-6" else ()
        _checked(*_within(node), "ip", family, "addr", "add", address, "dev", first, *nodad)
        if family == "-4":
            _checked(*_within(node), "ip", "route", "add", "224.0.0.0/4", "dev", first)

    def _connect(self) -> None:
        """Set the controller of every switch; a switch tries to connect every second."""
        arguments = ["ovs-vsctl"]
        for number, bridge in enumerate(self._plan["bridges"]):
            name = f"@c{number}"
            create = ("create", "Controller", f'target="{self._plan["controller"]}"')
            mode = ("connection_mode=out-of-band", "max_backoff=1000", "inactivity_probe=5000")
            arguments += ["--", f"--id={name}", *create, *mode]
            arguments += ["--", "set", "Bridge", bridge["name"], f"controller=[{name}]"]
            arguments += ["other_config:disable-in-band=true"]
        _checked(*arguments)

    def _do_start(self, name: str, host: str, argv: list[str], log: str, env: dict[str, str]) -> LabMessage:
        with Path(log).open("wb") as output:
            process = self._hosts[host].popen(
                argv, stdin=subprocess.DEVNULL, stdout=output, stderr=output, env={**os.environ, **env}
            )
        self._processes[name] = process
        return {"pid": process.pid}

    def _do_poll(self, name: str) -> LabMessage:
        return {"status": self._processes[name].poll()}

    def _do_signal(self, name: str, number: int) -> None:
        self._processes[name].send_signal(number)

    def _do_link(self, bridge: str, port: int, up: bool) -> None:
        for end in self._far[bridge, port]:
            _checked("ip", "link", "set", end.name, "up" if up else "down")

    def _do_ups(self, bridge: str, port: int) -> LabMessage:
        return {"ups": [_is_up(end.name) for end in self._far[bridge, port]]}

    def _do_check(self) -> LabMessage:
        return {"ended": self._daemons.ended()}


def _within(node: Any) -> tuple[str, ...]:
    return ("mnexec", "-a", str(node.pid))


def _is_up(interface: str) -> bool:
    (row,) = json.loads(_checked("ip", "-json", "link", "show", "dev", interface))
    return bool(row["operstate"] == "UP")


def _checked(*argv: str) -> str:
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(argv)} failed: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


def serve(requests: IO[str], answers: IO[str]) -> None:
    """Build the network of the first message, then answer until the requests end."""
    plan = receive(requests)
    if plan is None:
        return
    lab = InnerNetwork(plan)
    try:
        send(answers, {"hosts": lab.build()})
        while (request := receive(requests)) is not None:
            try:
                send(answers, lab.answer(request))
            except (KeyError, OSError, RuntimeError) as error:
                send(answers, {"error": f"{type(error).__name__}: {error}"})
    finally:
        lab.stop()


def main() -> None:
    """Serve requests; the output of Mininet and its commands goes to standard error."""
    setLogLevel("warning")
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    try:
        serve(sys.stdin, answers)
    except RuntimeError as error:
        send(answers, {"error": str(error)})
        sys.exit(1)


if __name__ == "__main__":
    main()
