"""`manage.py check`: whether the secrets are their owner's alone."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.checks import Error, Tags, register

OTHERS = stat.S_IRWXG | stat.S_IRWXO


@register(Tags.security)
def check_secrets(app_configs: Any, **_: Any) -> list[Error]:
    """An error for each file and folder of secrets that others can read, or that is somebody else's."""
    return list(_errors(settings.ENV.secrets_dir))


def _errors(folder: Path) -> Iterator[Error]:
    paths = [folder, *sorted(folder.rglob("*"))] if folder.is_dir() else []
    for path in paths:
        found = path.stat()
        public = path.suffix == ".pem" and not path.name.endswith("-key.pem")  # certificates
        if found.st_mode & OTHERS and not public:
            wanted = "700" if path.is_dir() else "600"
            text = f"{path} can be read by others than its owner (mode {stat.S_IMODE(found.st_mode):o})"
            yield Error(text, hint=f"chmod {wanted} {path}", id="tercast.E001")
        if found.st_uid != os.geteuid():
            text = f"{path} belongs to user {found.st_uid}, and this is user {os.geteuid()}"
            yield Error(text, hint="run every process of the installation as one user", id="tercast.E002")
