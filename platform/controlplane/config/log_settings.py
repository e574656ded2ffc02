"""Logging of the control plane: lines of text or JSON on standard error, with context."""

import logging
from typing import Any

from tercast.runtime.log_format import fields_of

CHATTY = (
    "httpx",
    "celery.beat",
    "django_celery_beat",
    "celery.worker.strategy",
    "celery.worker.request",
    "celery.app.trace",
)
"""Loggers with a line for every wake-up, of which there are several per second."""

_TEXT = "{asctime} {levelname} {name} [{request_id}] {message}"


class LineFormatter(logging.Formatter):
    """One line of text: the request's id, the message, and its fields."""

    def __init__(self) -> None:
        super().__init__(_TEXT, style="{")

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - the standard library's name
        """Return the line without a traceback."""
        fields = (f" {key}={value}" for key, value in fields_of(record).items() if key != "request_id")
        return super().formatMessage(record) + "".join(fields)


def logging_settings(form: str, level: str) -> dict[str, Any]:
    """Return the logging settings of all Django processes, including web servers and workers."""
    formatters = {
        "text": {"()": "controlplane.config.log_settings.LineFormatter"},
        "json": {"()": "tercast.runtime.log_format.JsonFormatter"},
    }
    through: dict[str, Any] = {"handlers": [], "propagate": True}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {"context": {"()": "controlplane.requestlog.log_filter.ContextFilter"}},
        "formatters": {"line": formatters[form]},
        "handlers": {
            "console": {"class": "logging.StreamHandler", "filters": ["context"], "formatter": "line"},
        },
        "root": {"handlers": ["console"], "level": level.upper()},
        "loggers": {
            "django": through,
            "uvicorn": through,
            "uvicorn.error": through,
            "uvicorn.access": through,
            **{name: {**through, "level": "WARNING"} for name in CHATTY},
        },
    }
