"""Description of the machine that a measurement runs on."""

from __future__ import annotations

import os
import platform
import subprocess
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from mininet_labs.fabric.binaries import Binaries
from mininet_labs.fabric.errors import FabricError
from tercast.runtime.kernel_cache import is_ready

PACKAGES = ("numpy", "numba", "llvmlite")


def describe() -> dict[str, Any]:
    """Return CPU, memory, kernel, versions, and the load of the machine."""
    return {
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "cpu": _field("/proc/cpuinfo", "model name"),
        "cores": os.cpu_count(),
        "ram_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / (1 << 30), 1),
        "kernel": platform.release(),
        "python": platform.python_version(),
        **{name: _version(name) for name in PACKAGES},
        "kernels_ready": is_ready(),
        "open_vswitch": _open_vswitch(),
        "load_average": [round(value, 2) for value in os.getloadavg()],
    }


def _field(path: str, name: str) -> str | None:
    for line in Path(path).read_text().splitlines():
        key, _, value = line.partition(":")
        if key.strip() == name:
            return value.strip()
    return None


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _open_vswitch() -> str | None:
    try:
        program = Binaries.find().ovs_vswitchd
    except FabricError:
        return None
    told = subprocess.run([str(program), "--version"], capture_output=True, text=True, check=True).stdout
    return told.splitlines()[0].rsplit(" ", 1)[-1]
