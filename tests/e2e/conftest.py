"""A control plane and a browser for the tests of this folder."""

import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from e2e_browser import chromium, watched
from e2e_platform import PASSWORD, ControlPlane
from e2e_running import RunningPlatform
from playwright.sync_api import expect

expect.set_options(timeout=20_000)

TABLES = (
    "control.OutboxEvent",
    "control.Request",
    "network.Link",
    "network.Switch",
    "telemetry.TrafficReport",
)


@pytest.fixture(scope="session")
def running():
    """The whole platform with its demo network; one for all tests, which leave it as they found it."""
    platform = RunningPlatform()
    try:
        platform.wait_until_ready()
        platform.passwords = {"admin": platform.password}
        for name, role in (("vera", "viewer"), ("otto", "operator")):
            platform.passwords[name] = platform.add_user(name, role)
        yield platform
    finally:
        platform.close()


@pytest.fixture
def visit(browser, running):
    """Opens a watched page of the running platform, logged in: `with visit("/topics", user="otto")`."""

    @contextmanager
    def visited(path="/network", user="admin", size="desktop", scheme="light"):
        with watched(browser, running.base, size, scheme) as page:
            page.log_in(user, running.passwords[user], path)
            page.until_live()
            yield page

    return visited


@pytest.fixture(scope="module")
def browser():
    with chromium() as found:
        yield found


@pytest.fixture(scope="session")
def control_plane():
    """uvicorn on an own database, with the users `vera` (viewer) and `ada` (administrator)."""
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
def plane(control_plane):
    """The control plane, empty but for its users."""
    for model in TABLES:
        control_plane.do("delete", model=model)
    control_plane.emit("load", {"links": {}})
    return control_plane


@pytest.fixture
def open_page(browser, plane):
    """Opens a watched page of the control plane: `with open_page(size) as page`."""

    def opened(size="desktop", scheme="light"):
        return watched(browser, plane.base, size, scheme)

    return opened
