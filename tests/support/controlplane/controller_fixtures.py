"""A fake controller, and a small network for it."""

import dataclasses

import pytest

from controlplane.deployment import session, session_cache
from controlplane.deployment.audits import worker
from controlplane.deployment.watcher import link_load, link_losses, newcomers
from tests.support.controlplane import network_world as world
from tests.support.controlplane.fake_northbound import running
from tests.support.controlplane.prepared_rows import write_once


@pytest.fixture(autouse=True)
def own_process_state(settings, tmp_path, monkeypatch):
    """Set up a separate lock file, and a new process whose runs do not end because of time.

    On a busy machine, two seconds are not enough for the work of a test in one run.
    """
    monkeypatch.setattr(session, "RUN_SECONDS", 600.0)
    monkeypatch.setattr(worker, "RUN_SECONDS", 600.0)
    settings.ENV = dataclasses.replace(settings.ENV, state_dir=tmp_path)
    monkeypatch.setattr(session_cache, "_kept", None)
    monkeypatch.setattr(link_losses, "_seen", {})
    monkeypatch.setattr(newcomers, "_first_seen", {})
    monkeypatch.setattr(link_load, "_last", {"looked": float("-inf"), "sent": float("-inf"), "links": None})


@pytest.fixture
def controller(settings):
    """Return a fake controller whose switches s1 to s9 are connected."""
    with running(settings.NORTHBOUND_TOKEN) as fake:
        settings.NORTHBOUND_URL = fake.url
        for n in range(1, 10):
            fake.connect(world.dpid(n))
        yield fake


@pytest.fixture
def network(db, controller):
    """Return a line of three switches, planned and confirmed."""
    write_once(world.line)
    session.run()
    assert {state for _, _, state in world.states()} == {"active"}
    return controller
