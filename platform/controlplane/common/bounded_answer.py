"""Answers of processes that `common.child_process.ask_child` starts, with limits.

An answer is JSON: `{"ok": answer}`, `{"refused": [{"path", "code", "detail", "value"}]}` or
`{"failed": text}`. Such a process uses no database and no framework.
"""

import json
import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tercast.errors import Refused, RefusedMany, shown


def limit(kind: int, most: int) -> None:
    """Limit the use of a resource by this process from now on.

    Args:
        kind: The resource, for example `resource.RLIMIT_CPU`.
        most: Seconds or bytes; a lower existing limit stays.
    """
    hard = resource.getrlimit(kind)[1]
    resource.setrlimit(kind, (most if hard < 0 else min(most, hard), hard))


@contextmanager
def limited_memory(most: int) -> Iterator[None]:
    """Limit the memory of this process to `most` bytes within the block."""
    before = resource.getrlimit(resource.RLIMIT_DATA)
    limit(resource.RLIMIT_DATA, most)
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, before)


def json_text(work: Callable[[], Any], too_large: str) -> str:
    """Return the result or refusal of `work` as JSON; `too_large` if it needs too much memory."""
    try:
        return json.dumps(_run_work(work))
    except MemoryError:
        return json.dumps({"failed": too_large})


def _run_work(work: Callable[[], Any]) -> dict[str, Any]:
    try:
        return {"ok": work()}
    except Refused as refused:
        return {"refused": [_refusal(refused)]}
    except RefusedMany as many:
        return {"refused": [_refusal(refused) for refused in many.errors]}


def _refusal(refused: Refused) -> dict[str, Any]:
    value = refused.value
    scalar = value if isinstance(value, str | int | float | None) else shown(value)
    return {"path": list(refused.path), "code": refused.code, "detail": refused.detail, "value": scalar}
