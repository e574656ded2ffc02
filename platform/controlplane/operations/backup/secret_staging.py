"""Staging of a backup's secrets: all are on disk before the first one is replaced.

A file `.NAME.restored` is a staged secret. No process reads such files, and no backup includes them. The next
restore removes those that a killed restore left.
"""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from controlplane.operations.backup.archive import ArchiveReader, private, sync_folder
from controlplane.operations.backup.errors import BackupError

_LEFT = re.compile(r"\..+\.(restored|\d+)")
"""Names of staged files, including those of earlier versions, which ended with a process id."""


@dataclass(frozen=True, slots=True)
class Staged:
    """Staged files, each with its final path."""

    pairs: tuple[tuple[Path, Path], ...]

    def move(self) -> None:
        """Move each file to its final path.

        Raises:
            UpkeepError: A file cannot be moved; a second restore completes the work.
        """
        try:
            for temporary, path in self.pairs:
                temporary.replace(path)
            for folder in {path.parent for _, path in self.pairs}:
                sync_folder(folder)
        except OSError as error:
            raise BackupError(
                f"all rows are restored, but not all secrets: {error}; fix this, and run the restore again"
            ) from error


@contextmanager
def staged(file: ArchiveReader, folder: Path) -> Iterator[Staged]:
    """Write the secrets of a backup next to their final paths; remove unmoved ones at the end."""
    pairs = tuple(_place(folder, name) for name in file.manifest.secrets)
    remove_left(folder)
    try:
        for (temporary, path), name in zip(pairs, file.manifest.secrets, strict=True):
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            _write(temporary, file.secret(name))
        yield Staged(pairs)
    except OSError as error:
        raise BackupError(f"the secrets cannot be written: {error}; nothing is restored") from error
    finally:
        for temporary, _ in pairs:
            temporary.unlink(missing_ok=True)


def remove_left(folder: Path) -> None:
    """Remove staged files that killed restores left."""
    for path in folder.rglob(".*"):
        if path.is_file() and _LEFT.fullmatch(path.name):
            path.unlink(missing_ok=True)


def _place(folder: Path, name: str) -> tuple[Path, Path]:
    path = (folder / name).resolve()
    if not path.is_relative_to(folder.resolve()) or path == folder.resolve():
        raise BackupError(f"the backup has a secret outside the folder of secrets: {name!r}")
    if path.is_dir():
        raise BackupError(f"{path} is a folder here, but a file in the backup; move the folder away")
    return path.with_name(f".{path.name}.restored"), path


def _write(path: Path, content: bytes) -> None:
    with private(path) as out:
        out.write(content)
        out.flush()
        os.fsync(out.fileno())
