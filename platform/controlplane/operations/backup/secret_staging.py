"""Secrets of a backup: all are on the disk beside those that they replace before the first of them does.

A file `.NAME.restored` is one that waits. Nobody reads such files, no backup takes them, and the next restore
removes what one that was killed has left.
"""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from controlplane.operations.backup.archive import ArchiveReader, private, settle
from controlplane.operations.backup.errors import UpkeepError

_LEFT = re.compile(r"\..+\.(restored|\d+)")
"""Also what earlier versions left, which named their process."""


@dataclass(frozen=True, slots=True)
class Staged:
    """Files that wait, each with the place it is for."""

    pairs: tuple[tuple[Path, Path], ...]

    def move(self) -> None:
        """Each takes its place; raises UpkeepError where one cannot, and restoring again goes on there."""
        try:
            for temporary, path in self.pairs:
                temporary.replace(path)
            for folder in {path.parent for _, path in self.pairs}:
                settle(folder)
        except OSError as error:
            raise UpkeepError(
                f"all rows are restored, and not all secrets: {error}; mend that, and run the restore again"
            ) from error


@contextmanager
def staged(file: ArchiveReader, folder: Path) -> Iterator[Staged]:
    """The secrets of a backup, waiting beside their places below `folder`; those not moved go at the end."""
    pairs = tuple(_place(folder, name) for name in file.manifest.secrets)
    remove_left(folder)
    try:
        for (temporary, path), name in zip(pairs, file.manifest.secrets, strict=True):
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            _write(temporary, file.secret(name))
        yield Staged(pairs)
    except OSError as error:
        raise UpkeepError(f"the secrets cannot be written: {error}; nothing is restored") from error
    finally:
        for temporary, _ in pairs:
            temporary.unlink(missing_ok=True)


def remove_left(folder: Path) -> None:
    """Remove what restores that were killed have left."""
    for path in folder.rglob(".*"):
        if path.is_file() and _LEFT.fullmatch(path.name):
            path.unlink(missing_ok=True)


def _place(folder: Path, name: str) -> tuple[Path, Path]:
    path = (folder / name).resolve()
    if not path.is_relative_to(folder.resolve()) or path == folder.resolve():
        raise UpkeepError(f"the backup has a secret outside its folder: {name!r}")
    if path.is_dir():
        raise UpkeepError(f"{path} is a folder here, and a file in the backup; move the folder away")
    return path.with_name(f".{path.name}.restored"), path


def _write(path: Path, content: bytes) -> None:
    with private(path) as out:
        out.write(content)
        out.flush()
        os.fsync(out.fileno())
