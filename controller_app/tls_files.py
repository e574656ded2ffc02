"""Files of OpenFlow over TLS: certificate, key and trusted authority."""

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
class TlsFiles:
    """Paths of the controller's certificate and key, and of the certificate of the authority."""

    certificate: str
    key: str
    authority: str

    @classmethod
    def read(cls, given: tuple[str, str, str]) -> TlsFiles | None:
        """Check the paths; all three are required, or none.

        Returns:
            The files, or None if no path is set.

        Raises:
            SettingError: Only some of the paths are set.
        """
        if not any(given):
            return None
        for value, option, variable in zip(given, OPTIONS, VARIABLES, strict=True):
            if not value:
                raise SettingError(
                    f"{option}: no file is set; TLS requires all of {', '.join(OPTIONS)}. Set {option} or "
                    f"{variable}"
                )
        return cls(*given)

    def context(self) -> ssl.SSLContext:
        """Return the TLS settings for connections of switches.

        Raises:
            SettingError: A file cannot be used.
        """
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
            rule = f"is accessible to other users (mode {stat.S_IMODE(mode):o}); run chmod 600"
            raise SettingError(f"{OPTIONS[1]}: {self.key!r} {rule}")


def _load(option: str, path: str, load: Callable[[], object]) -> None:
    try:
        load()
    except ssl.SSLError as error:
        reason = error.reason or error
        rule = "it must be a PEM file"
        if option == OPTIONS[0]:
            rule += f" of a certificate, and {OPTIONS[1]} must be the file of its private key"
        raise SettingError(f"{option}: cannot use {path!r}: {reason}; {rule}") from None
    except OSError as error:
        raise SettingError(f"{option}: cannot read {path!r}: {error.strerror}") from None
