"""Give each xdist worker its own Redis database: what one worker sends, another would take."""

import os
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import pytest

VARIABLE = "TERCAST_REDIS_URL"


def numbered(url: str, number: int) -> str:
    """The URL of the same Redis with the database `number`."""
    return urlunsplit(urlsplit(url)._replace(path=f"/{number}"))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_setupnodes(specs: list[Any]) -> None:
    """Set the environment of the workers, before any of them reads Django's settings."""
    if url := os.environ.get(VARIABLE):
        for number, spec in enumerate(specs, start=1):
            spec.env[VARIABLE] = numbered(url, number)
