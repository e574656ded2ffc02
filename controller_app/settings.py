"""Settings, read once from the command line; a bad one stops the start with its name."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from ipaddress import ip_address
from math import isfinite
from pathlib import Path
from secrets import token_bytes
from stat import S_IMODE

from controller_app.endpoints import (
    NORTHBOUND,
    OPENFLOW,
    SCHEMES,
    STATE_DIR,
    northbound_default,
    openflow_default,
    split_scheme,
)
from controller_app.errors import SettingError
from controller_app.openflow.flow_entry import FAMILIES
from controller_app.options import make_parser
from controller_app.switch.admission import ConnectionLimits
from controller_app.switch.datapath_proof import OPTION, ProofPolicy
from controller_app.switch.limits import SwitchLimits
from controller_app.tls_files import OPTIONS, TlsFiles
from tercast.runtime.log_format import FORMAT_VARIABLE, FORMATS
from tercast.runtime.secret_files import BadSecret, secret

MIN_TOKEN = 16
MAX_PORTS = 65536


@dataclass(frozen=True, slots=True)
class ListenAddress:
    """An address to listen at; with port 0 the system chooses the port."""

    host: str
    port: int

    @classmethod
    def parse(cls, text: str, name: str) -> ListenAddress:
        """Parse HOST:PORT; the host is an IP address (IPv6 in brackets) or `localhost`.

        Raises:
            SettingError: The text has another form; the message starts with `name`.
        """
        host, colon, port = text.rpartition(":")
        host = "127.0.0.1" if host == "localhost" else host.removeprefix("[").removesuffix("]")
        try:
            ip_address(host)
        except ValueError:
            raise SettingError(f"{name}: {text!r} is not HOST:PORT with an IP address as the host") from None
        if not colon or not (port.isascii() and port.isdigit()) or len(port) > 5 or int(port) > 65535:
            raise SettingError(f"{name}: {text!r} does not end in a port from 0 to 65535; write HOST:PORT")
        return cls(host, int(port))

    @property
    def loopback(self) -> bool:
        """Whether only this machine can reach it."""
        return ip_address(self.host).is_loopback

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings of the controller."""

    openflow: ListenAddress
    northbound: ListenAddress
    token: str = field(repr=False)
    families: tuple[str, ...] = FAMILIES
    bundles: bool = True
    probe_interval: float = 5.0
    poll_interval: float = 2.0
    reply_timeout: float = 5.0
    log_format: str = "text"
    log_level: str = "info"
    tls: TlsFiles | None = None
    discovery_key: bytes = field(default_factory=lambda: token_bytes(32), repr=False)
    """Key that seals discovery probes; without a file, each run has its own."""
    switch_proof: ProofPolicy = ProofPolicy.FIRST_USE
    switch_keys: Path | None = None
    most: ConnectionLimits = field(default_factory=ConnectionLimits)
    bounds: SwitchLimits = field(default_factory=SwitchLimits)


def read_settings(arguments: Sequence[str] | None = None) -> Settings:
    """Read the settings of a command line; argparse ends the process if the form is wrong.

    Raises:
        SettingError: A value breaks a rule.
    """
    given = make_parser().parse_args(arguments)
    northbound = _northbound(given.northbound)
    if not northbound.loopback and not given.allow_remote_northbound:
        raise SettingError(
            f"--northbound: other machines can reach {northbound}; use a loopback address, "
            "or add --allow-remote-northbound"
        )
    tls = TlsFiles.read((given.tls_certificate, given.tls_key, given.tls_authority))
    return Settings(
        openflow=_openflow(given.openflow, tls is not None),
        northbound=northbound,
        token=_read_token(given.token_file or _no_token_file()),
        families=FAMILIES if given.family == "both" else (given.family,),
        bundles=not given.no_bundles,
        probe_interval=_seconds(given.probe_interval, "--probe-interval", 0.1, 300),
        poll_interval=_seconds(given.poll_interval, "--poll-interval", 0.1, 300),
        reply_timeout=_seconds(given.reply_timeout, "--reply-timeout", 0.1, 300),
        log_format=_log_format(given.log_format),
        log_level=given.log_level,
        tls=tls,
        discovery_key=_discovery_key(given.discovery_key_file),
        switch_proof=_switch_proof(given.switch_proof),
        switch_keys=Path(given.switch_keys) if given.switch_keys else None,
        most=ConnectionLimits(
            _count(given.max_connections, "--max-connections", 100_000),
            _count(given.max_connections_address, "--max-connections-address", 100_000),
            _count(given.max_handshakes, "--max-handshakes", 100_000),
        ),
        bounds=SwitchLimits(
            _seconds(given.answer_timeout, "--answer-timeout", 0.1, 3600),
            _count(given.max_ports, "--max-ports", MAX_PORTS),
        ),
    )


