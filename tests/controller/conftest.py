"""Controllers, fabrics and fake switches for the tests in this folder."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.controller.twin import OPENFLOW_FILES
from tests.support.controller.controller_harness import Controller, eventually, running
from tests.support.controller.fake_switch import FakeNetwork


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    files = {Path(__file__).parent / f"{name}.py" for name in OPENFLOW_FILES}
    for item in items:
        if item.path in files:
            item.add_marker(pytest.mark.openflow)


@pytest.fixture(scope="module")
def run_dir() -> Iterator[Path]:
    """A short path, because sockets are in it."""
    path = Path(tempfile.mkdtemp(prefix="tc-", dir="/tmp"))
    yield path
    shutil.rmtree(path, ignore_errors=True)


WAYS = ("bundles", "single flow-mods")


@pytest.fixture(scope="module")
def way() -> str:
    """How table changes go to switches; some modules run with each of WAYS."""
    return WAYS[0]


@pytest.fixture(scope="module")
def controller(run_dir: Path, way: str) -> Iterator[Controller]:
    """A controller for a module, with a short time-out for replies."""
    options = () if way == WAYS[0] else ("--no-bundles",)
    with running(run_dir, "--reply-timeout", "4", *options) as started:
        yield started


@pytest.fixture
def network(controller: Controller) -> Iterator[FakeNetwork]:
    """Fake switches that connect to the module's controller and disconnect after the test."""
    with FakeNetwork(controller.openflow) as fakes:
        yield fakes
    assert eventually(lambda: not controller.dpids())
    for fake in fakes.switches:
        assert fake.complaint is None, fake.complaint
