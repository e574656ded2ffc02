"""A control plane and a browser for the tests in this folder."""

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

# bare names, because benchmarks use these modules without pytest
sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[1] / "support" / "e2e"))

from e2e_browser import chromium, watched
from e2e_platform import PASSWORD, ControlPlane
from e2e_running import RunningPlatform
from playwright.sync_api import expect

from tests.schedule import group_of
from tests.waiting import LIMIT_SECONDS

expect.set_options(timeout=LIMIT_SECONDS * 1000)

TABLES = (
    "control.OutboxEvent",
    "control.Request",
    "network.Link",
    "network.Switch",
    "telemetry.TrafficReport",
)


class Shared:
    """Objects that all tests of this folder share; each starts when a test first requests it."""

    def __init__(self) -> None:
        self._parts: dict[Callable[[], Any], Any] = {}
        self._stack = ExitStack()

    def open(self, make: Callable[[], AbstractContextManager[Any]]) -> Any:
        """Return what `make` yields; it is entered once."""
        if make not in self._parts:
            self._parts[make] = self._stack.enter_context(make())
        return self._parts[make]

    def close(self) -> None:
        """End all objects, the last one first; `open` starts them again."""
        self._parts.clear()
        self._stack.pop_all().close()


SHARED = Shared()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item, nextitem):
    """End the shared objects after the last test of a group, because they slow down later tests."""
    if nextitem is None or group_of(nextitem.nodeid) != group_of(item.nodeid):
        SHARED.close()


@contextmanager
def running_platform():
    platform = RunningPlatform()
    try:
        platform.wait_until_ready()
        platform.passwords = {"admin": platform.password}
        platform.add_users({"vera": "viewer", "otto": "operator"})
        yield platform
    finally:
        platform.close()


@pytest.fixture
def running():
    """The whole platform with its demo network; all tests use it and restore its state."""
    return SHARED.open(running_platform)


@pytest.fixture
def visit(browser, running):
    """Open a watched page of the running platform, logged in: `with visit("/topics", user="otto")`."""

    @contextmanager
    def visited(path="/network", user="admin", size="desktop", scheme="light"):
        with watched(browser, running.base, size, scheme) as page:
            page.open_as(user, running.passwords[user], path, running.sessions)
            page.until_live()
            yield page

    return visited


@pytest.fixture
def browser():
    """Chromium for all tests; no page has cookies or storage of another."""
    return SHARED.open(chromium)


@contextmanager
def running_control_plane():
    plane = ControlPlane()
    try:
        plane.prepare()
        plane.do("create_user", name="vera", password=PASSWORD, group="viewer")
        plane.do("create_user", name="ada", password=PASSWORD, group="administrator")
        plane.do("update", model="auth.User", where={"username": "ada"}, is_staff=True, is_superuser=True)
        plane.start()
        yield plane
    finally:
        plane.close()


@pytest.fixture
def control_plane():
    """uvicorn with its own database, with the users `vera` (viewer) and `ada` (administrator)."""
    return SHARED.open(running_control_plane)


@pytest.fixture
def plane(control_plane):
    """The control plane, empty except for its users."""
    for model in TABLES:
        control_plane.do("delete", model=model)
    control_plane.emit("load", {"links": {}})
    return control_plane


@pytest.fixture
def open_page(browser, plane):
    """Open a watched page of the control plane: `with open_page(size) as page`."""

    def opened(size="desktop", scheme="light"):
        return watched(browser, plane.base, size, scheme)

    return opened