def _openflow(given: str | None, tls: bool) -> ListenAddress:
    name = OPENFLOW if given is None and os.environ.get(OPENFLOW) else "--openflow"
    text = openflow_default(os.environ) if given is None else given
    scheme, rest = split_scheme(text)
    if scheme and scheme != SCHEMES[tls]:
        state = "are set" if tls else "are not set"
        options = ", ".join(OPTIONS)
        remedy = f"write ssl:, or do not set {options}" if tls else f"set {options}, or write tcp:"
        raise SettingError(f"{name}: {text!r} has the scheme {scheme}, but the TLS files {state}; {remedy}")
    return ListenAddress.parse(rest, name)


def _northbound(given: str | None) -> ListenAddress:
    if given is not None:
        return ListenAddress.parse(given, "--northbound")
    return ListenAddress.parse(northbound_default(os.environ), NORTHBOUND)


def _switch_proof(text: str) -> ProofPolicy:
    if text not in tuple(ProofPolicy):
        raise SettingError(f"{OPTION}: unknown value {text!r}; use one of {', '.join(ProofPolicy)}")
    return ProofPolicy(text)


def _no_token_file() -> str:
    raise SettingError(f"--token-file: no file is set; set --token-file PATH or {STATE_DIR}")


def _log_format(text: str) -> str:
    if text not in FORMATS:  # argparse checks options, but not their defaults
        raise SettingError(f"{FORMAT_VARIABLE}: unknown format {text!r}; use one of {', '.join(FORMATS)}")
    return text


def _seconds(text: str, name: str, low: float, high: float) -> float:
    try:
        value = float(text)
    except ValueError:
        raise SettingError(
            f"{name}: {text!r} is not a number; use a number of seconds from {low:g} to {high:g}"
        ) from None
    if not isfinite(value) or not low <= value <= high:
        raise SettingError(
            f"{name}: {text} is out of range; use a number of seconds from {low:g} to {high:g}"
        )
    return value


def _count(text: str, name: str, most: int) -> int:
    if not (text.isascii() and text.isdigit()) or not 1 <= int(text[:9]) <= most or len(text) > 9:
        raise SettingError(f"{name}: {text!r} is not a whole number from 1 to {most}")
    return int(text)


def _read_token(path: str) -> str:
    try:
        token = Path(path).read_text("ascii").strip()
    except (OSError, UnicodeDecodeError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not ASCII text"
        raise SettingError(f"--token-file: cannot read {path!r}: {reason}") from None
    if len(token) < MIN_TOKEN or not token.isprintable() or " " in token:
        raise SettingError(
            f"--token-file: {path!r} must contain one token of at least {MIN_TOKEN} printable characters"
        )
    return token


def _discovery_key(path: str) -> bytes:
    """Return the key in a file, which the first use creates; without a path, return a new key."""
    if not path:
        return token_bytes(32)
    name = "--discovery-key-file"
    try:
        key = secret(Path(path).parent, Path(path).name)
        mode = S_IMODE(Path(path).stat().st_mode)
    except (OSError, UnicodeDecodeError, BadSecret) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise SettingError(f"{name}: cannot read or create {path!r}: {reason}") from None
    if mode & 0o077:
        raise SettingError(
            f"{name}: {path!r} has mode {mode:04o}, so other users can read or change it; run chmod 600, "
            "or remove the file: the next start creates another key"
        )
    if len(key) < MIN_TOKEN:
        rule = f"{path!r} has {len(key)} characters; a key has at least {MIN_TOKEN}; remove the file"
        raise SettingError(f"{name}: {rule}")
    return key.encode("ascii")
