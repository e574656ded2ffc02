"""Rows that grow in place, so that millions of nodes are not copied at each growth."""

from __future__ import annotations

import mmap

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

_WORTH = 1 << 16
"""With fewer rows, copying is faster than mapping."""


class GrowableRows:
    """Memory pages for the rows of one array, private to this process.

    Pages without data take no memory, so there may be many.
    """

    __slots__ = ("_memory",)

    def __init__(self) -> None:
        self._memory: mmap.mmap | None = None

    def wanted(self, rows: Ints, used: int) -> bool:
        """Whether an array with this many rows in use should grow before more are needed."""
        return used >= _WORTH and 2 * len(rows) < 3 * used

    def larger(self, holder: list[Ints], used: int) -> Ints:
        """Return the rows in `holder` with twice the space; new rows are zero.

        Afterwards `holder` is empty.

        The rows are copied if they are not in these pages yet, or if other references to them exist.
        """
        columns, here = holder[0].shape[1], self._holds(holder[0])
        size = 2 * used * columns * 8
        if here and self._memory is not None:
            holder.clear()
            try:
                self._memory.resize(size)
            except (BufferError, OSError, SystemError):  # a reference; no space; not on this system
                holder.append(self._rows(columns))
            else:
                return self._rows(columns)
        rows = holder.pop()
        self._memory = _mapped(size)
        found = self._rows(columns)
        found[: len(rows)] = rows
        return found

    def _rows(self, columns: int) -> Ints:
        assert self._memory is not None
        found: Ints = np.frombuffer(self._memory, np.int64)
        return found.reshape(-1, columns)

    def _holds(self, rows: Ints) -> bool:
        memory = self._memory
        return memory is not None and np.frombuffer(memory, np.int64).ctypes.data == rows.ctypes.data


def _mapped(size: int) -> mmap.mmap:
    memory = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        memory.madvise(mmap.MADV_HUGEPAGE)
    return memory
