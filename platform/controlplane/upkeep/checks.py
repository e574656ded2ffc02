"""`manage.py check`: whether the secrets are their owner's alone."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Tags, register
from django.core.checks import Warning as CheckWarning

OTHERS = stat.S_IRWXG | stat.S_IRWXO


@register(Tags.security)
def check_secrets(app_configs: Any, **_: Any) -> list[CheckMessage]:
    """A warning for each file and folder of secrets that others can read, or that is somebody else's."""
    return list(_errors(settings.ENV.secrets_dir))


def _errors(folder: Path) -> Iterator[CheckMessage]:
    paths = [folder, *sorted(folder.rglob("*"))] if folder.is_dir() else []
    for path in paths:
        found = path.stat()
        public = path.suffix == ".pem" and not path.name.endswith("-key.pem")  # certificates
        if found.st_mode & OTHERS and not public:
            wanted = "700" if path.is_dir() else "600"
            text = f"{path} can be read by others than its owner (mode {stat.S_IMODE(found.st_mode):o})"
            yield CheckWarning(text, hint=f"chmod {wanted} {path}", id="tercast.W001")
        if found.st_uid != os.geteuid():
            text = f"{path} belongs to user {found.st_uid}, and this is user {os.geteuid()}"
            yield CheckWarning(
                text, hint="run every process of the installation as one user", id="tercast.W002"
            )
