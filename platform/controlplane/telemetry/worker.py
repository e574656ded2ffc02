"""What a Celery worker still writes when it ends."""

import logging
from typing import Any

from celery import signals

logger = logging.getLogger(__name__)


@signals.worker_shutdown.connect(weak=False)  # type: ignore[untyped-decorator] # celery has no types
def finish(**_: Any) -> None:
    """Write the snapshots that wait, and the stages reached since the last time."""
    from controlplane.telemetry import request_rows, snapshots, storage  # noqa: PLC0415

    snapshots.close()
    try:
        request_rows.export(files=1)
    except storage.NotWritten as why:
        logger.warning("%s", why)
