"""What the lab needs of the machine; each thing that lacks is one sentence with the remedy."""

from __future__ import annotations

import os
import shutil
import subprocess

from mininet_labs.errors import LabError

SYSTEM_PYTHON = "/usr/bin/python3"
"""Debian's `mininet` package belongs to this one."""
PROGRAMS = {
    "unshare": "util-linux",
    "nsenter": "util-linux",
    "ip": "iproute2",
    "ethtool": "ethtool",
    "mnexec": "mininet",
}
"""Programs, and the Debian packages that bring them."""


def check() -> None:
    """LabError with what lacks: root first, then a program, then Mininet itself."""
    if os.geteuid() != 0:
        raise LabError(
            "the Mininet lab",
            "makes network namespaces, which takes root",
            "run it with sudo, or use make run",
        )
    path = os.pathsep.join((*os.get_exec_path(), "/usr/sbin", "/sbin"))
    for program, package in PROGRAMS.items():
        if shutil.which(program, path=path) is None:
            raise LabError(program, "not found on this machine", f"apt-get install -y {package}")
    probe = subprocess.run(
        [SYSTEM_PYTHON, "-c", "import mininet.net"], capture_output=True, text=True, check=False
    )
    if probe.returncode:
        raise LabError(SYSTEM_PYTHON, "does not have Mininet", "apt-get install -y mininet")
