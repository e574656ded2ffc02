"""A broker in a folder: kombu's file-system transport, safe against kills and slow writers.

A message is a file. It appears complete (written under another name, then renamed), and belongs to the
process that unlinks it. So no half-written message is read, none is read twice, and a killed process leaves
no lock.
"""

import json
import logging
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Empty
from typing import Any

from kombu.transport import TRANSPORT_ALIASES, filesystem

from controlplane.common.notifications import local_notifications
from controlplane.common.notifications.local_notifications import WAKE_UPS, Listener

SCHEME = "folder"
LONGEST_WAIT = 0.3
POLL_SECONDS = 0.1

HALF_WRITTEN_SECONDS = 60.0
"""Age at which a hidden file counts as left by a killed writer."""

logger = logging.getLogger(__name__)


class FolderChannel(filesystem.Channel):
    """Access of one process to the folder."""

    def _put(self, queue: str, payload: Any, **_: Any) -> None:  # type: ignore[override] # kombu disagrees
        folder = Path(self.data_folder_out)
        name = f"{time.time_ns():020d}-{os.urandom(6).hex()}.{queue}.msg"
        with _hidden_file(folder / f".{name}", json.dumps(payload)) as hidden:
            hidden.rename(folder / name)
        local_notifications.notify(WAKE_UPS)

    def probe(self) -> None:
        """Write a file and remove it.

        Raises:
            OSError: No message can be sent.
        """
        with _hidden_file(
            Path(self.data_folder_out) / f".probe-{os.getpid()}-{os.urandom(6).hex()}.msg", "x"
        ):
            pass

    def _get(self, queue: str, timeout: float | None = None) -> Any:
        try:
            found = self._pop_oldest(queue)
        except OSError as error:  # no descriptor, a read-only folder: the worker continues afterwards
            _log_problem(error.strerror or str(error))  # without the file name, which changes
            raise Empty from None
        _log_problem("")
        if found is None:
            raise Empty
        return found

    def _pop_oldest(self, queue: str) -> Any:
        """Return the oldest message or None; remove a malformed file (after a power failure)."""
        folder = Path(self.data_folder_in)
        for name in sorted(_names(folder, queue)):
            path = folder / name
            try:
                text = path.read_text(encoding="utf-8")
                path.unlink()
                return json.loads(text)
            except FileNotFoundError:
                continue  # another process has received it
            except ValueError:
                logger.warning("%s is not a message and is removed", path)
        return None

    def _purge(self, queue: str) -> int:
        folder = Path(self.data_folder_in)
        names = _names(folder, queue)
        for name in names:
            (folder / name).unlink(missing_ok=True)
        _remove_half_written(folder)
        return len(names)

    def _size(self, queue: str) -> int:
        return len(_names(Path(self.data_folder_in), queue))


class FolderTransport(filesystem.Transport):
    """Transport `folder://` with the options of kombu's `filesystem://`."""

    Channel = FolderChannel
    driver_type = SCHEME
    driver_name = SCHEME

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[no-untyped-call]
        self._listener: Listener | None = None

    def drain_events(self, connection: Any, timeout: float | None = None, **_: Any) -> None:
        """Wait for a message for a short time, so that a worker that must stop notices it.

        A notification ends the wait. Without notifications, the folder is read every `POLL_SECONDS`.

        Raises:
            TimeoutError: There was no message.
        """
        end = time.monotonic() + (LONGEST_WAIT if timeout is None else min(timeout, LONGEST_WAIT))
        self._listen()
        assert self.cycle is not None  # kombu sets it for all its transports of this kind
        while True:
            try:
                self.cycle.get(self._deliver, timeout=timeout)  # type: ignore[no-untyped-call]
                return
            except Empty:
                left = end - time.monotonic()
                if left <= 0:
                    raise TimeoutError from None
                self._pause(left)

    def close_connection(self, connection: Any) -> None:
        """Close the connection, and remove the pipe of its listener."""
        super().close_connection(connection)  # type: ignore[no-untyped-call]
        if self._listener is not None:
            self._listener.close()
            self._listener = None

    def _listen(self) -> None:
        """Begin to listen before the folder is read, so that no notification is missed."""
        if self._listener is None:
            with suppress(OSError):
                self._listener = Listener(WAKE_UPS)

    def _pause(self, seconds: float) -> None:
        if self._listener is None:
            time.sleep(min(seconds, POLL_SECONDS))
        else:
            self._listener.wait(seconds)


def register() -> None:
    """Register `folder://` with kombu."""
    TRANSPORT_ALIASES[SCHEME] = f"{__name__}:FolderTransport"


def _names(folder: Path, queue: str) -> list[str]:
    end = f".{queue}.msg"
    return [path.name for path in folder.iterdir() if path.name.endswith(end) and path.name[0] != "."]


@contextmanager
def _hidden_file(path: Path, text: str) -> Iterator[Path]:
    """Write a file that no reader sees; remove it afterwards unless it was renamed."""
    try:
        path.write_text(text, encoding="utf-8")
        yield path
    finally:
        with suppress(OSError):
            path.unlink(missing_ok=True)


def _remove_half_written(folder: Path) -> None:
    before = time.time() - HALF_WRITTEN_SECONDS
    for path in folder.glob(".*.msg"):
        with suppress(OSError):
            if path.stat().st_mtime < before:
                path.unlink()


_last_problem = {"trouble": ""}


def _log_problem(trouble: str) -> None:
    """Log a problem once, and its end."""
    if trouble == _last_problem["trouble"]:
        return
    if trouble:
        logger.warning("messages cannot be read; trying again: %s", trouble)
    else:
        logger.warning("messages can be read again")
    _last_problem["trouble"] = trouble
