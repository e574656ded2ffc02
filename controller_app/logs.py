"""Log lines on stderr: text for people or JSON for programs, and nothing of the framework's own chatter."""

from __future__ import annotations

import json
import logging
import sys

from controller_app.times import iso

FOREIGN = ("ryu", "os_ken", "eventlet", "oslo_config", "routes", "webob")
"""Loggers of libraries: what they report that matters is reported by the controller in its own words."""


class TextFormatter(logging.Formatter):
    """`TIME LEVEL message key=value ...` on one line, a traceback behind it."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        fields = "".join(f" {key}={_plain(value)}" for key, value in _fields(record).items())
        line = f"{iso(record.created)} {record.levelname.lower():7} {record.getMessage()}{fields}"
        return f"{line}\n{self.formatException(record.exc_info)}" if record.exc_info else line


class JsonFormatter(logging.Formatter):
    """One JSON object a line."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        line = {
            "at": iso(record.created),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **_fields(record),
        }
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line, default=str)


def configure(form: str, level: str) -> None:
    """Sends all log lines from `level` on to stderr in the form `text` or `json`."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter() if form == "json" else TextFormatter())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    for name in FOREIGN:
        logging.getLogger(name).setLevel(logging.CRITICAL)


def _fields(record: logging.LogRecord) -> dict[str, object]:
    fields = getattr(record, "fields", None)
    return fields if isinstance(fields, dict) else {}


def _plain(value: object) -> str:
    text = str(value)
    return text if text and text.isprintable() and not set(' "=') & set(text) else json.dumps(text)
