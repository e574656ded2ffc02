"""The compiler of kernels: the only module that imports Numba's decorator.

`tercast.runtime.jit` decides whether compiled code runs, and only then imports this module.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit

Function = TypeVar("Function", bound=Callable[..., Any])


def compile_kernel(function: Function) -> Function:
    """Compile a function of a folder `kernels` at its first call, and store the result on disk."""
    return cast("Function", njit(cache=True)(function))


def compile_parallel(function: Function) -> Function:
    """Compile a function that lets other threads run at the same time."""
    return cast("Function", njit(cache=True, nogil=True)(function))
