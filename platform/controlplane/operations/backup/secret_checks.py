"""Checks of `manage.py check`: only the owner can read secrets and data."""

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
    """Warn about each file and folder of secrets that other users can read or own."""
    return list(_errors(settings.ENV.secrets_dir))


@register(Tags.security)
def check_data(app_configs: Any, **_: Any) -> list[CheckMessage]:
    """Warn about state, telemetry and database files that other users can read."""
    return [_readable(path) for path in open_to_others(data_files(settings.ENV))]


def _readable(path: Path) -> CheckMessage:
    wanted = "700" if path.is_dir() else "600"
    mode = stat.S_IMODE(path.stat().st_mode)
    text = f"{path} can be read by users other than its owner (mode {mode:o})"
    return CheckWarning(text, hint=f"chmod {wanted} {path}", id="tercast.W001")


def _errors(folder: Path) -> Iterator[CheckMessage]:
    paths = [folder, *sorted(folder.rglob("*"))] if folder.is_dir() else []
    for path in paths:
        found = path.stat()
        public = path.suffix == ".pem" and not path.name.endswith("-key.pem")  # certificates
        if found.st_mode & OTHERS and not public:
            yield _readable(path)
        if found.st_uid != os.geteuid():
            text = f"{path} belongs to user {found.st_uid}, but this process runs as user {os.geteuid()}"
            yield CheckWarning(
                text, hint="run every process of the installation as one user", id="tercast.W002"
            )
