"""Networks for a controller: the interface that a platform needs, and embedded fabrics."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from mininet_labs.fabric import Fabric
from tercast.cli.certificate_authority import Identity

SWITCHES = "switches"
"""Name of the certificate that all switches of a fabric use, because one Open vSwitch has only one."""


class DemoNetwork(Protocol):
    """Switches, links and host ports for a controller."""

    def start(self, progress: Callable[[int, int], None] = ...) -> None:
        """Start the network; return when every switch and port is ready.

        If they are known, `progress` is called with the number of finished parts and their total.
        """

    def stop(self) -> None:
        """Stop the network; do nothing if it does not run."""

    def check(self) -> None:
        """Raise `LabError` with the end of the log if a process of the network has ended."""

    def host_sockets(self) -> Mapping[str, Sequence[Path]]:
        """Return the sockets of the ports of each host, if hosts use sockets."""


def embedded_fabric(run_dir: Path, topology: dict[str, Any], port: int) -> DemoNetwork:
    """Return an Open vSwitch fabric without root, whose host ports are Unix sockets."""
    return Fabric(run_dir, topology, controllers=[f"tcp:127.0.0.1:{port}"])


def trusted_fabric(certificates: Path) -> Callable[[Path, dict[str, Any], int], DemoNetwork]:
    """Return a function that creates a fabric whose switches use TLS with the files in a folder."""

    def make(run_dir: Path, topology: dict[str, Any], port: int) -> DemoNetwork:
        tls = Identity.of(certificates, SWITCHES)
        return Fabric(run_dir, topology, controllers=[f"ssl:127.0.0.1:{port}"], tls=tls)

    return make
