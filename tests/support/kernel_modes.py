"""Runs a module's tests twice: in plain Python, and with compiled kernels."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tercast.runtime import jit


@pytest.fixture(scope="module", autouse=True, params=["plain Python", "compiled"])
def kernels(request: pytest.FixtureRequest) -> Iterator[None]:
    """With compiled kernels wherever they serve, or without any."""
    if request.param == "compiled":
        pytest.importorskip("numba")
    jit.use(request.param == "compiled")
    yield
    jit.use(None)
