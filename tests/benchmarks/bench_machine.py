"""The machine that a benchmark ran on, and the output of its result."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from mininet_labs.figures.machine import describe

__all__ = ["describe", "processor_time", "write_result"]


def processor_time(pid: int) -> float:
    """Return the processor time that a process has used, in seconds; raises OSError if it has ended."""
    stat = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    fields = stat.rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def write_result(result: dict[str, Any], output: Path | None) -> None:
    """Write a result as JSON to a file, or print it without one."""
    text = json.dumps(result, indent=1)
    if output is None:
        print(text)
    else:
        output.write_text(text + "\n", encoding="utf-8")
