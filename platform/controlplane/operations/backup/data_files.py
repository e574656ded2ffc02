"""Data of the installation that only its owner may read."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tercast.runtime.private_files import restrict

_OF_SQLITE = ("", "-wal", "-shm", "-journal")


def data_files(env: Any) -> Iterator[Path]:
    """Yield the folders of state and telemetry, and the files of an SQLite database.

    The contents of these folders are as private as the folders, so this does not descend into them.
    """
    yield from (env.state_dir, env.telemetry_root)
    if "sqlite" in str(env.database.get("ENGINE", "")):
        for ending in _OF_SQLITE:
            yield Path(f"{env.database['NAME']}{ending}")


def correct_modes(env: Any) -> list[Path]:
    """Make data of an earlier release private, and return the changed paths."""
    return restrict(data_files(env))
