"""Kernels: plain Python functions over arrays, compiled when they are first called, where numba is installed.

Without numba, or with TERCAST_NO_NUMBA set in the environment, the same functions run as they are: slower, with
the same results.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import update_wrapper
from typing import Any


class Kernel:
    """A function over arrays; `pure` is the function as written."""

    def __init__(self, pure: Callable[..., Any]) -> None:
        self.pure = pure
        self._run: Callable[..., Any] | None = None
        update_wrapper(self, pure)

    def __call__(self, *arguments: Any) -> Any:
        if self._run is None:
            self._run = _compiled(self.pure)
        return self._run(*arguments)


def _compiled(pure: Callable[..., Any]) -> Callable[..., Any]:
    if os.environ.get("TERCAST_NO_NUMBA"):
        return pure
    try:
        import numba  # noqa: PLC0415 - heavy, and not needed at all
    except ImportError:
        return pure
    found: Callable[..., Any] = numba.njit(cache=True, nogil=True)(pure)
    return found
