"""Answers that a process of their own works out, bounded in time."""

import json
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

from controlplane.common.child_processes import die_with_parent, environment
from controlplane.common.problems import Problem


def ask_child(
    module: str, question: bytes, seconds: float, late: str, killed: Mapping[int, str] | None = None
) -> dict[str, Any]:
    """Return the JSON object that `python -m module` writes in answer to `question` on its standard input.

    Args:
        module: The module to run.
        question: What it reads.
        seconds: How long it may take.
        late: Why there is no answer in that time, for the caller.
        killed: What an end by a signal means, by its number; the answer is then `{"failed": ...}`.

    Raises:
        Problem: 503 where it takes longer.
        RuntimeError: The process failed; with its last words.
    """
    try:
        done = subprocess.run(
            [sys.executable, "-m", module],
            input=question,
            env=environment(),
            capture_output=True,
            timeout=seconds,
            check=False,
            preexec_fn=die_with_parent,
        )
    except subprocess.TimeoutExpired:
        raise Problem(503, "took_too_long", late, headers={"Retry-After": "60"}) from None
    if killed and -done.returncode in killed:
        return {"failed": killed[-done.returncode]}
    if done.returncode:
        end = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        raise RuntimeError(f"python -m {module} ended with {done.returncode}: {end}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found
