"""A fake controller, and a small network that it serves."""

import dataclasses
import sys
from pathlib import Path

import pytest

from controlplane.audit import work
from controlplane.control import discovery, hot, load, losses, session

sys.path.insert(0, str(Path(__file__).parent))

import control_world as world
from fake_northbound import running


@pytest.fixture(autouse=True)
def own_process_state(settings, tmp_path, monkeypatch):
    """A lock file of the test's own, and a process that has done nothing and ends no run for want of time.

    On a busy machine two seconds are not enough for what a test does in one run.
    """
    monkeypatch.setattr(session, "RUN_SECONDS", 600.0)
    monkeypatch.setattr(work, "RUN_SECONDS", 600.0)
    settings.ENV = dataclasses.replace(settings.ENV, state_dir=tmp_path)
    monkeypatch.setattr(hot, "_kept", None)
    monkeypatch.setattr(losses, "_seen", {})
    monkeypatch.setattr(discovery, "_first_seen", {})
    monkeypatch.setattr(load, "_last", {"looked": float("-inf"), "told": float("-inf"), "links": None})


@pytest.fixture
def controller(settings):
    """A fake controller whose switches s1 to s9 are connected."""
    with running(settings.NORTHBOUND_TOKEN) as fake:
        settings.NORTHBOUND_URL = fake.url
        for n in range(1, 10):
            fake.connect(world.dpid(n))
        yield fake


@pytest.fixture
def network(db, controller):
    """A line of three switches, planned and confirmed."""
    world.line(3)
    session.run()
    assert {state for _, _, state in world.states()} == {"active"}
    return controller
