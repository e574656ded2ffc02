"""The name of the OpenFlow library, from the environment: it is imported before options are read."""

import os
from collections.abc import Mapping

from controller_app.errors import SettingError

VARIABLE = "TERCAST_OPENFLOW_LIBRARY"
NAMES = ("ryu", "os_ken")


def read_library(environment: Mapping[str, str] = os.environ) -> str:
    """Return the package that implements OpenFlow. SettingError for an unknown name."""
    name = environment.get(VARIABLE, NAMES[0])
    if name not in NAMES:
        raise SettingError(f"{VARIABLE}: {name!r} is none of {', '.join(NAMES)}")
    return name
