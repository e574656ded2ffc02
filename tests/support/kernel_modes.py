"""The choice between compiled kernels and plain Python in tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tercast.encoding.encoder import EncodedFilter, encode, encode_dz
from tercast.filters.filter import Filter
from tercast.runtime import jit


@pytest.fixture(scope="module", autouse=True, params=["plain Python", "compiled"])
def kernels(request: pytest.FixtureRequest) -> Iterator[None]:
    """Run the tests of a module twice: with compiled kernels wherever possible, and with none."""
    if request.param == "compiled":
        pytest.importorskip("numba")
    jit.use(request.param == "compiled")
    yield
    jit.use(None)


@pytest.fixture(autouse=True)
def restored_kernels() -> Iterator[None]:
    """Restore the choice of kernels after each test of a module."""
    yield
    jit.use(None)


def encoded_twice(drawn: Filter, depth: int, limit: int) -> tuple[EncodedFilter, EncodedFilter]:
    """Return the results of the kernel and of plain Python."""
    jit.use(True)
    compiled = encode(drawn, depth, limit)
    assert encode_dz(drawn, depth, limit) == compiled.dz
    jit.use(False)
    return compiled, encode(drawn, depth, limit)
