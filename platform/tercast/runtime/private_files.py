"""Private files: the mask of new files, and the modes of existing ones."""

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

OTHERS = stat.S_IRWXG | stat.S_IRWXO
"""The mode bits that give access to the group and to others."""


def keep_private() -> None:
    """Make new files and folders of this process and its children private to their owner."""
    os.umask(OTHERS)


def open_to_others(paths: Iterable[Path]) -> Iterator[Path]:
    """Yield those of `paths` that exist and that the group or others may use."""
    for path in paths:
        try:
            mode = path.stat().st_mode
        except OSError:
            continue
        if mode & OTHERS:
            yield path


def restrict(paths: Iterable[Path]) -> list[Path]:
    """Remove access for group and others from those of `paths` that this user owns.

    Returns:
        The changed paths.
    """
    changed = []
    for path in open_to_others(paths):
        found = path.stat()
        if found.st_uid == os.geteuid():
            path.chmod(stat.S_IMODE(found.st_mode) & ~OTHERS)
            changed.append(path)
    return changed
