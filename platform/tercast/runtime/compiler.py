"""The compiler of kernels: the only module that imports Numba's decorator.

`tercast.runtime.jit` decides whether compiled code runs, and only then imports this module.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit
from numba.extending import overload

Function = TypeVar("Function", bound=Callable[..., Any])


def compile_kernel(function: Function) -> Function:
    """Compile a function of a folder `kernels` at its first call, and store the result on disk."""
    return cast("Function", njit(cache=True)(function))


def compile_inner(function: Function) -> Function:
    """Compile a function that only other kernels call, which takes less time."""
    options: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "_nrt": True}
    return cast("Function", njit(cache=True, **options)(function))


def compile_borrower(function: Function) -> Function:
    """Compile a function that only other kernels call, and that creates and returns no arrays.

    It counts no references to arrays, which would take longer than the work itself.
    """
    options: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "_nrt": False}
    return cast("Function", njit(cache=True, **options)(function))


def compile_choice(function: Callable[..., Any]) -> Callable[[Function], Function]:
    """Let the decorated function choose the compiled code of `function` by argument types.

    The choice creates and returns no arrays (see `compile_borrower`).
    """
    options: dict[str, Any] = {"_nrt": False}
    chosen = overload(function, jit_options=options, strict=False)  # type: ignore[arg-type]
    return cast("Callable[[Function], Function]", chosen)


def compile_parallel(function: Function) -> Function:
    """Compile a function that lets other threads run at the same time."""
    return cast("Function", njit(cache=True, nogil=True)(function))
