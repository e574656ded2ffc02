"""Notifications between the processes of one machine: named pipes in the state directory.

They only save time. Each receiver also looks periodically, so a lost notification delays its work.
"""

import logging
import os
import select
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from django.conf import settings

WAKE_UPS = "wakeups"
"""Channel for messages of the broker in a folder."""

OUTBOX = "outbox"
"""Channel for new events of the outbox."""

ENDED = "ended"
"""Channel for the names of requests and operations that have ended."""

_END = ".pipe"
_CAPACITY = 65_536
_LINE = select.PIPE_BUF
"""Bytes that are written as a whole or not at all."""

logger = logging.getLogger(__name__)


class Listener:
    """Receives the notifications of a channel in one thread.

    Raises:
        OSError: The pipe cannot be created.
    """

    def __init__(self, channel: str) -> None:
        folder = _folder(channel)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        name = f"{os.getpid()}-{os.urandom(6).hex()}{_END}"
        self._path, hidden = folder / name, folder / f".{name}"
        os.mkfifo(hidden, 0o600)
        try:
            # Open for writing too: then the pipe never ends, and opening does not wait for a sender.
            self._pipe = os.open(hidden, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
            hidden.rename(self._path)  # senders remove visible pipes without a reader
        except OSError:
            hidden.unlink(missing_ok=True)
            raise
        self._poll = select.poll()
        self._poll.register(self._pipe, select.POLLIN)

    def wait(self, seconds: float | None) -> frozenset[str] | None:
        """Wait for notifications, at most `seconds`; return their words, None if there were none."""
        if not self._poll.poll(None if seconds is None else max(0.0, seconds) * 1000):
            return None
        parts = []
        with suppress(BlockingIOError):
            while part := os.read(self._pipe, _CAPACITY):
                parts.append(part)
        return frozenset(b"".join(parts).decode("ascii", "replace").split())

    def close(self) -> None:
        """Remove the pipe."""
        self._path.unlink(missing_ok=True)
        os.close(self._pipe)


def notify(channel: str, words: Iterable[str] = ()) -> None:
    """Notify all listeners of a channel; do nothing if there is none."""
    folder = _folder(channel)
    try:
        names = [name for name in os.listdir(folder) if name.endswith(_END) and name[0] != "."]  # noqa: PTH208 - names only
    except OSError:
        return
    lines = _lines(words) if names else []
    for name in names:
        _write(folder / name, lines)


def _lines(words: Iterable[str]) -> list[bytes]:
    """Return the words in lines that a pipe takes as a whole."""
    lines, line = [], b""
    for word in words:
        if len(line) + len(word) + 1 > _LINE:
            lines.append(line)
            line = b""
        line += word.encode("ascii") + b"\n"
    return [*lines, line or b"\n"]


def _write(path: Path, lines: Sequence[bytes]) -> None:
    try:
        pipe = os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:  # its process has ended
        path.unlink(missing_ok=True)
        return
    try:
        for line in lines:
            os.write(pipe, line)
    except OSError as error:  # full, or the process has just ended
        logger.debug("a process was not notified: %s", error)
    finally:
        os.close(pipe)


def _folder(channel: str) -> Path:
    return Path(settings.ENV.state_dir) / "notifications" / channel


class Subscribers:
    """Calls functions in a separate thread at each notification of a channel.

    The thread starts with the first function and ends with the last one. If there can be no pipe, no function
    is called.
    """

    def __init__(self, channel: str) -> None:
        self._channel = channel
        self._functions: list[Callable[[frozenset[str]], None]] = []
        self._lock = threading.Lock()
        self._started = False

    def add(self, function: Callable[[frozenset[str]], None]) -> None:
        """Call `function`, which must be short, with the words of each notification from now on."""
        with self._lock:
            self._functions.append(function)
            if self._started:
                return
            try:
                listener = Listener(self._channel)
            except OSError as error:
                logger.warning("no notifications from other processes, so changes arrive later: %s", error)
                return
            self._started = True
        threading.Thread(target=self._run, args=(listener,), name=self._channel, daemon=True).start()

    def remove(self, function: Callable[[frozenset[str]], None]) -> None:
        """Do not call `function` any more."""
        with self._lock:
            self._functions.remove(function)

    def _run(self, listener: Listener) -> None:
        while True:
            words = listener.wait(None) or frozenset()
            with self._lock:
                functions = tuple(self._functions)
                if not functions:
                    listener.close()
                    self._started = False
                    return
            for function in functions:
                function(words)
