"""Facts about files of telemetry, from the keys and times of their rows."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from analytics.input.files import TelemetryFile, UnreadableFile
from analytics.spans import EVER, Span

FUTURE, LEFT, UNREADABLE = "future", "left", "unreadable_file"


@dataclass(frozen=True, slots=True)
class FileFacts:
    """Facts about a file. Times are in microseconds since 1970.

    Attributes:
        size: Bytes of the file.
        rows: Number of rows.
        first: Time of the first valid row; None if there is none.
        last: Time of the last valid row.
        future: Earliest time after the clock or after the cut-off; None if there is none. The file counts as
            new when this time has passed.
        rejected: Numbers of rejected rows, by reason.
        unreadable: Why the file cannot be read, or None.
        left: Number of rows after the cut-off.
    """

    size: int
    rows: int = 0
    first: int | None = None
    last: int | None = None
    future: int | None = None
    rejected: Mapping[str, int] = field(default_factory=dict)
    unreadable: str | None = None
    left: int = 0

    @property
    def reach(self) -> Span | None:
        """The span of all rows, including those in the future; None without rows."""
        if self.future is None:
            return self.span
        return (self.future if self.first is None else min(self.first, self.future)), EVER[1]

    @property
    def span(self) -> Span | None:
        """The span of the valid rows; None without valid rows."""
        return None if self.first is None or self.last is None else (self.first, self.last + 1)

    def since(self, earlier: FileFacts | None) -> dict[str, int]:
        """Count the files, rows and bytes that a run adds to those that an earlier one knew."""
        taken = self.rows - self.left
        if earlier is None:
            return {"files": 1, "rows": taken, "bytes": self.size}
        return {"files": 0, "rows": taken - (earlier.rows - earlier.left), "bytes": 0}


FileRows = tuple[str, str | None, int, int | None, int | None]
"""Path, reason of rejection (None: valid), number of rows, and lowest and highest time of these rows."""


def facts_of_files(
    listed: Mapping[str, tuple[str, Any]],
    good: Iterable[TelemetryFile],
    bad: Iterable[UnreadableFile],
    counted: Iterable[FileRows],
) -> dict[str, FileFacts]:
    """Return the facts of each listed file, by its path in the dataset."""
    by_file: dict[str, list[FileRows]] = defaultdict(list)
    for row in counted:
        by_file[_plain(row[0])].append(row)
    reasons = {_plain(one.path): one.reason for one in bad}
    rows = {_plain(one.path): one.rows for one in good}
    out = {}
    for short, (path, status) in listed.items():
        name, size = _plain(path), int(status.getLen())
        if name in reasons:
            out[short] = FileFacts(size, rejected={UNREADABLE: 1}, unreadable=reasons[name])
        else:
            out[short] = _facts(size, rows[name], by_file[name])
    return out


def _facts(size: int, rows: int, counted: Iterable[FileRows]) -> FileFacts:
    first = last = None
    ahead: list[int] = []
    rejected: Counter[str] = Counter()
    for _, reason, number, least, greatest in counted:
        if reason is None:
            first, last = least, greatest
        else:
            rejected[reason] += number
        if reason in {FUTURE, LEFT} and least is not None:
            ahead.append(least)
    left = rejected.pop(LEFT, 0)
    return FileFacts(size, rows, first, last, min(ahead, default=None), dict(rejected), left=left)


def _plain(path: str) -> str:
    """Return a uniform spelling of a path."""
    return _SLASHES.sub(":/", unquote(path))


_SLASHES = re.compile(":/+")
