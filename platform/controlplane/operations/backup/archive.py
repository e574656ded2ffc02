"""The backup file: a zip with a manifest, the rows of each model, and the secrets.

The manifest is written last, and the file appears complete or not at all. So a file that can be opened is
Rows are JSON lines.
complete, and the checksums of the zip detect later damage.
"""

import json
import os
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import IO, Any, Self

from controlplane.operations.backup.errors import BackupError

FORMAT = "backup/1"
_MANIFEST = "manifest.json"

_DAMAGED = (KeyError, ValueError, OSError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error)
"""Errors of reading a damaged zip; RuntimeError if it is encrypted, or its JSON is nested too deeply."""

MOST_ROW_BYTES = 256 * 1024 * 1024
"""Limit of one row; the largest rows are planner snapshots, about 20 MB for 100,000 subscriptions."""

MOST_SMALL_BYTES = 16 * 1024 * 1024
"""Limit of the manifest and of each secret."""

_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Allowed compression methods; with others (LZMA) the file chooses how much memory unpacking takes."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """Contents of a backup: rows and last id by table; the migrations have the form `app.name`."""

    version: str
    created_at: datetime
    vendor: str
    migrations: tuple[str, ...]
    rows: dict[str, int]
    last_ids: dict[str, int]
    secrets: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the manifest as in the file."""
        return {
            "format": FORMAT,
            "version": self.version,
            "created_at": self.created_at.isoformat(),
            "vendor": self.vendor,
            "migrations": list(self.migrations),
            "rows": self.rows,
            "last_ids": self.last_ids,
            "secrets": list(self.secrets),
        }

    @classmethod
    def from_json(cls, found: dict[str, Any]) -> Self:
        """Parse the JSON of a file.

        Raises:
            KeyError, TypeError, ValueError: The value is not a manifest.
        """
        return cls(
            version=str(found["version"]),
            created_at=_time(found["created_at"]),
            vendor=str(found["vendor"]),
            migrations=_texts(found["migrations"]),
            rows=_numbers(found["rows"]),
            last_ids=_numbers(found["last_ids"]),
            secrets=_texts(found["secrets"]),
        )


class ArchiveWriter:
    """Writer of a backup file."""

    def __init__(self, file: zipfile.ZipFile) -> None:
        self._file = file

    def table(self, name: str, columns: list[str], rows: Iterable[list[Any]]) -> int:
        """Write a table and return the number of its rows."""
        count = 0
        with self._file.open(f"tables/{name}.jsonl", "w", force_zip64=True) as out:
            out.write(_line(columns))
            for row in rows:
                out.write(_line(row))
                count += 1
        return count

    def secret(self, name: str, content: bytes) -> None:
        """Write a secret."""
        self._file.writestr(f"secrets/{name}", content)

    def manifest(self, manifest: Manifest) -> None:
        """Write the manifest, which must be the last part."""
        self._file.writestr(_MANIFEST, json.dumps(manifest.to_json(), indent=1))


