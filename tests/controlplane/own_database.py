"""Databases for platforms of their own, beside the one that tests share."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg

SERVER = os.environ.get("TERCAST_DATABASE_URL", "")
"""PostgreSQL, where the tests have one; `scripts/with_servers.sh` names it."""


def has_server() -> bool:
    """Whether there is a PostgreSQL to make databases in."""
    return SERVER.startswith("postgres")


@contextmanager
def server_database() -> Iterator[str]:
    """The URL of an empty database of the server, which goes with its end."""
    name = f"own_{secrets.token_hex(4)}"
    with psycopg.connect(SERVER, autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name}")
    try:
        yield urlunsplit(urlsplit(SERVER)._replace(path=f"/{name}"))
    finally:
        with psycopg.connect(SERVER, autocommit=True) as server:
            server.execute(f"DROP DATABASE {name} WITH (FORCE)")


@contextmanager
def empty_database(folder: Path) -> Iterator[str]:
    """The URL of an empty database: of the server where there is one, else a file in `folder`."""
    if has_server():
        with server_database() as url:
            yield url
    else:
        yield f"sqlite://{folder / 'own.sqlite3'}"
