"""The machine that a benchmark ran on, and the output of its result."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mininet_labs.figures.machine import describe

__all__ = ["describe", "write_result"]


def write_result(result: dict[str, Any], output: Path | None) -> None:
    """Write a result as JSON to a file, or print it without one."""
    text = json.dumps(result, indent=1)
    if output is None:
        print(text)
    else:
        output.write_text(text + "\n", encoding="utf-8")
