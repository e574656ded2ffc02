"""A real switch with two hosts next to those of the demo, for tests that would disturb the demo."""

import subprocess

from e2e_running import RunningPlatform

from mininet_labs.fabric.binaries import Binaries
from tests.waiting import LIMIT_SECONDS, wait_until

NAME, DPID, NEAR = "dock", "00000000000d0c00", "sea"
UPLINK, NEAR_PORT = 1, 77
HOSTS = {"h-quay": 11, "h-pier": 12}
OWN = "cookie=0x7ec0a57e00000001/-1"
OF = ("-O", "OpenFlow13")


class Dock:
    """`add()` connects it to Seattle; `remove()` restores the demo."""

    def __init__(self, running: RunningPlatform) -> None:
        self._running = running
        self._sockets = running.run_dir / "fabric" / "s"
        self._binaries = Binaries.find()
        self._made: list[str] = []

    def api(self, method: str, path: str, body: object = None) -> dict:
        """Make a call that must succeed, and wait for the end of its request."""
        answer = self._running.call(method, path, body, wait=60)
        assert answer.status_code < 400, answer.text
        return answer.json() if answer.content else {}

    def add(self) -> None:
        """Declare the switch before it is created, so that discovery finds nothing unknown."""
        ends = {"a": NEAR, "a_port": NEAR_PORT, "b": NAME, "b_port": UPLINK}
        self._declare("switches", {"name": NAME, "dpid": DPID, "label": "Dock"})
        self._declare("links", ends)
        for host, port in HOSTS.items():
            address = {"ip": f"fd00::d0c:{port}", "mac": f"02:00:00:0d:0c:{port}"}
            self._declare("hosts", {"name": host, "switch": NAME, "port": port, **address})
        (target,) = self.vsctl("get-controller", NEAR).split()
        settings = ("datapath_type=dummy", "fail_mode=secure", "protocols=OpenFlow13")
        self.vsctl(
            *("--", "add-br", NAME, "--", "set", "Bridge", NAME, *settings),
            *(f'other_config:datapath-id="{DPID}"', "other_config:disable-in-band=true"),
            *self._patch(NAME, UPLINK, NEAR, NEAR_PORT),
            *self._patch(NEAR, NEAR_PORT, NAME, UPLINK),
            *(part for port in HOSTS.values() for part in self._port(NAME, port, "type=dummy")),
            *("--", "set-controller", NAME, target),
        )
        wait_until("the new switch", lambda: self.row()["connected"] and self.row()["ports"])

    def remove(self) -> None:
        """Remove the declarations, the last one first, and then the switch itself."""
        for path in reversed(self._made):
            self.api("DELETE", path)
        self.vsctl(
            "--", "--if-exists", "del-br", NAME, "--", "--if-exists", "del-port", f"{NEAR}-{NEAR_PORT}"
        )

    def row(self) -> dict:
        """Return the switch from the API."""
        (found,) = self.api("GET", f"switches/?name={NAME}")["results"]
        return found

    def change(self, **fields: object) -> None:
        """Change the switch over the API, and wait for the end."""
        asked = self.api("PATCH", f"switches/{self.row()['id']}/", fields)
        assert asked["state"] == "active", asked

    def forget_entries(self) -> None:
        """Remove the content entries of the real table without the platform."""
        self.ofctl("del-flows", OWN)

    def set_port(self, host: str, state: str) -> None:
        """Set the port of a host `up` or `down`."""
        self.ofctl("mod-port", str(HOSTS[host]), state)

    def vsctl(self, *arguments: str) -> str:
        """Run `ovs-vsctl` for the switches of the demo."""
        return self._run(self._binaries.ovs_vsctl, f"--db=unix:{self._sockets / 'db.sock'}", *arguments)

    def ofctl(self, command: str, *arguments: str) -> str:
        """Run `ovs-ofctl` for the new switch."""
        target = f"unix:{self._sockets / NAME}.mgmt"
        return self._run(self._binaries.ovs_ofctl, *OF, "--no-names", command, target, *arguments)

    def _declare(self, resource: str, body: dict) -> None:
        self._made.append(self.api("POST", f"{resource}/", body)["object"]["url"].removeprefix("/api/v1/"))

    def _patch(self, bridge: str, port: int, peer: str, peer_port: int) -> tuple[str, ...]:
        return self._port(bridge, port, "type=patch", f"options:peer={peer}-{peer_port}")

    @staticmethod
    def _port(bridge: str, port: int, *settings: str) -> tuple[str, ...]:
        name = f"{bridge}-{port}"
        number = f"ofport_request={port}"
        return ("--", "add-port", bridge, name, "--", "set", "Interface", name, number, *settings)

    def _run(self, program: object, *arguments: str) -> str:
        command = [str(program), *arguments]
        return subprocess.run(
            command, check=True, stdout=subprocess.PIPE, text=True, timeout=LIMIT_SECONDS
        ).stdout
