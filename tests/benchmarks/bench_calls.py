"""Section `stages`: where the time of a change goes, from the call to confirmed switches."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from bench_child import ChildFailed, log
from bench_extent import Extent

COMMAND = Path(__file__).with_name("bench_stages.py")


def measure(extent: Extent) -> dict[str, Any]:
    """Run `bench_stages.py`; raises ChildFailed."""
    log(f"stages: {extent.calls} rounds of 1 and of 32 clients, and a list of {extent.listed:,}")
    sizes = ("--rounds", str(extent.calls), "--bulk", str(extent.listed))
    done = subprocess.run([sys.executable, str(COMMAND), *sizes], capture_output=True, text=True, check=False)
    if done.returncode:
        raise ChildFailed(done.stderr.strip().rpartition("\n")[2] or f"status {done.returncode}")
    found: dict[str, Any] = json.loads(done.stdout)
    return {name: found[name] for name in ("database", "one_client", "clients", "bulk")}
