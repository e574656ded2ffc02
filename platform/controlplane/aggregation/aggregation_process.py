"""Process that answers one question about aggregation, without database and framework.

It reads the question from standard input and writes the answer to standard output, both as JSON.
"""

import json
import sys
from collections.abc import Callable, Mapping
from typing import Any

from controlplane.aggregation import compute
from controlplane.common import bounded_answer
from tercast.planner.planner import Planner

MEMORY = 3 << 30
"""Memory limit in bytes; a computation that needs more fails, and the machine survives."""

ProcessQuestion = Mapping[str, Any]


def main() -> None:
    """Answer the question from standard input."""
    with bounded_answer.limited_memory(MEMORY):
        print(answer_question(sys.stdin.read()))


def answer_question(text: str) -> str:
    """Return the answer to a question, both as JSON."""

    def work() -> Any:
        question: ProcessQuestion = json.loads(text)
        return _KINDS[question["kind"]](Planner.restore(question["snapshot"]), question)

    return bounded_answer.json_text(work, f"more than {MEMORY >> 20} MiB of memory would be needed")


def _what_if(planner: Planner, question: ProcessQuestion) -> Any:
    names = ("method", "events", "sampling", "budgets", "numbers", "loads")
    return compute.what_if(planner, **{name: question[name] for name in names})


def _curve(planner: Planner, question: ProcessQuestion) -> Any:
    names = ("switch", "method", "events", "budgets", "loads")
    return compute.budget_curve(planner, **{name: question[name] for name in names})


_KINDS: dict[str, Callable[[Planner, ProcessQuestion], Any]] = {"what_if": _what_if, "curve": _curve}

if __name__ == "__main__":
    main()
