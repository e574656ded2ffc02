"""What the tests of scheduled analytics share: a state directory and a telemetry root of their own."""

import dataclasses
from datetime import UTC, datetime, timedelta

import pytest

from controlplane.analytics import schedules


@pytest.fixture(autouse=True)
def unheard(monkeypatch):
    """No broker is asked."""
    monkeypatch.setattr("controlplane.common.wakeups.wake_analytics", lambda: None)


@pytest.fixture
def root(tmp_path):
    """A telemetry root without anything."""
    folder = tmp_path / "telemetry"
    folder.mkdir()
    return folder


@pytest.fixture
def own_state(settings, tmp_path, root):
    """Settings with a state directory and a telemetry root of the test's own, and Spark with one core."""
    settings.ENV = dataclasses.replace(
        settings.ENV, state_dir=tmp_path / "state", telemetry=root, spark_master="local[1]"
    )
    (tmp_path / "state").mkdir()
    return settings.ENV


@pytest.fixture
def defaults(db):
    """The schedules that an installation begins with."""
    schedules.make_defaults()


@pytest.fixture
def today():
    """Noon of yesterday, so that all of the day is past."""
    return datetime.now(UTC).replace(hour=12, minute=0, second=0, microsecond=0) - timedelta(days=1)
