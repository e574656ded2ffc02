"""Fixtures: callers of the API, and a small network."""

from tests.support.controlplane.api_fixtures import (  # noqa: F401 - fixtures
    administrator,
    anonymous,
    caller_of_fixture,
    end_fixture,
    error_fixture,
    make_user_fixture,
    network,
    operator,
    pointers_fixture,
    problem_fixture,
    viewer,
    woken,
    world,
)
