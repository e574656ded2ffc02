"""Questions that take long, asked of a process beside this one: bounded in time and memory, one at a time."""

import json
import subprocess
import sys
from threading import Lock
from typing import Any

from controlplane.aggregation.starter import die_with_parent
from controlplane.api.problems import FieldError, Problem, invalid, pointer
from controlplane.config.children import environment

SECONDS = 60
"""How long an answer may take."""

PATIENCE_SECONDS = 10
"""How long a question waits for the one before it."""

_one_at_a_time = Lock()


def ask(kind: str, **terms: Any) -> Any:
    """The answer to a question about the network as it is, by `job`; raises `Problem` where there is none."""
    if not _one_at_a_time.acquire(timeout=PATIENCE_SECONDS):
        detail = "Another question of this kind is being answered. Try again when it is."
        raise Problem(503, "busy", detail, headers={"Retry-After": "10"})
    from controlplane.control.planner_state import reading  # noqa: PLC0415 - questions alone need a planner

    try:
        with reading() as planner:
            question = json.dumps({"kind": kind, "snapshot": planner.snapshot(), **terms})
        return _read(_run(question))
    finally:
        _one_at_a_time.release()


def _run(question: str) -> dict[str, Any]:
    try:
        done = subprocess.run(
            [sys.executable, "-m", "controlplane.aggregation.job"],
            input=question.encode(),
            env=environment(),
            capture_output=True,
            timeout=SECONDS,
            check=False,
            preexec_fn=die_with_parent,
        )
    except subprocess.TimeoutExpired:
        detail = f"No answer within {SECONDS} s. Ask with a lower sampling, or with fewer events or budgets."
        raise Problem(503, "took_too_long", detail, headers={"Retry-After": "60"}) from None
    if done.returncode:
        end = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        raise RuntimeError(f"the process ended with {done.returncode}: {end}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _read(found: dict[str, Any]) -> Any:
    if "failed" in found:
        raise Problem(503, "too_much", f"There is no answer: {found['failed']}. Ask with fewer events.")
    if "refused" in found:
        raise invalid(
            FieldError(pointer(tuple(row["path"])), row["code"], row["detail"], row["value"])
            for row in found["refused"]
        )
    return found["ok"]
