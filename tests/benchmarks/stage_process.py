"""Run a module as a program, and record how long each stage of a request takes in it.

    python stage_process.py FILE MODULE [ARGUMENT ...]

Each line of FILE is a JSON list: stage, start and end (monotonic clock, s), own time, and own processor time
of the thread (s). The own time of a stage excludes the stages within it.
"""

from __future__ import annotations

import json
import os
import runpy
import sys
import threading
from collections.abc import Callable
from functools import wraps
from importlib import import_module
from inspect import iscoroutinefunction
from pathlib import Path
from time import monotonic, thread_time
from typing import Any

ROOT = Path(__file__).resolve().parents[2]

STAGES = {
    "uvicorn": {
        "call": "controlplane.rest.size_limits:Intake.__call__",
        "view": "controlplane.rest.base_views:StrictView.dispatch",
        "authenticated": "rest_framework.request:Request._authenticate",
        "parsed": "rest_framework.request:Request._parse",
        "encoded": "controlplane.registry.encoding:Encoder.encode",
        "logged": "controlplane.requestlog.append:submit",
        "committed": "django.db.transaction:Atomic.__exit__",
        "wake-up sent": "controlplane.common.wakeups:send",
        "waited": "controlplane.rest.prefer_header:Wait.until",
    },
    "celery": {
        "session": "controlplane.deployment.session:run",
        "taken": "controlplane.deployment.batches:start_batch",
        "planned": "controlplane.deployment.plan_batch:_apply",
        "verified": "controlplane.planning.table_prover:Prover.prove",
        "checked for room": "controlplane.deployment.feasibility:check",
        "projected": "controlplane.planning.projections:PlanProjections.compute",
        "decided": "controlplane.deployment.session:_decide",
        "sent and confirmed": "controlplane.network.controller_client:ControllerClient.change",
        "entries recorded": "controlplane.deployment.confirmations:pushed",
        "settled": "controlplane.deployment.confirmations:finish",
        "snapshot": "controlplane.planning.planner_state:keep_snapshot",
        "repaired": "controlplane.deployment.reconcile:run",
        "committed": "django.db.transaction:Atomic.__exit__",
    },
}
"""Functions by stage and program. A name that no longer exists is an error."""


class Recorder:
    """Spans of one process, written line by line."""

    def __init__(self, path: str) -> None:
        self._file = Path(f"{path}.{os.getpid()}").open("a", encoding="ascii")  # noqa: SIM115 - until the end
        self._within = threading.local()
        self._lock = threading.Lock()

    def wrap(self, stage: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return `function` with a record of each call; a coroutine has no stages within it."""
        if iscoroutinefunction(function):

            @wraps(function)
            async def timed_coroutine(*args: Any, **kwargs: Any) -> Any:
                start = monotonic()
                try:
                    return await function(*args, **kwargs)
                finally:
                    end = monotonic()
                    self._write(stage, start, end, end - start, 0.0)

            return timed_coroutine

        @wraps(function)
        def timed(*args: Any, **kwargs: Any) -> Any:
            outer = getattr(self._within, "inner", None)
            self._within.inner = inner = [0.0, 0.0]
            start, cpu = monotonic(), thread_time()
            try:
                return function(*args, **kwargs)
            finally:
                took, cpu_took, end = monotonic() - start, thread_time() - cpu, monotonic()
                self._within.inner = outer
                if outer is not None:
                    outer[0] += took
                    outer[1] += cpu_took
                self._write(stage, start, end, took - inner[0], cpu_took - inner[1])

        return timed

    def _write(self, *span: Any) -> None:
        with self._lock:
            self._file.write(json.dumps(span) + "\n")
            self._file.flush()


def install(path: str, program: str) -> None:
    """Wrap the functions of all stages of a program."""
    import django  # noqa: PLC0415 - after the path is set

    django.setup()
    recorder = Recorder(path)
    for stage, name in STAGES[program].items():
        module, _, inner = name.partition(":")
        owner: Any = import_module(module)
        *classes, attribute = inner.split(".")
        for one in classes:
            owner = getattr(owner, one)
        setattr(owner, attribute, recorder.wrap(stage, owner.__dict__[attribute]))


_FILE, _MODULE = sys.argv[1:3]
sys.path[:0] = [str(ROOT / "platform"), str(ROOT)]
os.environ["DJANGO_SETTINGS_MODULE"] = "controlplane.config.settings"
install(_FILE, _MODULE)  # also in each child process, which imports this module again
if __name__ == "__main__":
    sys.argv[:] = sys.argv[2:]
    runpy.run_module(_MODULE, run_name="__main__", alter_sys=False)
