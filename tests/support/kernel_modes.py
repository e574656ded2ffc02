"""Runs the tests of a module twice: in plain Python, and with compiled kernels."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tercast.runtime import jit


@pytest.fixture(scope="module", autouse=True, params=["plain Python", "compiled"])
def kernels(request: pytest.FixtureRequest) -> Iterator[None]:
    """Use compiled kernels wherever possible, or none."""
    if request.param == "compiled":
        pytest.importorskip("numba")
    jit.use(request.param == "compiled")
    yield
    jit.use(None)
