"""A copy of this machine in namespaces: its changes end with it, and it has its own loopback interface.

Its root file system is an overlay over the real one. Processes, mounts and the network have namespaces.
Commands that need a package registry run in the real network.
"""

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.waiting import eventually

HERE = Path(__file__).parent
SETUP = """
set -e
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$1/root"
cd "$1/root"
mount -t proc proc proc
mount --rbind /dev dev
mount --rbind /sys sys
for name in tmp run; do mount -t tmpfs -o mode=1777 none $name; done
chmod 755 run
mkdir -p run/lock
ip link set lo up
touch "$1/ready"
trap : TERM
while :; do sleep 60 & wait; done
"""
NO_SERVICES = "#!/bin/sh\nexit 101\n"


@dataclass(frozen=True)
class Block:
    """A block of commands in the guide."""

    section: str
    online: bool
    text: str


def read_blocks(page: str) -> list[Block]:
    """Return the blocks of a page that are marked as runnable, in order."""
    section, found = "", []
    for match in re.finditer(
        r"^## ([^\n]+)$|^( *)```sh run( online)?\n(.*?)^ *```$", page, re.MULTILINE | re.DOTALL
    ):
        if match[1]:
            section = match[1]
        else:
            lines = [line.removeprefix(match[2]) for line in match[4].splitlines()]
            found.append(Block(section, bool(match[3]), "\n".join(lines) + "\n"))
    return found


@dataclass(frozen=True)
class Machine:
    """Runs commands as root of the copy."""

    folder: Path
    pid: int

    @property
    def root(self) -> Path:
        """Return the root of its file system for processes of this machine."""
        return Path(f"/proc/{self.pid}/root") / (self.folder / "root").relative_to("/")

    def popen(self, *command: str, online: bool = False, **more: object) -> "subprocess.Popen[str]":
        """Start a command in the copy."""
        spaces = ["nsenter", f"--target={self.pid}", "--mount", "--pid", *([] if online else ["--net"])]
        environment = {
            **{
                name: value
                for name, value in os.environ.items()
                if not name.startswith(("TERCAST_", "PYTHON"))
            },
            "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            "HOME": "/root",
            "DEBIAN_FRONTEND": "noninteractive",
        }
        environment.pop("VIRTUAL_ENV", None)
        return subprocess.Popen(
            [*spaces, "chroot", str(self.folder / "root"), *command], env=environment, text=True, **more
        )  # type: ignore[call-overload]

    def run(self, *command: str, online: bool = False, seconds: float = 600) -> str:
        """Return the output of a command; raises AssertionError with the output if its status is not 0."""
        process = self.popen(
            *command,
            online=online,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        try:
            said, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            said, _ = process.communicate()
            raise AssertionError(f"no end within {seconds:.0f} s: {command[-1]}\n{said[-4000:]}") from None
        assert process.returncode == 0, f"{command[-1]}\nstatus {process.returncode}:\n{said[-6000:]}"
        return said


@contextmanager
def machine(folder: Path) -> Iterator[Machine]:
    """Create the copy in `folder`; every process in it ends with it."""
    for name in ("upper", "work", "root"):
        (folder / name).mkdir()
    process = subprocess.Popen(
        [
            *("unshare", "--mount", "--pid", "--net", "--fork", "--kill-child", "--propagation", "private"),
            *("sh", "-c", SETUP, "sh", str(folder)),
        ],
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        eventually(lambda: (folder / "ready").exists() or process.poll() is not None)
        assert process.poll() is None, process.stderr.read()
        pid = int(Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()[0])
        copy = Machine(folder, pid)
        stand_in(copy)
        yield copy
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
        shutil.rmtree(folder / "upper", ignore_errors=True)
        shutil.rmtree(folder / "work", ignore_errors=True)


def stand_in(copy: Machine) -> None:
    """Install `systemctl` and `systemd-run`, and prevent packages from starting services."""
    source = (HERE / "systemd_stand_in.py").read_text()
    for name in ("systemctl", "systemd-run"):
        path = copy.root / "usr/local/bin" / name
        path.write_text(f"#!/usr/bin/python3\n{source}")
        path.chmod(0o755)
    policy = copy.root / "usr/sbin/policy-rc.d"
    policy.write_text(NO_SERVICES)
    policy.chmod(0o755)
