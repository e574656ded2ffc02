"""Fixtures: callers of the API, and a small network."""

from tests.support.controlplane.api_fixtures import *  # noqa: F403 - fixtures
