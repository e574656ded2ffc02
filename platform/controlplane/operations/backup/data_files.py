"""Where the installation keeps data that only its owner may read."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tercast.runtime.private_files import restrict

_OF_SQLITE = ("", "-wal", "-shm", "-journal")


def data_files(env: Any) -> Iterator[Path]:
    """Yield the folders of state and telemetry, and the files of a SQLite database.

    What is in these folders is as private as the folder, so it is not looked at.
    """
    yield from (env.state_dir, env.telemetry_root)
    if "sqlite" in str(env.database.get("ENGINE", "")):
        for ending in _OF_SQLITE:
            yield Path(f"{env.database['NAME']}{ending}")


def correct_modes(env: Any) -> list[Path]:
    """Make the data of an earlier release private; return what was changed."""
    return restrict(data_files(env))
