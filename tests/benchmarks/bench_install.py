"""Section `controller`: entries installed through the controller, compared with `ovs-ofctl`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from bench_child import ChildFailed, log
from bench_extent import Extent

COMMAND = Path(__file__).with_name("bench_controller.py")


def measure(extent: Extent) -> dict[str, Any]:
    """Run `bench_controller.py` with one and with eleven switches; raises ChildFailed."""
    log(f"controller: {extent.installed:,} entries on 1 and on 11 switches")
    sizes = ("--entries", str(extent.installed), "--rounds", str(extent.rounds), "--switches", "1", "11")
    done = subprocess.run([sys.executable, str(COMMAND), *sizes], capture_output=True, text=True, check=False)
    if done.returncode:
        raise ChildFailed(done.stderr.strip().rpartition("\n")[2] or f"status {done.returncode}")
    found: dict[str, Any] = json.loads(done.stdout)
    return {name: found[name] for name in ("entries", "rounds", "switches")}
