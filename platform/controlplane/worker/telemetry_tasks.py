"""The periodic task of telemetry: thin, and made good by the next one whatever happens to it."""

import logging

from controlplane.common.celery import app
from controlplane.periodic import task_failures
from controlplane.telemetry import request_rows, storage, writer_watch

FILES = 4
"""Files of requests that one look writes at most: planning waits for it where one worker does both."""

logger = logging.getLogger(__name__)


@app.task(name="tercast.telemetry")  # type: ignore[untyped-decorator] # celery has no types
def tell() -> None:
    """Write what requests reached, look after writers, and once a day remove what is old."""

    def export() -> None:
        try:
            request_rows.export(files=FILES)
        except storage.NotWritten as why:
            logger.warning("%s", why)

    steps = {"requests": export, "writers": writer_watch.look, "old days": storage.clean_daily}
    task_failures.attempt_all("tercast.telemetry", steps)
