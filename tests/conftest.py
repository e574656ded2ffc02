"""What all tests share."""

import signal
from pathlib import Path

import pytest

# A suite in the background was started with interrupts ignored; what its tests start would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

RUNNING = "running"
"""The fixture that is the whole platform, started once a session: tests that use it stay in one process."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """With several processes, the tests of a file stay in one, and those of the running platform do."""
    for item in items:
        together = RUNNING if RUNNING in getattr(item, "fixturenames", ()) else Path(item.path).stem
        item.add_marker(pytest.mark.xdist_group(together))
