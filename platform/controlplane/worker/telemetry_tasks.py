"""Periodic task of telemetry; the next one repeats whatever failed."""

import logging

from controlplane.common.celery import app
from controlplane.periodic import task_failures
from controlplane.telemetry import request_rows, storage, writer_watch

FILES = 4
"""Most files of requests per task: where one worker does both, planning waits for the task."""

logger = logging.getLogger(__name__)


@app.task(name="tercast.telemetry")  # type: ignore[untyped-decorator] # celery has no types
def export_telemetry() -> None:
    """Export request stages, check the writers, and once a day remove old data."""

    def export() -> None:
        try:
            request_rows.export(files=FILES)
        except storage.NotWritten as why:
            logger.warning("%s", why)

    steps = {"requests": export, "writers": writer_watch.look, "old days": storage.clean_daily}
    task_failures.attempt_all("tercast.telemetry", steps)
