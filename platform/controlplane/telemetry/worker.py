"""What a Celery worker still writes when it ends."""

import logging
from typing import Any

from celery import signals

from controlplane.config.celery import serves
from controlplane.config.celery_settings import DEFAULT_QUEUE, PLANNER_QUEUE

logger = logging.getLogger(__name__)


@signals.worker_shutdown.connect(weak=False)  # type: ignore[untyped-decorator] # celery has no types
def finish(**_: Any) -> None:
    """Write the snapshots that wait, and the stages reached since the last time."""
    if not serves(PLANNER_QUEUE, DEFAULT_QUEUE):
        return
    from controlplane.telemetry import request_rows, snapshots, storage  # noqa: PLC0415

    snapshots.close()
    try:
        request_rows.export(files=1)
    except storage.NotWritten as why:
        logger.warning("%s", why)
