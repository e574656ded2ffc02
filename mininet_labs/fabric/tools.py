"""Calls of the command line tools of Open vSwitch for the daemons of a fabric."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from mininet_labs.fabric.binaries import Binaries
from mininet_labs.fabric.daemons import control_socket, database_target
from mininet_labs.fabric.errors import FabricError
from mininet_labs.fabric.rundir import RunDir
from mininet_labs.fabric.wiring import Bridge

PROTOCOL = "OpenFlow13"


class Tools:
    """The command line tools of a fabric; each method returns standard output."""

    def __init__(
        self, binaries: Binaries, run_dir: RunDir, environment: Mapping[str, str], timeout: float
    ) -> None:
        self._binaries = binaries
        self._run_dir = run_dir
        self._environment = dict(environment)
        self._timeout = timeout

    def vsctl(self, *args: str, wait: bool = True) -> str:
        """Read or change the configuration; with `wait`, return when the switch has applied it."""
        options = [f"--timeout={max(1, round(self._timeout))}", f"--db={database_target(self._run_dir)}"]
        if not wait:
            options.append("--no-wait")
        return self._run(self._binaries.ovs_vsctl, [*options, *args])

    def ofctl(self, bridge: Bridge, command: str, *args: str, input: str | None = None) -> str:
        """Run an OpenFlow command for a bridge."""
        target = f"unix:{self._run_dir.socket(f'{bridge.name}.mgmt')}"
        return self._run(
            self._binaries.ovs_ofctl, ["-O", PROTOCOL, "--no-names", command, target, *args], input
        )

    def appctl(self, *args: str) -> str:
        """Run a command of ovs-vswitchd."""
        control = control_socket(self._run_dir, "ovs-vswitchd")
        return self._run(self._binaries.ovs_appctl, ["-t", str(control), *args])

    def _run(self, program: Path, args: Sequence[str], input: str | None = None) -> str:
        command = [str(program), *args]
        try:
            done = subprocess.run(
                command,
                input=input,
                stdin=subprocess.DEVNULL if input is None else None,
                env=self._environment,
                capture_output=True,
                text=True,
                check=False,
                timeout=self._timeout + 1,
            )
        except subprocess.TimeoutExpired as error:
            rule = f"no answer after {self._timeout:g} s"
            raise FabricError(
                _shown(command), rule, "read the logs of the fabric in its run directory"
            ) from error
        if done.returncode != 0:
            rule = f"failed with status {done.returncode} ({_first_line(done.stderr)})"
            raise FabricError(_shown(command), rule, "correct the arguments, or read the fabric's logs")
        return done.stdout


def environment(run_dir: RunDir) -> dict[str, str]:
    """Return environment variables that keep the files of the programs in the run directory."""
    folders = {
        "OVS_RUNDIR": str(run_dir.socket("")),
        "OVS_LOGDIR": str(run_dir.path),
        "OVS_DBDIR": str(run_dir.path),
        "OVS_SYSCONFDIR": str(run_dir.path),
    }
    return {**os.environ, **folders, "LC_ALL": "C"}


def _shown(command: Sequence[str], longest: int = 160) -> str:
    text = " ".join([Path(command[0]).name, *command[1:]])
    return text if len(text) <= longest else f"{text[:longest]}..."


def _first_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[0] if lines else "no message"
