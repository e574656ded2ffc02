"""A process that answers one question about a network's aggregation; it knows no database and no framework.

It reads the question from standard input and writes the answer to standard output, both as JSON:
`{"ok": answer}`, `{"refused": [{"path", "code", "detail", "value"}]}` or `{"failed": text}`.
"""

import json
import resource
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from controlplane.aggregation import compute
from tercast.errors import Refused, RefusedMany, shown
from tercast.planner.planner import Planner

MEMORY = 3 << 30
"""Bytes that a process may ask for; what needs more fails, and the machine lives on."""

Question = Mapping[str, Any]


def main() -> None:
    """Answer the question."""
    with limited_memory():
        print(json.dumps(answer(json.load(sys.stdin))))


@contextmanager
def limited_memory() -> Iterator[None]:
    """Within the block this process can have `MEMORY` at most."""
    before, hard = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY if hard < 0 else min(MEMORY, hard), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (before, hard))


def answer(question: Question) -> dict[str, Any]:
    """The answer, whatever it is."""
    try:
        planner = Planner.restore(question["snapshot"])
        return {"ok": _KINDS[question["kind"]](planner, question)}
    except Refused as refused:
        return {"refused": [_refusal(refused)]}
    except RefusedMany as many:
        return {"refused": [_refusal(refused) for refused in many.errors]}
    except MemoryError:
        return {"failed": f"more than {MEMORY >> 20} MiB of memory would be needed"}


def _refusal(refused: Refused) -> dict[str, Any]:
    value = refused.value
    scalar = value if isinstance(value, str | int | float | None) else shown(value)
    return {"path": list(refused.path), "code": refused.code, "detail": refused.detail, "value": scalar}


def _what_if(planner: Planner, question: Question) -> Any:
    names = ("method", "events", "sampling", "budgets", "numbers", "loads")
    return compute.what_if(planner, **{name: question[name] for name in names})


def _curve(planner: Planner, question: Question) -> Any:
    names = ("switch", "method", "events", "budgets", "loads")
    return compute.budget_curve(planner, **{name: question[name] for name in names})


_KINDS: dict[str, Callable[[Planner, Question], Any]] = {"what_if": _what_if, "curve": _curve}

if __name__ == "__main__":
    main()
