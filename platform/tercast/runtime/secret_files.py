"""Secrets: generated, without defaults, readable only by their owner."""

import os
import secrets
from pathlib import Path


class BadSecret(Exception):  # noqa: N818 - named by meaning
    """The file of a secret is empty."""


def secret(folder: Path, name: str, size: int = 48) -> str:
    """Return the secret `name` of `folder`; generate it at its first use.

    A new secret has `size` random bytes as text (mode 0600). If two processes ask at the same time, both get
    the secret of the first one that creates the file.
    """
    path = folder / name
    try:
        return _read(path)
    except FileNotFoundError:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        _create(path, secrets.token_urlsafe(size))
        return _read(path)


def _read(path: Path) -> str:
    value = path.read_text(encoding="ascii").strip()
    if not value:
        raise BadSecret(f"{path} is empty; restore it from a backup, or remove it to generate a new secret")
    return value


def _create(path: Path, value: str) -> None:
    temporary = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(value)
        file.flush()
        os.fsync(descriptor)
    try:
        os.link(temporary, path)
    except FileExistsError:
        pass
    finally:
        temporary.unlink()
