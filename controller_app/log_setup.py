"""Log lines on stderr, as text or JSON, without the log lines of the framework."""

from __future__ import annotations

import logging
import sys

from tercast.runtime.log_format import JsonFormatter, TextFormatter

FOREIGN = ("ryu", "os_ken", "eventlet", "oslo_config", "routes", "webob")
"""Loggers of libraries. They are off: the controller logs what matters of their messages itself."""


def configure(form: str, level: str) -> None:
    """Send all log lines from `level` up to stderr, in the format `text` or `json`."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter() if form == "json" else TextFormatter())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    for name in FOREIGN:
        logging.getLogger(name).setLevel(logging.CRITICAL)
