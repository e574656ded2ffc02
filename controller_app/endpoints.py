"""Addresses at which the controller listens, and their defaults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from controller_app.errors import SettingError

OPENFLOW, NORTHBOUND, STATE_DIR = "TERCAST_OPENFLOW", "TERCAST_NORTHBOUND_URL", "TERCAST_STATE_DIR"
"""Environment variables that the control plane reads too, so each fact is set once for both."""

SCHEMES = ("tcp", "ssl")


@dataclass(frozen=True, slots=True)
class Endpoints:
    """Addresses of both listening sockets, and whether switches must use TLS."""

    openflow: tuple[str, int]
    northbound: tuple[str, int]
    tls: bool

    def to_json(self) -> dict[str, object]:
        """Return the answer to `GET /v1/listening`."""
        host, port = self.openflow
        return {
            "openflow": {
                "scheme": SCHEMES[self.tls],
                "address": host,
                "port": port,
                "local_only": ip_address(host).is_loopback,
                "client_certificate": self.tls,
            },
            "northbound": {"address": self.northbound[0], "port": self.northbound[1]},
        }


def openflow_default(environment: Mapping[str, str]) -> str:
    """Return the value of `--openflow` if the command line has none."""
    return environment.get(OPENFLOW) or "127.0.0.1:6653"


def northbound_default(environment: Mapping[str, str]) -> str:
    """Return the value of `--northbound` if the command line has none.

    Raises:
        SettingError: The environment variable is not a URL with a port.
    """
    url = environment.get(NORTHBOUND) or "http://127.0.0.1:6680"
    parts = urlsplit(url)
    try:
        port = parts.port
    except ValueError:
        port = None
    if parts.scheme != "http" or not parts.hostname or port is None:
        rule = (
            f"{url!r} is not a URL of the form http://ADDRESS:PORT; correct it or set --northbound HOST:PORT"
        )
        raise SettingError(f"{NORTHBOUND}: {rule}")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{host}:{port}"


def token_default(environment: Mapping[str, str]) -> str:
    """Return the default of `--token-file`; empty if there is none."""
    return _secret_default(environment, "northbound-token")


def discovery_key_default(environment: Mapping[str, str]) -> str:
    """Return the default of `--discovery-key-file`; empty for no file."""
    return _secret_default(environment, "discovery-key")


def _secret_default(environment: Mapping[str, str], name: str) -> str:
    state_dir = environment.get(STATE_DIR)
    return str(Path(state_dir) / "secrets" / name) if state_dir else ""


def split_scheme(text: str) -> tuple[str, str]:
    """Split the scheme `tcp:` or `ssl:` (or empty text) from HOST:PORT."""
    scheme, colon, rest = text.partition(":")
    return (scheme, rest) if colon and scheme in SCHEMES else ("", text)
