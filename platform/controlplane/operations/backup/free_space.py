"""Whether there is room for a backup, judged by its table of contents before any of it is unpacked."""

import shutil
from pathlib import Path

from django.conf import settings
from django.db import connection

from controlplane.operations import disk_space
from controlplane.operations.backup.archive import ArchiveReader
from controlplane.operations.backup.errors import UpkeepError

MEGABYTE = 1 << 20


def check(file: ArchiveReader) -> None:
    """Check the unpacked size of a backup against the setting and the disk of an SQLite database.

    Args:
        file: The backup. No member yields more bytes than its table of contents declares.

    Raises:
        UpkeepError: The backup is larger than either; nothing is changed.
    """
    size = -(-file.unpacked_bytes // MEGABYTE)
    most = settings.ENV.restore_megabytes
    if size > most:
        raise UpkeepError(
            f"the backup unpacks to {size:,} MiB, and a restore takes at most {most:,} MiB "
            "(TERCAST_RESTORE_MEGABYTES); nothing is changed. Raise the setting if the file is yours"
        )
    folder = _database_folder()
    if folder is None:
        return
    free = _free_bytes(folder) // MEGABYTE
    if size > free:
        raise UpkeepError(
            f"the backup unpacks to {size:,} MiB, and the disk of the database ({folder}) has {free:,} MiB "
            "free; nothing is changed. Free space, or name a database elsewhere by TERCAST_DATABASE_URL"
        )


def _database_folder() -> Path | None:
    """The nearest existing folder of an SQLite database; None for a server, whose disk is its own."""
    if connection.vendor != "sqlite":
        return None
    return disk_space.existing(Path(str(connection.settings_dict["NAME"])).absolute().parent)


def _free_bytes(folder: Path) -> int:
    return shutil.disk_usage(folder).free
