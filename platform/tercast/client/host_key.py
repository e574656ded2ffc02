"""A host's key, and the counter of its seals, which never repeats even after a kill."""

from __future__ import annotations

import base64
import binascii
import fcntl
import os
import re
import stat
from collections.abc import Callable
from pathlib import Path

from tercast.client.sequence import now_us
from tercast.signalling.seal import KEY_BYTES, MAX_COUNTER, Seal
from tercast.wire.errors import KeyFileError

_DIGITS = 19  # digits of 2**63
_RECORD = re.compile(rb"[0-9]{%d}\n" % _DIGITS)


class HostKey:
    """The key in a file, and the counter in the file `NAME.counter` in the same folder.

    A counter is written to disk before it is used, and is at least the clock in microseconds. So the next
    counters are larger even if the file is lost. Several processes of a host can share one key.
    """

    def __init__(self, path: str | Path, clock: Callable[[], int] = now_us) -> None:
        self._path = Path(path)
        self._counter = self._path.with_name(self._path.name + ".counter")
        self._clock = clock
        self.key = _read_key(self._path)

    def seal(self) -> Seal:
        """Create the seal for one message; KeyFileError if the counter cannot be stored."""
        return Seal(self.key, self._next_counter(-1))

    def skip(self, last: int) -> None:
        """Make later counters exceed `last`, the last one that the platform accepted or skipped.

        Raises:
            KeyFileError: The counter cannot be stored.
        """
        self._next_counter(last + 1)

    def _next_counter(self, least: int) -> int:
        try:
            file = os.open(self._counter, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise KeyFileError(f"cannot open the counter {str(self._counter)!r}: {error.strerror}") from None
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            counter = max(self._last(file) + 1, self._clock(), least)
            if counter > MAX_COUNTER:
                raise KeyFileError("all counters below 2**63 are used up; request another key")
            os.pwrite(file, b"%0*d\n" % (_DIGITS, counter), 0)
            os.fsync(file)
        except OSError as error:
            raise KeyFileError(f"cannot store the counter {str(self._counter)!r}: {error.strerror}") from None
        finally:
            os.close(file)
        return counter

    def _last(self, file: int) -> int:
        record = os.pread(file, _DIGITS + 2, 0)
        if not record:
            return -1
        if not _RECORD.fullmatch(record):
            raise KeyFileError(
                f"{str(self._counter)!r} does not contain a counter ({_DIGITS} digits and a line feed). "
                "Check that the clock is right, then delete the file: a new counter starts at the present "
                "time"
            )
        return int(record)


def _read_key(path: Path) -> bytes:
    try:
        mode = path.stat().st_mode
        text = path.read_text(encoding="ascii").strip()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is not ASCII text"
        raise KeyFileError(f"cannot read the key from {str(path)!r}: {reason}") from None
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise KeyFileError(f"other users can read the key in {str(path)!r}; run chmod 600 on it")
    try:
        key = base64.b64decode(text, altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if len(key) != KEY_BYTES:
        detail = "a key has 44 characters of base64; copy it again from the platform"
        raise KeyFileError(f"{str(path)!r} does not contain a key; {detail}")
    return key
