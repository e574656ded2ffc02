"""Sequence numbers that never repeat, even after a publisher restarts."""

from __future__ import annotations

import fcntl
import os
import re
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

from tercast.wire.errors import SequenceError
from tercast.wire.event_codec import LARGEST_SEQUENCE

"""Sequence numbers and times have 64 bits."""

BLOCK = 1 << 20
"""Number of sequence numbers that a state file reserves in one write."""

_DIGITS = 20  # digits of 2**64
_RECORD = _DIGITS + 1
_STATE = re.compile(rb"[0-9]{%d}\n" % _DIGITS)


def now_us() -> int:
    """The system clock in microseconds since 1970 (UTC); it may jump when the clock is set."""
    return time.time_ns() // 1000


class Sequence:
    """Sequence numbers of one publisher: the clock in microseconds, then increasing by one.

    A publisher that sends less than a million events per second stays behind the clock. So a restart begins
    above all earlier numbers, unless the clock was set back in between. If that can happen, use a state file.
    It contains a mark above all numbers used so far, and a restart begins at the larger of mark and clock.
    Only one publisher at a time can use the file (SequenceError for a second one).
    """

    def __init__(self, state: str | Path | None = None, clock: Callable[[], int] = now_us) -> None:
        self._lock = threading.Lock()
        self._mark = _Mark(Path(state)) if state is not None else None
        self._next = max(0, clock(), self._mark.value if self._mark else 0)

    def take(self) -> int:
        """Return the next number; SequenceError after all 2**64 numbers are used."""
        with self._lock:
            number = self._next
            if number > LARGEST_SEQUENCE:
                raise SequenceError("all sequence numbers below 2**64 are used up")
            if self._mark and number >= self._mark.value:
                self._mark.move(min(number + BLOCK, LARGEST_SEQUENCE + 1))
            self._next = number + 1
            return number

    def close(self) -> None:
        """Write the next number to the state file and release the file."""
        with self._lock:
            if self._mark:
                self._mark.close(self._next)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class _Mark:
    """A growing number in a locked file; it is on disk before numbers up to it are used."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except (OSError, ValueError) as error:
            raise SequenceError(f"cannot open the sequence state {str(path)!r}: {error}") from None
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self.value = self._read()
        except OSError as error:
            os.close(self._file)
            in_use = isinstance(error, BlockingIOError)
            why = "another publisher uses it" if in_use else str(error)
            raise SequenceError(f"cannot use the sequence state {str(path)!r}: {why}") from None
        except SequenceError:
            os.close(self._file)
            raise

    def move(self, value: int) -> None:
        try:
            os.pwrite(self._file, b"%0*d\n" % (_DIGITS, value), 0)
            os.fsync(self._file)
        except OSError as error:
            raise SequenceError(f"cannot write the sequence state {str(self._path)!r}: {error}") from None
        self.value = value

    def close(self, value: int) -> None:
        if self._file >= 0:
            self.move(value)
            os.close(self._file)
            self._file = -1

    def _read(self) -> int:
        record = os.pread(self._file, _RECORD + 1, 0)
        if not record:
            return 0
        if not _STATE.fullmatch(record) or int(record) > LARGEST_SEQUENCE + 1:
            raise SequenceError(
                f"{str(self._path)!r} does not contain a sequence number ({_DIGITS} digits and a line feed)."
                " Check that the clock is right, then delete the file: new numbers start at the present time"
            )
        return int(record)
