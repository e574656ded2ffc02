"""The separate Open vSwitch inside the lab, for the commands of Mininet."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

PATIENCE = 30.0
"""Seconds that each of the two daemons gets to start."""


class Daemons:
    """`ovsdb-server` and `ovs-vswitchd` with files in `run_dir`, as children of this process.

    The environment of this process is set so that `ovs-vsctl` and the other tools find only these daemons.
    """

    def __init__(self, run_dir: Path, schema: str) -> None:
        self._run_dir, self._schema = run_dir, schema
        self._children: list[tuple[str, subprocess.Popen[bytes]]] = []

    def start(self) -> None:
        """Start both; raises `RuntimeError` with the end of the log if a daemon does not start."""
        folder = str(self._run_dir)
        os.environ.update(OVS_RUNDIR=folder, OVS_DBDIR=folder, OVS_LOGDIR=folder, OVS_SYSCONFDIR=folder)
        database, sock = self._run_dir / "conf.db", self._run_dir / "db.sock"
        _run("ovsdb-tool", "create", str(database), self._schema)
        self._spawn("ovsdb-server", str(database), f"--remote=punix:{sock}")
        self._await("ovsdb-server", sock)
        _run("ovs-vsctl", "--no-wait", "init")
        self._spawn("ovs-vswitchd", f"unix:{sock}")
        self._await("ovs-vswitchd", self._run_dir / "ovs-vswitchd.ctl")

    def ended(self) -> str | None:
        """Return the name of a daemon that has ended, or None."""
        return next((name for name, child in self._children if child.poll() is not None), None)

    def _spawn(self, name: str, *arguments: str) -> None:
        control, log = self._run_dir / f"{name}.ctl", self._run_dir / f"{name}.log"
        options = (f"--unixctl={control}", "-vconsole:off", "-vsyslog:off", f"--log-file={log}")
        child = subprocess.Popen([name, *arguments, *options], stdin=subprocess.DEVNULL)
        self._children.append((name, child))

    def _await(self, name: str, sock: Path) -> None:
        deadline = time.monotonic() + PATIENCE
        while not sock.is_socket():
            if self.ended() is not None or time.monotonic() > deadline:
                log = self._run_dir / f"{name}.log"
                words = log.read_text("utf-8", "replace").splitlines()[-3:] if log.exists() else []
                raise RuntimeError(f"{name} did not start: {' / '.join(words) or 'its log is empty'}")
            time.sleep(0.02)


def _run(*argv: str) -> None:
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{argv[0]} failed: {done.stderr.strip()}")
