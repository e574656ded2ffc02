"""Fail a test that leaves its process with other resource limits: they would end a later test."""

import resource
from collections.abc import Iterator

import pytest

_read = resource.getrlimit  # tests patch the module
_KINDS = ("RLIMIT_AS", "RLIMIT_CPU", "RLIMIT_DATA", "RLIMIT_FSIZE", "RLIMIT_NPROC", "RLIMIT_STACK")


def _limits() -> dict[str, tuple[int, int]]:
    return {kind: _read(getattr(resource, kind)) for kind in _KINDS}


@pytest.fixture(autouse=True)
def limits_stay() -> Iterator[None]:
    before = _limits()
    yield
    assert _limits() == before, "the test left other resource limits"
