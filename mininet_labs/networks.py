"""Networks that a controller can serve: what a platform needs of one, and embedded fabrics."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from mininet_labs.fabric import Fabric
from tercast.cli.certificate_authority import Identity

SWITCHES = "switches"
"""Whose certificate all switches of a fabric show: one Open vSwitch has one."""


class DemoNetwork(Protocol):
    """Switches, links and hosts' ports that a controller can serve."""

    def start(self, progress: Callable[[int, int], None] = ...) -> None:
        """Bring it up; returns when every switch and port is there.

        `progress` is called with the parts that are done and their total, where that is known.
        """

    def stop(self) -> None:
        """Take it down; does nothing when it is not up."""

    def check(self) -> None:
        """Raise `LabError` with the last words of a process of it that has ended."""

    def host_sockets(self) -> Mapping[str, Sequence[Path]]:
        """By host: sockets of its ports, where hosts are reached by sockets."""


def embedded_fabric(run_dir: Path, topology: dict[str, Any], port: int) -> DemoNetwork:
    """Open vSwitch without root, whose hosts' ports are Unix sockets."""
    return Fabric(run_dir, topology, controllers=[f"tcp:127.0.0.1:{port}"])


def trusted_fabric(certificates: Path) -> Callable[[Path, dict[str, Any], int], DemoNetwork]:
    """Return a function that makes an embedded fabric whose switches use TLS with the files of a folder."""

    def make(run_dir: Path, topology: dict[str, Any], port: int) -> DemoNetwork:
        tls = Identity.of(certificates, SWITCHES)
        return Fabric(run_dir, topology, controllers=[f"ssl:127.0.0.1:{port}"], tls=tls)

    return make
