"""Conversion of Celery's own output to log lines, if the log format is JSON."""

import logging
import os
from contextlib import suppress
from typing import Any

from celery import Celery, signals

from tercast.runtime.log_format import JsonFormatter

STDERR = 2


def keep_to_lines(app: Celery) -> None:
    """Disable the banner of workers and beat of `app`, and log the notice of their shutdown."""
    app.Beat = lambda **options: _beat(app)(**{**options, "quiet": True})
    signals.celeryd_init.connect(_quiet, weak=False)


def _beat(app: Celery) -> Any:
    return app.subclass_with_self("celery.apps.beat:Beat")


def _quiet(instance: Any, **_: Any) -> None:
    from celery.apps import worker  # noqa: PLC0415 - only needed when a worker starts

    instance.quiet = True
    worker.safe_say = _say


def _say(message: object, stream: Any = None) -> None:
    """Write a log line without `logging`, because the signal may have interrupted its handler."""
    record = logging.LogRecord("celery.apps.worker", logging.INFO, "", 0, str(message), None, None)
    with suppress(OSError):
        os.write(STDERR, f"{JsonFormatter().format(record)}\n".encode())
