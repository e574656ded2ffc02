"""Compiled code: the choice whether to use it, and the functions that Numba compiles.

Loading compiled code takes most of a second, and compiling it takes a minute. So plain Python does small
amounts of work. `python -m tercast.compiled` compiles everything, and the set-up runs it. The results are
equal. With TERCAST_COMPILED=0 in the environment, plain Python does everything. With 1, compiled code is used
from the start.

There are two kinds:
- A `Kernel` is one function, which runs compiled or as plain Python.
- A compiled module in a folder `kernels` gives the results of plain Python modules. Both pass the same tests.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import update_wrapper
from importlib import import_module
from typing import Any

from tercast.runtime.kernel_cache import is_ready, prepare

VARIABLE = "TERCAST_COMPILED"

WORTH_CELLS = 8_000
"""Number of cells after which compiled modules are loaded, if they are already compiled."""

WORTH = 40_000
"""Number of elements after which kernels run compiled, if they are already compiled."""

WORTH_MAKING = 400_000
"""Number of elements after which kernels are compiled."""


class _RuntimeChoice:
    """Current choice; None is undecided. `cells` and `elements` count the work so far."""

    wanted: bool | None = None
    twins: bool | None = None
    kernels: bool | None = None
    cells = 0
    elements = 0


def use(wanted: bool | None) -> None:
    """Use compiled code always, or never; None: after some amount of work, if it is compiled."""
    _RuntimeChoice.wanted = _RuntimeChoice.twins = wanted
    _RuntimeChoice.kernels = None if wanted else wanted
    _RuntimeChoice.cells = _RuntimeChoice.elements = 0


def uses_twins(cells: int = 0) -> bool:
    """Return whether compiled modules are used from now on, after `cells` more cells."""
    if _RuntimeChoice.twins is None:
        _RuntimeChoice.cells += cells
        if _RuntimeChoice.cells < WORTH_CELLS:
            return False
        _RuntimeChoice.twins = is_ready()
    return _RuntimeChoice.twins


def load_twin(name: str) -> Any:
    """Import a compiled module; None without Numba or a folder for compiled code."""
    if not prepare():
        _RuntimeChoice.twins = False
        return None
    return import_module(name)


class Kernel:
    """A function over arrays, with an array as first argument; `pure` is the plain function."""

    def __init__(self, pure: Callable[..., Any]) -> None:
        self.pure = pure
        self._fast: Callable[..., Any] | None = None
        update_wrapper(self, pure)

    def __call__(self, *arguments: Any) -> Any:
        """Run the function, compiled or as plain Python."""
        if self._fast is None or _RuntimeChoice.kernels is False:
            _RuntimeChoice.elements += len(arguments[0])
            if not _uses_kernels():
                return self.pure(*arguments)
            self._fast = self._compiled()
        return self._fast(*arguments)

    def _compiled(self) -> Callable[..., Any]:
        compiler = import_module(
            "tercast.runtime.compiler"
        )  # Numba is heavy, and not needed for small problems
        found: Callable[..., Any] = compiler.compile_parallel(self.pure)
        return found


def _uses_kernels() -> bool:
    if _RuntimeChoice.kernels is None:
        done = _RuntimeChoice.elements
        if not _RuntimeChoice.wanted and done < WORTH_MAKING and not (done >= WORTH and is_ready()):
            return False
        _RuntimeChoice.kernels = prepare()
    return _RuntimeChoice.kernels


use({"0": False, "1": True}.get(os.environ.get(VARIABLE, "")))
