"""Runs experiments one seed after the other, and keeps what is finished.

The rows of a seed are stored in a file as soon as they are complete. A later run reads it again if the
parameters and the source of the code are the same. One process measures at a time.
"""

from __future__ import annotations

import ast
import fcntl
import hashlib
import json
import os
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from mininet_labs.errors import LabError
from mininet_labs.figures.figure import Experiment, PaperFigure, Requirement, Size
from mininet_labs.figures.machine import describe
from mininet_labs.figures.results import ROOT, SeedRun

SOURCES = ("platform/tercast", "mininet_labs/figures/experiments", "mininet_labs/figures/workloads")
"""Folders whose code determines rows."""

MEASURING = ("mininet_labs.figures.experiments", "mininet_labs.figures.workloads")
"""Packages whose modules determine the rows of the experiments that import them."""


@dataclass(slots=True)
class SeedSchedule:
    """Experiments with their seeds, and the expected time of what remains."""

    size: Size
    folder: Path
    again: bool
    report: Callable[[str], None]
    seeds: tuple[int, ...] = ()
    done: list[SeedRun] = field(default_factory=list)

    def run(self, experiments: Sequence[Experiment]) -> Iterator[SeedRun]:
        """Yield the run of each seed of each experiment, stored or new."""
        tasks = [(one, seed) for one in experiments for seed in self._seeds(one)]
        waiting = [task for task in tasks if self._stored(*task) is None]
        ahead = sum(self._expected(one) for one, _ in waiting)
        pace, spent, expected = 1.0, 0.0, 0.0
        for number, (one, seed) in enumerate(tasks, 1):
            found = self._stored(one, seed)
            if found is None:
                left = max(0.0, ahead - expected) * pace
                self.report(f"[{number}/{len(tasks)}] {one.name}, seed {seed}; {_minutes(left)} remaining")
                found = self._measure(one, seed)
                expected += self._expected(one)
                spent += found.circumstances["seconds"]
                pace = spent / expected if expected else 1.0
            yield found

    def _seeds(self, experiment: Experiment) -> tuple[int, ...]:
        return self.seeds or experiment.seeds[self.size]

    def _expected(self, experiment: Experiment) -> float:
        return experiment.seconds[self.size] / len(experiment.seeds[self.size])

    def _path(self, experiment: Experiment, seed: int) -> Path:
        return self.folder / self.size.value / experiment.name / f"{seed}.json"

    def _stored(self, experiment: Experiment, seed: int) -> SeedRun | None:
        path = self._path(experiment, seed)
        if self.again and not any((run.experiment, run.seed) == (experiment.name, seed) for run in self.done):
            return None
        if not path.is_file():
            return None
        found = json.loads(path.read_text(encoding="utf-8"))
        same_code = found["code"] == code_digest(experiment)
        same_values = _values(found["parameters"]) == _values(_parameters(experiment, self.size))
        if not (same_code and same_values):
            return None
        return SeedRun(experiment.name, seed, tuple(found["rows"]), found["circumstances"])

    def _measure(self, experiment: Experiment, seed: int) -> SeedRun:
        machine, started = describe(), datetime.now(UTC).isoformat(timespec="seconds")
        clock, processor = time.perf_counter(), time.process_time()
        rows = tuple(experiment.measure(self.size, seed))
        circumstances = {
            "started": started,
            "seconds": round(time.perf_counter() - clock, 1),
            "processor_seconds": round(time.process_time() - processor, 1),
            "load_before": machine["load_average"][0],
            "load_after": round(os.getloadavg()[0], 2),
            "commit": commit(),
            **{key: value for key, value in machine.items() if key not in ("started", "load_average")},
        }
        found = SeedRun(experiment.name, seed, rows, circumstances)
        self._store(experiment, found)
        self.done.append(found)
        return found

    def _store(self, experiment: Experiment, run: SeedRun) -> None:
        path = self._path(experiment, run.seed)
        path.parent.mkdir(parents=True, exist_ok=True)
        found = {
            "code": code_digest(experiment),
            "parameters": _parameters(experiment, self.size),
            "circumstances": dict(run.circumstances),
            "rows": run.rows,
        }
        part = path.with_suffix(".part")
        part.write_text(json.dumps(found), encoding="utf-8")
        part.replace(path)


def experiments_of(figures: Sequence[PaperFigure]) -> list[Experiment]:
    """Return the experiments of figures, each once, in their order."""
    return list({one.name: one for figure in figures for one in figure.experiments}.values())


def missing(experiment: Experiment, real: bool) -> str:
    """Return why an experiment cannot run here; empty if it can."""
    if experiment.requirement is Requirement.NOTHING:
        return ""
    if experiment.requirement is Requirement.FABRIC:
        return "" if describe()["open_vswitch"] else "Open vSwitch is not installed"
    if not real:
        return "needs Mininet; run it with --real"
    return "" if os.geteuid() == 0 else "needs root for Mininet"


@contextmanager
def only_one(folder: Path) -> Iterator[None]:
    """Hold the lock of the measuring process.

    Raises:
        LabError: Another process measures.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise LabError(
                str(folder), "another process measures figures", "wait until it has finished"
            ) from None
        yield


def code_digest(experiment: Experiment) -> str:
    """Return a digest of the source code that determines the rows of an experiment."""
    return _digest(experiment.measure.__module__)


@cache
def _digest(module: str) -> str:
    digest = hashlib.sha256()
    core = sorted((ROOT / "platform" / "tercast").rglob("*.py"))
    for path in [*core, *sorted(_imported(module, set()))]:
        digest.update(path.relative_to(ROOT).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _imported(module: str, found: set[Path]) -> set[Path]:
    """Return the files of a module and of all that it imports from `MEASURING`."""
    path = ROOT / f"{module.replace('.', '/')}.py"
    if module.startswith(MEASURING) and path.is_file() and path not in found:
        found.add(path)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                _imported(node.module, found)
    return found


@cache
def commit() -> str:
    """Return the commit, with `+` if sources have changed since; empty outside a checkout."""
    head = _git("rev-parse", "--short=12", "HEAD")
    return head and head + ("+" if _git("status", "--porcelain", "--", *SOURCES) else "")


def _git(*arguments: str) -> str:
    try:
        done = subprocess.run(
            ["git", "-C", str(ROOT), *arguments], capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return ""
    return done.stdout.strip()


def _parameters(experiment: Experiment, size: Size) -> Any:
    return json.loads(json.dumps([choice.to_json() for choice in experiment.choices(size)]))


def _values(parameters: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the values by name; a reason may be rewritten without a new run."""
    return {row["name"]: row["value"] for row in parameters}


def _minutes(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"
