"""The files of OpenFlow over TLS: the controller's certificate and key, and whom it trusts."""

from __future__ import annotations

import ssl
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from controller_app.errors import SettingError

VARIABLES = ("TERCAST_TLS_CERTIFICATE", "TERCAST_TLS_KEY", "TERCAST_TLS_AUTHORITY")
OPTIONS = ("--tls-certificate", "--tls-key", "--tls-authority")


@dataclass(frozen=True, slots=True)
class Files:
    """The controller's certificate and key, and that of the authority that vouches for switches."""

    certificate: str
    key: str
    authority: str

    @classmethod
    def read(cls, given: tuple[str, str, str]) -> Files | None:
        """All three, or None where none is given. Raises SettingError for some without the others."""
        if not any(given):
            return None
        for value, option, variable in zip(given, OPTIONS, VARIABLES, strict=True):
            if not value:
                raise SettingError(
                    f"{option}: is missing; TLS takes all of {', '.join(OPTIONS)} ({variable})"
                )
        return cls(*given)

    def context(self) -> ssl.SSLContext:
        """What greets switches. Raises SettingError for files that cannot be used."""
        self._check_key()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.verify_mode = ssl.CERT_REQUIRED
        _load(OPTIONS[0], self.certificate, lambda: context.load_cert_chain(self.certificate, self.key))
        _load(OPTIONS[2], self.authority, lambda: context.load_verify_locations(self.authority))
        return context

    def _check_key(self) -> None:
        try:
            mode = Path(self.key).stat().st_mode
        except OSError as error:
            raise SettingError(f"{OPTIONS[1]}: cannot read {self.key!r}: {error.strerror}") from None
        if mode & (stat.S_IRWXO | stat.S_IWGRP):
            rule = f"can be read by others (mode {stat.S_IMODE(mode):o}); chmod 600 it"
            raise SettingError(f"{OPTIONS[1]}: {self.key!r} {rule}")


def _load(option: str, path: str, load: Callable[[], object]) -> None:
    try:
        load()
    except ssl.SSLError as error:
        what = "a PEM file of its kind, and key and certificate must belong together"
        raise SettingError(f"{option}: {path!r} is not {what} ({error.reason or error})") from None
    except OSError as error:
        raise SettingError(f"{option}: cannot read {path!r}: {error.strerror}") from None
