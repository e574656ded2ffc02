"""Log lines of every process: text for people, or one JSON object on each line for programs.

A record may have `fields`, a mapping of names to values. A filter on the handler can add names that are valid
for all current work, for example the id of a request.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Mapping
from datetime import UTC, datetime

FORMATS = ("text", "json")
FORMAT_VARIABLE = "TERCAST_LOG_FORMAT"
"""The environment variable that selects the format for all processes."""


class TextFormatter(logging.Formatter):
    """Formats `TIME LEVEL message key=value ...` on one line, with a traceback after it."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        fields = "".join(f" {key}={_plain(value)}" for key, value in fields_of(record).items())
        line = f"{iso(record.created)} {record.levelname.lower():7} {record.getMessage()}{fields}"
        return f"{line}\n{self.formatException(record.exc_info)}" if record.exc_info else line


class JsonFormatter(logging.Formatter):
    """Formats a record as one JSON object on one line."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        line = {
            "at": iso(record.created),
            "level": record.levelname.lower(),
            "logger": record.name,
            "process": os.getpid(),
            "message": record.getMessage(),
            **fields_of(record),
        }
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line, default=str)


def fields_of(record: logging.LogRecord) -> dict[str, object]:
    """Return the fields of a record."""
    fields = getattr(record, "fields", None)
    return dict(fields) if isinstance(fields, Mapping) else {}


def iso(seconds: float) -> str:
    """Format a time in seconds since 1970 as `2026-11-27T23:40:19.822Z`."""
    moment = datetime.fromtimestamp(seconds, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03d}Z"


def _plain(value: object) -> str:
    text = str(value)
    return text if text and text.isprintable() and not set(' "=') & set(text) else json.dumps(text)
