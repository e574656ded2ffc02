"""A broker that is a folder: kombu's file-system transport, made safe against kills and slow writers.

A message is a file. It appears complete (written beside, then renamed) and belongs to whoever unlinks it, so
that neither a half-written nor a doubly read one is ever seen, and a killed process leaves no lock behind.
"""

import json
import os
import time
from pathlib import Path
from queue import Empty
from typing import Any

from kombu.transport import TRANSPORT_ALIASES, filesystem

SCHEME = "folder"
LONGEST_WAIT = 0.3


class Channel(filesystem.Channel):
    """One process's view of the folder."""

    def _put(self, queue: str, payload: Any, **_: Any) -> None:  # type: ignore[override] # kombu disagrees
        folder = Path(self.data_folder_out)
        name = f"{time.time_ns():020d}-{os.urandom(6).hex()}.{queue}.msg"
        hidden = folder / f".{name}"
        hidden.write_text(json.dumps(payload), encoding="utf-8")
        hidden.rename(folder / name)

    def _get(self, queue: str, timeout: float | None = None) -> Any:
        folder = Path(self.data_folder_in)
        for name in sorted(_names(folder, queue)):
            path = folder / name
            try:
                text = path.read_text(encoding="utf-8")
                path.unlink()
            except FileNotFoundError:
                continue  # another process took it
            return json.loads(text)
        raise Empty

    def _purge(self, queue: str) -> int:
        folder = Path(self.data_folder_in)
        names = _names(folder, queue)
        for name in names:
            (folder / name).unlink(missing_ok=True)
        return len(names)

    def _size(self, queue: str) -> int:
        return len(_names(Path(self.data_folder_in), queue))


class Transport(filesystem.Transport):
    """`folder://`, with the options of kombu's `filesystem://`."""

    Channel = Channel
    driver_type = SCHEME
    driver_name = SCHEME

    def drain_events(self, connection: Any, timeout: float | None = None, **_: Any) -> Any:
        """Wait for a message, but not for long: a worker that is to stop looks up in between."""
        longest = LONGEST_WAIT if timeout is None else min(timeout, LONGEST_WAIT)
        return super().drain_events(connection, timeout=longest)  # type: ignore[no-untyped-call]


def register() -> None:
    """Make `folder://` known to kombu."""
    TRANSPORT_ALIASES[SCHEME] = f"{__name__}:Transport"


def _names(folder: Path, queue: str) -> list[str]:
    end = f".{queue}.msg"
    return [path.name for path in folder.iterdir() if path.name.endswith(end) and path.name[0] != "."]
