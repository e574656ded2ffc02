"""Start of a command, with a message that names a missing third-party package."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module

REFUSED = 2

_OWN = ("tercast", "controlplane", "controller_app", "mininet_labs", "analytics")
_CORE = ("numpy",)
_EXTRAS = {"pyarrow": "client", "cryptography": "controller"}
"""The extra for a package (by import name) that commands of the core need only sometimes."""


def start(module: str, program: str, extra: str = "") -> int:
    """Import `module` and call its `main`; a missing package results in one sentence on stderr.

    Args:
        module: name of the module.
        program: name of the command for the message.
        extra: the extra of Tercast that installs what the command needs; empty for commands of the core.

    Returns:
        The exit status of `main`, or 2 where a package is missing.
    """
    return call(lambda: import_module(module).main(), program, extra)


def call(main: Callable[[], int | None], program: str, extra: str = "") -> int:
    """Call `main`, and handle missing packages like `start`."""
    try:
        return main() or 0
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if not package or package in _OWN or package in sys.stdlib_module_names:
            raise
        print(f"{program}: {_remedy(package, extra)}", file=sys.stderr)
        return REFUSED


def _remedy(package: str, extra: str) -> str:
    extra = "" if package in _CORE else extra or _EXTRAS.get(package, "")
    what = f"'.[{extra}]'" if extra else "."
    return (
        f"the Python package {package} is not installed. Run `{sys.executable} -m pip install {what}` "
        "in the folder of Tercast's source, or `make setup` for a development environment."
    )
