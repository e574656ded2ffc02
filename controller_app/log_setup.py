"""Log lines on stderr: text for people or JSON for programs, and nothing of the framework's own chatter."""

from __future__ import annotations

import logging
import sys

from tercast.runtime.log_format import JsonFormatter, TextFormatter

FOREIGN = ("ryu", "os_ken", "eventlet", "oslo_config", "routes", "webob")
"""Loggers of libraries: what they report that matters is reported by the controller in its own words."""


def configure(form: str, level: str) -> None:
    """Sends all log lines from `level` on to stderr in the form `text` or `json`."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter() if form == "json" else TextFormatter())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    for name in FOREIGN:
        logging.getLogger(name).setLevel(logging.CRITICAL)
