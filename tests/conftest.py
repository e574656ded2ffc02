"""What all tests share."""

import signal

from hypothesis import HealthCheck, settings

pytest_plugins = ["tests.processor_time", "tests.worker_redis"]

# A suite in the background was started with interrupts ignored; what its tests start would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# No test judges how long anything took: on a busy machine that says nothing of the code.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")
