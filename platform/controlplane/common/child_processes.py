"""Environment and end of the processes that the control plane starts."""

import ctypes
import os
import signal
from pathlib import Path

PACKAGES = Path(__file__).resolve().parents[2]
"""The folder that has this package: `platform` of a source tree, or `site-packages`."""

_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None, use_errno=True)


def die_with_parent() -> None:
    """End this process with the one that started it, however that ends. Call it in the new process."""
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def environment() -> dict[str, str]:
    """Return this process's environment, in which the project's packages can be imported.

    A child inherits the working directory too, so a relative path in a setting means the same to both.
    """
    folders = [str(PACKAGES)]
    if (PACKAGES.parent / "manage.py").is_file():  # a source tree has some packages one folder up
        folders.append(str(PACKAGES.parent))
    path = os.pathsep.join([*folders, os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    settings = os.environ.get("DJANGO_SETTINGS_MODULE", "controlplane.config.settings")
    return {**os.environ, "PYTHONPATH": path, "DJANGO_SETTINGS_MODULE": settings}
