"""Telemetry that a Celery worker writes when it ends."""

import logging
from typing import Any

from celery import signals

from controlplane.common.celery import serves
from controlplane.common.queues import DEFAULT_QUEUE, PLANNER_QUEUE
from controlplane.telemetry import request_rows, storage, table_snapshots

logger = logging.getLogger(__name__)


@signals.worker_shutdown.connect(weak=False)  # type: ignore[untyped-decorator] # celery has no types
def finish(**_: Any) -> None:
    """Write the waiting snapshots, and the request stages since the last export."""
    if not serves(PLANNER_QUEUE, DEFAULT_QUEUE):
        return

    table_snapshots.close()
    try:
        request_rows.export(files=1)
    except storage.NotWritten as why:
        logger.warning("%s", why)
