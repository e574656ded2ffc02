"""Check of free space for a restore, from the table of contents, before unpacking."""

import shutil
from pathlib import Path

from django.conf import settings
from django.db import connection

from controlplane.operations import disk_space
from controlplane.operations.backup.archive import ArchiveReader
from controlplane.operations.backup.errors import BackupError

MEGABYTE = 1 << 20


def check(file: ArchiveReader) -> None:
    """Check a backup's unpacked size against the setting and the disk of an SQLite database.

    Args:
        file: The backup. No member yields more bytes than its table of contents declares.

    Raises:
        UpkeepError: The backup is larger than one of them; nothing is changed.
    """
    size = -(-file.unpacked_bytes // MEGABYTE)
    most = settings.ENV.restore_megabytes
    if size > most:
        raise BackupError(
            f"the backup unpacks to {size:,} MiB, but a restore accepts at most {most:,} MiB "
            "(TERCAST_RESTORE_MEGABYTES); nothing is changed. If you trust the file, raise the setting"
        )
    folder = _database_folder()
    if folder is None:
        return
    free = _free_bytes(folder) // MEGABYTE
    if size > free:
        raise BackupError(
            f"the backup unpacks to {size:,} MiB, but the disk of the database ({folder}) has {free:,} MiB "
            "free; nothing is changed. Free space, or set TERCAST_DATABASE_URL to a database on another disk"
        )


def _database_folder() -> Path | None:
    """Return the nearest existing folder of an SQLite database; None for PostgreSQL."""
    if connection.vendor != "sqlite":
        return None
    return disk_space.existing(Path(str(connection.settings_dict["NAME"])).absolute().parent)


def _free_bytes(folder: Path) -> int:
    return shutil.disk_usage(folder).free
