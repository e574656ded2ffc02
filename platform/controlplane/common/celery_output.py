"""Where the log is JSON: what Celery prints beside it is left out, or becomes a line of it."""

import logging
import os
from contextlib import suppress
from typing import Any

from celery import Celery, signals

from tercast.runtime.log_format import JsonFormatter

STDERR = 2


def keep_to_lines(app: Celery) -> None:
    """Workers and beat of `app` show no banner, and say that they are told to end in a line of the log."""
    app.Beat = lambda **options: _beat(app)(**{**options, "quiet": True})
    signals.celeryd_init.connect(_quiet, weak=False)


def _beat(app: Celery) -> Any:
    return app.subclass_with_self("celery.apps.beat:Beat")


def _quiet(instance: Any, **_: Any) -> None:
    from celery.apps import worker  # noqa: PLC0415 - only where a worker starts

    instance.quiet = True
    worker.safe_say = _say


def _say(message: object, stream: Any = None) -> None:
    """As a line; past logging, whose handler the signal may have come in upon."""
    record = logging.LogRecord("celery.apps.worker", logging.INFO, "", 0, str(message), None, None)
    with suppress(OSError):
        os.write(STDERR, f"{JsonFormatter().format(record)}\n".encode())
