"""Parts of a benchmark in separate processes, with separate memory, and limits on memory."""

from __future__ import annotations

import ctypes
import gc
import json
import multiprocessing
import resource
import subprocess
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from time import perf_counter
from typing import Any

_PAGE = resource.getpagesize()


class ChildFailed(Exception):
    """A part of the benchmark ended without a result."""


def result_of(script: str, *options: object) -> dict[str, Any]:
    """Run another benchmark of this folder as a program, and return its result; raises ChildFailed."""
    command = [sys.executable, str(Path(__file__).with_name(script)), *map(str, options)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ChildFailed(done.stderr.strip().rpartition("\n")[2] or f"status {done.returncode}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def in_child(function: Callable[..., Any], *args: Any, address_space_mib: int | None = None) -> Any:
    """Return `function(*args)`, called in a fork; `address_space_mib` limits its memory."""
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe(duplex=False)
    child = context.Process(target=_call, args=(there, address_space_mib, function, args))
    child.start()
    there.close()
    try:
        ok, result = here.recv()
    except EOFError:
        child.join()
        raise ChildFailed(f"{function.__name__}{args}: exit code {child.exitcode}") from None
    child.join()
    if not ok:
        raise ChildFailed(result)
    return result


def _call(
    pipe: Connection, address_space_mib: int | None, function: Callable[..., Any], args: tuple[Any, ...]
) -> None:
    if address_space_mib is not None:
        size = address_space_mib << 20
        resource.setrlimit(resource.RLIMIT_AS, (size, size))
    try:
        answer = True, function(*args)
    except Exception:
        answer = False, traceback.format_exc()
    pipe.send(answer)


def rss_mib() -> float:
    """Return the resident memory of this process."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * _PAGE / (1 << 20)


def settled_rss_mib() -> float:
    """Return the resident memory after garbage collection, when free memory was returned."""
    gc.collect()
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)  # a function of glibc
    return rss_mib()


def peak_rss_mib() -> float:
    """Return the highest resident memory of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


@dataclass(slots=True)
class Guard:
    """Limits of memory and time for a growing case."""

    memory_mib: int
    seconds: float
    spent: float = 0.0

    def reason(self, deployed: int) -> str | None:
        """Return why the case ends here; None if it may continue."""
        if rss_mib() > self.memory_mib:
            return f"memory guard of {self.memory_mib} MiB at {deployed} deployed"
        if self.spent > self.seconds:
            return f"limit of {self.seconds:g} s for growing at {deployed} deployed"
        return None


def log(text: str, _start: float = perf_counter()) -> None:
    """Print a line of progress on standard error."""
    print(f"[{perf_counter() - _start:6.1f} s] {text}", file=sys.stderr, flush=True)