class ArchiveReader:
    """Reader of a backup file; every method raises UpkeepError if the file is damaged."""

    def __init__(self, path: Path, file: zipfile.ZipFile) -> None:
        self._path, self._file = path, file
        for member in file.infolist():
            if member.compress_type not in _METHODS:
                raise self._damaged(member.filename, f"compression method {member.compress_type} is unknown")
        self.manifest = self._manifest()

    @property
    def unpacked_bytes(self) -> int:
        """The declared size of all members, which reading never exceeds."""
        return sum(member.file_size for member in self._file.infolist())

    def table(self, name: str) -> tuple[list[str], Iterator[list[Any]]]:
        """Return the columns and the rows of a table."""
        lines = self._lines(f"tables/{name}.jsonl")
        return next(lines, []), lines

    def secret(self, name: str) -> bytes:
        """Return the content of a secret."""
        try:
            return _read(self._file, f"secrets/{name}")
        except _DAMAGED as error:
            raise self._damaged(f"secrets/{name}", error) from None

    def check(self) -> None:
        """Read the complete file; check that all secrets, tables and rows are there."""
        for table, expected in self.manifest.rows.items():
            columns, rows = self.table(table)
            if not isinstance(columns, list) or not all(isinstance(each, str) for each in columns):
                raise self._damaged(f"tables/{table}.jsonl", "its first line is not a list of columns")
            count = 0
            for row in rows:
                count += 1
                if not isinstance(row, list) or len(row) != len(columns):
                    raise self._damaged(f"tables/{table}.jsonl", f"row {count} does not match the columns")
            if count != expected:
                raise self._damaged(
                    f"tables/{table}.jsonl", f"{table} has {count} rows instead of {expected}"
                )
        for name in self.manifest.secrets:
            self.secret(name)

    def _damaged(self, where: str, why: object) -> BackupError:
        return BackupError(
            f"{self._path} is damaged at {where}: {why}; nothing is changed, use another backup"
        )

    def _manifest(self) -> Manifest:
        try:
            found = json.loads(_read(self._file, _MANIFEST))
            if found["format"] != FORMAT:
                raise BackupError(
                    f"{self._path} has the format {found['format']!r}, but this version reads {FORMAT!r}; "
                    "restore it with the version that created it"
                )
            return Manifest.from_json(found)
        except (TypeError, *_DAMAGED) as error:
            raise BackupError(
                f"{self._path} is not a backup: its manifest cannot be read ({error})"
            ) from None

    def _lines(self, member: str) -> Iterator[list[Any]]:
        try:
            with self._file.open(member) as file:
                while line := file.readline(MOST_ROW_BYTES + 1):
                    if len(line) > MOST_ROW_BYTES:
                        raise ValueError(f"a row has more than {MOST_ROW_BYTES} bytes")
                    yield json.loads(line)
        except _DAMAGED as error:
            raise self._damaged(member, error) from None


@contextmanager
def writing(path: Path, replace: bool = False) -> Iterator[ArchiveWriter]:
    """Write a new private backup; it replaces `path` when it is completely on disk."""
    if path.exists() and not replace:
        raise BackupError(f"{path} already exists; choose another file, or remove this one first")
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with private(temporary) as file:
            with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=3) as archive:
                yield ArchiveWriter(archive)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
        sync_folder(path.parent)
    except OSError as error:
        raise BackupError(f"{path} cannot be written: {error.strerror or error}") from error
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def reading(path: Path) -> Iterator[ArchiveReader]:
    """Open an existing backup."""
    try:
        archive = zipfile.ZipFile(path)
    except _DAMAGED as error:
        reason = getattr(error, "strerror", None) or f"it is not a backup, or not a complete one ({error})"
        raise BackupError(f"{path} cannot be read: {reason}") from None
    with archive:
        yield ArchiveReader(path, archive)


def private(path: Path) -> IO[bytes]:
    """Create a file that only its owner can read and write, and open it."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    return os.fdopen(descriptor, "w+b")


def sync_folder(folder: Path) -> None:
    """Write the names in a folder to the disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _read(file: zipfile.ZipFile, member: str) -> bytes:
    """Return a small member.

    Raises:
        ValueError: The member is too large; it is not unpacked.
    """
    size = file.getinfo(member).file_size
    if size > MOST_SMALL_BYTES:
        raise ValueError(f"it has {size} bytes; the limit is {MOST_SMALL_BYTES}")
    return file.read(member)


def _texts(found: Any) -> tuple[str, ...]:
    if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
        raise ValueError("expected a list of texts")
    return tuple(found)


def _time(found: Any) -> datetime:
    time = datetime.fromisoformat(found)
    if time.tzinfo is None or time.year > 9000:
        raise ValueError("expected a time with a UTC offset")
    return time


def _numbers(found: Any) -> dict[str, int]:
    if not isinstance(found, dict) or not all(type(each) is int for each in found.values()):
        raise ValueError("expected an object of whole numbers")
    return dict(found)


def _line(values: list[Any]) -> bytes:
    return json.dumps(values, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"
