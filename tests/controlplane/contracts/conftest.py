"""The option that writes the frozen files."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    text = "write the frozen files of tests/controlplane/contracts; their diff is a change of the contract"
    parser.addoption("--freeze", action="store_true", help=text)


@pytest.fixture
def freeze(request: pytest.FixtureRequest) -> bool:
    """Whether to write the frozen files rather than compare with them."""
    return bool(request.config.getoption("freeze", False))  # unknown where this file is found late
