"""`manage.py check`: whether secrets and data are their owner's alone."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Tags, register
from django.core.checks import Warning as CheckWarning

from controlplane.operations.backup.data_files import data_files
from tercast.runtime.private_files import OTHERS, open_to_others


@register(Tags.security)
def check_secrets(app_configs: Any, **_: Any) -> list[CheckMessage]:
    """A warning for each file and folder of secrets that others can read, or that is somebody else's."""
    return list(_errors(settings.ENV.secrets_dir))


@register(Tags.security)
def check_data(app_configs: Any, **_: Any) -> list[CheckMessage]:
    """A warning for each of state, telemetry and database that others can read."""
    return [_readable(path) for path in open_to_others(data_files(settings.ENV))]


def _readable(path: Path) -> CheckMessage:
    wanted = "700" if path.is_dir() else "600"
    mode = stat.S_IMODE(path.stat().st_mode)
    text = f"{path} can be read by others than its owner (mode {mode:o})"
    return CheckWarning(text, hint=f"chmod {wanted} {path}", id="tercast.W001")


def _errors(folder: Path) -> Iterator[CheckMessage]:
    paths = [folder, *sorted(folder.rglob("*"))] if folder.is_dir() else []
    for path in paths:
        found = path.stat()
        public = path.suffix == ".pem" and not path.name.endswith("-key.pem")  # certificates
        if found.st_mode & OTHERS and not public:
            yield _readable(path)
        if found.st_uid != os.geteuid():
            text = f"{path} belongs to user {found.st_uid}, and this is user {os.geteuid()}"
            yield CheckWarning(
                text, hint="run every process of the installation as one user", id="tercast.W002"
            )
