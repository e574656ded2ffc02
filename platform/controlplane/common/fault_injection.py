"""Fault points for tests: a step named in the environment ends the process like `kill -9`."""

import os
import signal

VARIABLE = "TERCAST_FAULT"


def point(step: str) -> None:
    """Kill the process without clean-up if `TERCAST_FAULT` is `step`; otherwise do nothing."""
    if os.environ.get(VARIABLE) == step:
        os.kill(os.getpid(), signal.SIGKILL)
