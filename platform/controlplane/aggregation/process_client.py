"""Questions that take long, asked of a process beside this one: bounded in time and memory, one at a time."""

import json
from threading import Lock
from typing import Any

from controlplane.common.child_process import ask_child
from controlplane.common.problems import FieldError, Problem, invalid, pointer
from controlplane.planning.planner_state import reading

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

    try:
        with reading() as planner:
            question = json.dumps({"kind": kind, "snapshot": planner.snapshot(), **terms})
        return _read(_run(question))
    finally:
        _one_at_a_time.release()


def _run(question: str) -> dict[str, Any]:
    late = f"No answer within {SECONDS} s. Ask with a lower sampling, or with fewer events or budgets."
    return ask_child("controlplane.aggregation.aggregation_process", question.encode(), SECONDS, late)


def _read(found: dict[str, Any]) -> Any:
    if "failed" in found:
        raise Problem(503, "too_much", f"There is no answer: {found['failed']}. Ask with fewer events.")
    if "refused" in found:
        raise invalid(
            FieldError(pointer(tuple(row["path"])), row["code"], row["detail"], row["value"])
            for row in found["refused"]
        )
    return found["ok"]
