"""Rows that grow where they lie: millions of nodes are not copied each time that they need more room."""

from __future__ import annotations

import mmap

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

_WORTH = 1 << 16
"""Fewer rows are copied sooner than they are mapped."""


class GrowableRows:
    """Pages of the system for rows of one array, which only this process has.

    Pages that are not written to yet take no memory, so there may be many.
    """

    __slots__ = ("_memory",)

    def __init__(self) -> None:
        self._memory: mmap.mmap | None = None

    def wanted(self, rows: Ints, used: int) -> bool:
        """Whether an array with so many rows in use had better get more room before any is needed."""
        return used >= _WORTH and 2 * len(rows) < 3 * used

    def larger(self, holder: list[Ints], used: int) -> Ints:
        """The rows in `holder`, which is empty then, with room for twice as many; what is new is zero.

        They are copied where they are not here yet, or somebody else refers to them, too.
        """
        columns, here = holder[0].shape[1], self._holds(holder[0])
        size = 2 * used * columns * 8
        if here and self._memory is not None:
            holder.clear()
            try:
                self._memory.resize(size)
            except (BufferError, OSError, SystemError):  # referred to; no room there; not on this system
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
