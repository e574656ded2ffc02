"""Kernels: plain Python functions over arrays, compiled by Numba from some work on.

Small problems are done sooner than compiled code is loaded, and much sooner than it is made where it does
not lie ready (`python -m tercast.compiled` makes it). Without Numba, or with TERCAST_COMPILED=0 in the
environment, the same functions run as they are: slower, with the same results. With TERCAST_COMPILED=1
compiled code is used from the start.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import update_wrapper
from typing import Any

from tercast.encoding.dispatch import VARIABLE
from tercast.runtime.kernel_cache import is_ready, prepare

WORTH = 40_000
"""From how many elements that kernels were given on compiled code is used, where it lies ready."""

WORTH_MAKING = 400_000
"""From how many on it is made where it does not."""


class _Work:
    """What kernels were given so far; `possible` is None until that was tried."""

    done = 0
    possible: bool | None = None


class Kernel:
    """A function over arrays, the first argument among them; `pure` is the function as written."""

    def __init__(self, pure: Callable[..., Any]) -> None:
        self.pure = pure
        self._fast: Callable[..., Any] | None = None
        update_wrapper(self, pure)

    def __call__(self, *arguments: Any) -> Any:
        """Run it, one way or the other."""
        if self._fast is None:
            _Work.done += len(arguments[0])
            if not _wanted():
                return self.pure(*arguments)
            self._fast = self._compiled()
        return self._fast(*arguments)

    def _compiled(self) -> Callable[..., Any]:
        import numba  # noqa: PLC0415 - heavy, and not needed for small problems

        found: Callable[..., Any] = numba.njit(cache=True, nogil=True)(self.pure)
        return found


def _wanted() -> bool:
    """Whether compiled code is to be used from now on."""
    if _Work.possible is None:
        setting = os.environ.get(VARIABLE)
        if setting == "0":
            _Work.possible = False
        elif setting == "1" or _Work.done >= WORTH_MAKING or (_Work.done >= WORTH and is_ready()):
            _Work.possible = prepare()
        else:
            return False
    return _Work.possible


def use() -> None:
    """Use compiled code from now on, where it can be."""
    _Work.possible = prepare()
