"""Questions to a separate process, limited in time and memory, one at a time."""

import json
from threading import Lock
from typing import Any

from controlplane.common.child_process import ask_child
from controlplane.common.problems import FieldError, Problem, invalid, pointer
from controlplane.planning.planner_state import reading

SECONDS = 60
"""Time limit of an answer."""

PATIENCE_SECONDS = 10
"""Longest wait of a question for the previous one."""

_one_at_a_time = Lock()


def query_process(kind: str, **terms: Any) -> Any:
    """Ask `aggregation_process` a question about the present network, and return the answer.

    Raises:
        Problem: There is no answer.
    """
    if not _one_at_a_time.acquire(timeout=PATIENCE_SECONDS):
        detail = "The platform is busy with another calculation of costs. Try again in a minute."
        raise Problem(503, "busy", detail, headers={"Retry-After": "10"})

    try:
        with reading() as planner:
            question = json.dumps({"kind": kind, "snapshot": planner.snapshot(), **terms})
        return _read(_run(question))
    finally:
        _one_at_a_time.release()


def _run(question: str) -> dict[str, Any]:
    late = (
        f"The calculation has no result after {SECONDS} s. Use a smaller fraction of samples, or fewer "
        "budgets."
    )
    return ask_child("controlplane.aggregation.aggregation_process", question.encode(), SECONDS, late)


def _read(found: dict[str, Any]) -> Any:
    if "failed" in found:
        raise Problem(
            503, "too_much", f"The calculation failed: {found['failed']}. Use a smaller fraction of samples."
        )
    if "refused" in found:
        raise invalid(
            FieldError(pointer(tuple(row["path"])), row["code"], row["detail"], row["value"])
            for row in found["refused"]
        )
    return found["ok"]
