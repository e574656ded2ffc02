"""Progress of a job for other processes: a small JSON file that is replaced as a whole."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any

from py4j.protocol import Py4JError
from pyspark.sql import SparkSession

PERIOD = 0.5
"""Seconds between two checks of Spark's tasks."""


class JobProgress:
    """Writes `{"stage": ..., "done": ..., "of": ...}` to a file, if it has a path.

    `done` and `of` count the tasks of Spark's active stages; both are null if there are none.
    """

    def __init__(self, path: str | None) -> None:
        self._path = Path(path) if path else None
        self._stage = "starting"

    def stage(self, name: str) -> None:
        """Start a stage."""
        self._stage = name
        self._write(None, None)

    def refused(self, code: str, detail: str) -> None:
        """Record why the job ends early; `code` is for programs."""
        self._write_all({"stage": self._stage, "code": code, "detail": detail})

    @contextmanager
    def watching(self, spark: SparkSession) -> Iterator[None]:
        """Write the numbers of tasks periodically while the block runs."""
        over = Event()
        watcher = Thread(target=self._watch, args=(spark, over), daemon=True)
        if self._path is not None:
            watcher.start()
        try:
            yield
        finally:
            over.set()
            if watcher.is_alive():
                watcher.join()

    def _watch(self, spark: SparkSession, over: Event) -> None:
        tracker = spark.sparkContext.statusTracker()
        while not over.wait(PERIOD):
            try:
                infos = [tracker.getStageInfo(number) for number in tracker.getActiveStageIds()]
            except (ConnectionError, Py4JError):
                return  # Java has ended, which the thread of the job reports
            known = [info for info in infos if info is not None]
            if known:
                self._write(sum(i.numCompletedTasks for i in known), sum(i.numTasks for i in known))

    def _write(self, done: int | None, of: int | None) -> None:
        self._write_all({"stage": self._stage, "done": done, "of": of})

    def _write_all(self, what: dict[str, Any]) -> None:
        if self._path is None:
            return
        part = self._path.with_name(f".{self._path.name}.{os.getpid()}")
        part.write_text(json.dumps(what), encoding="utf-8")
        part.replace(self._path)
