"""Name of the OpenFlow library, read before it is imported."""

import os
from collections.abc import Mapping

from controller_app.errors import SettingError

VARIABLE = "TERCAST_OPENFLOW_LIBRARY"
NAMES = ("ryu", "os_ken")


def read_library(environment: Mapping[str, str] = os.environ) -> str:
    """Return the package that implements OpenFlow.

    Raises:
        SettingError: The environment has an unknown name.
    """
    name = environment.get(VARIABLE, NAMES[0])
    if name not in NAMES:
        raise SettingError(f"{VARIABLE}: unknown library {name!r}; use one of {', '.join(NAMES)}")
    return name
