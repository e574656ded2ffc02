"""Requirements of the lab; the error for a missing one contains the remedy."""

from __future__ import annotations

import os
import shutil
import subprocess

from mininet_labs.errors import LabError

SYSTEM_PYTHON = "/usr/bin/python3"
"""The Python that Debian's `mininet` package is installed for."""
PROGRAMS = {
    "unshare": "util-linux",
    "nsenter": "util-linux",
    "ip": "iproute2",
    "ethtool": "ethtool",
    "mnexec": "mininet",
}
"""Required programs, and the Debian packages that contain them."""


def check() -> None:
    """Check the requirements: root, programs, and Mininet.

    Raises:
        LabError: One is missing.
    """
    if os.geteuid() != 0:
        raise LabError(
            "the Mininet lab",
            "needs root to create network namespaces",
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
