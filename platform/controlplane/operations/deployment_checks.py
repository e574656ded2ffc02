"""Checks of `manage.py check --deploy`: settings that other programs must also have."""

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Info, Tags, register
from django.core.checks import Warning as CheckWarning

from controlplane.network.controller_client import ControllerClient, Listening, NorthboundError

PROXY = Path("/etc/nginx/conf.d/tercast.conf")
"""Path of nginx's configuration according to docs/deploy.md."""

SECONDS = 2.0
_SERVER_NAME = re.compile(r"^\s*server_name\s+([^;]+);", re.MULTILINE)


@register(Tags.security, deploy=True)
def check_controller(app_configs: Any, **_: Any) -> list[CheckMessage]:
    """Warn if the controller does not listen at the address in `TERCAST_OPENFLOW`."""
    wanted = Listening(*settings.ENV.openflow)
    try:
        with ControllerClient(SECONDS) as northbound:
            found = northbound.listening()
    except NorthboundError as error:
        text = f"The controller at {settings.NORTHBOUND_URL} did not report its OpenFlow address: {error}"
        hint = "Start the controller or correct TERCAST_NORTHBOUND_URL, and run the check again."
        return [Info(text, hint=hint, id="tercast.I001")]
    if found == wanted:
        return []
    text = f"The controller listens at {found}, but TERCAST_OPENFLOW is {wanted}"
    hint = "Remove --openflow from its command, set TERCAST_OPENFLOW for all processes and restart them."
    return [CheckWarning(text, hint=hint, id="tercast.W003")]


@register(Tags.security, deploy=True)
def check_proxy(app_configs: Any, **_: Any) -> list[CheckMessage]:
    """Warn about each name that only one of nginx and Django accepts."""
    try:
        text = PROXY.read_text(encoding="utf-8")
    except OSError:
        return []
    served = {name for match in _SERVER_NAME.finditer(text) for name in match[1].split()}
    return list(_names(served, settings.ALLOWED_HOSTS))


def _names(served: set[str], allowed: Iterable[str]) -> Iterator[CheckMessage]:
    served = {name.removeprefix("*") for name in served}
    own = set(allowed)
    if "_" in served or "*" in own:
        return
    for name in sorted(served - own):
        hint = f"Add the name to TERCAST_ALLOWED_HOSTS, or remove it from {PROXY}."
        yield CheckWarning(f"nginx serves {name}, but Tercast answers 400", hint=hint, id="tercast.W004")
    for name in sorted(own - served - {"localhost", "127.0.0.1", "[::1]"}):
        hint = f"Add the name to server_name in {PROXY}, or remove it from TERCAST_ALLOWED_HOSTS."
        yield CheckWarning(f"nginx does not serve {name}", hint=hint, id="tercast.W005")


@register(Tags.security, deploy=True)
def check_telemetry(app_configs: Any, **_: Any) -> list[CheckMessage]:
    """Warn if this user cannot write telemetry below its root."""
    root: Path = settings.ENV.telemetry_root
    there = next(path for path in (root, *root.parents) if path.exists())
    if os.access(there, os.W_OK | os.X_OK):
        return []
    text = f"Telemetry cannot be written to {root}: this user has no write access to {there}"
    hint = "Create the folder for the user of the units, and add it to ReadWritePaths= of the units."
    return [CheckWarning(text, hint=hint, id="tercast.W006")]
