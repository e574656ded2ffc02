"""Files that their owner alone reads: the mask of new ones, and the modes of those that exist."""

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

OTHERS = stat.S_IRWXG | stat.S_IRWXO
"""The bits of a mode that let group and others in."""


def keep_private() -> None:
    """From now on, files and folders that this process and its children make are their owner's alone."""
    os.umask(OTHERS)


def open_to_others(paths: Iterable[Path]) -> Iterator[Path]:
    """Yield those of `paths` that exist and that group or others may use."""
    for path in paths:
        try:
            mode = path.stat().st_mode
        except OSError:
            continue
        if mode & OTHERS:
            yield path


def restrict(paths: Iterable[Path]) -> list[Path]:
    """Take group's and others' rights from those of `paths` that this user owns; return the changed ones."""
    changed = []
    for path in open_to_others(paths):
        found = path.stat()
        if found.st_uid == os.geteuid():
            path.chmod(stat.S_IMODE(found.st_mode) & ~OTHERS)
            changed.append(path)
    return changed
