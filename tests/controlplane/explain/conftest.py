"""Fixtures: a fake controller, and a small network that it serves."""

from tests.support.controlplane.controller_fixtures import (  # noqa: F401 - fixtures
    controller,
    network,
    own_process_state,
)
