"""What all tests share."""

import gc
import signal
from collections.abc import Iterator

import pytest

from tests import property_profiles

pytest_plugins = ["tests.process_limits", "tests.processor_time", "tests.schedule", "tests.worker_redis"]

# A suite in the background was started with interrupts ignored; what its tests start would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

property_profiles.register()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection() -> Iterator[None]:
    """Spare the garbage collector what lives until the end: thousands of tests, and all modules."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()
