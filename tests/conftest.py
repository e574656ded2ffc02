"""What all tests share."""

import signal

from tests import property_profiles

pytest_plugins = ["tests.process_limits", "tests.processor_time", "tests.schedule", "tests.worker_redis"]

# A suite in the background was started with interrupts ignored; what its tests start would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

property_profiles.register()
