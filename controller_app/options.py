"""Options of the controller's command line, with defaults from the environment."""

from __future__ import annotations

import os
from argparse import ArgumentParser
from pathlib import Path

from controller_app.endpoints import (
    NORTHBOUND,
    OPENFLOW,
    STATE_DIR,
    discovery_key_default,
    token_default,
)
from controller_app.openflow.flow_entry import FAMILIES
from controller_app.switch.admission import ConnectionLimits
from controller_app.switch.datapath_proof import FILE_NAME, OPTION, VARIABLE, ProofPolicy
from controller_app.switch.limits import SwitchLimits
from controller_app.tls_files import OPTIONS, VARIABLES
from tercast.runtime.log_format import FORMAT_VARIABLE, FORMATS

_MOST = (
    ("connections", ConnectionLimits().connections, "highest number of connections from switches"),
    ("connections-address", ConnectionLimits().of_address, "highest number of connections from one address"),
    (
        "handshakes",
        ConnectionLimits().in_handshake,
        "highest number of connections during the handshake; one address may use half of them",
    ),
    ("ports", SwitchLimits().ports, "highest number of ports of a switch"),
)
_TLS = (
    "file with the controller's certificate; switches must then use TLS and have certificates",
    "file with the key of the controller's certificate",
    "file with the certificate of the authority that signs the certificates of switches",
)


def make_parser() -> ArgumentParser:
    """Return a parser of the command line; its values are texts, which `settings` checks."""
    parser = ArgumentParser(
        "controller_app", description="Tercast's OpenFlow 1.3 controller.", allow_abbrev=False
    )
    _add_addresses(parser)
    _add_proof(parser)
    _add_pace(parser)
    _add_limits(parser)
    _add_log(parser)
    return parser


def _add_addresses(parser: ArgumentParser) -> None:
    """Add the options for addresses, address families and files of secrets."""
    add = parser.add_argument
    add(
        "--openflow",
        metavar="HOST:PORT",
        help=f"address for switches (127.0.0.1:6653, or {OPENFLOW}); the prefix tcp: or ssl: must match TLS",
    )
    add(
        "--northbound",
        metavar="HOST:PORT",
        help=f"address of the API (127.0.0.1:6680, or the address in {NORTHBOUND})",
    )
    add(
        "--token-file",
        metavar="PATH",
        default=token_default(os.environ),
        help=f"file with the bearer token of the API (secrets/northbound-token in {STATE_DIR})",
    )
    add(
        "--discovery-key-file",
        metavar="PATH",
        default=discovery_key_default(os.environ),
        help="file with the key that seals discovery probes; the first start creates it "
        f"(secrets/discovery-key in {STATE_DIR}; without a file, each run uses a new key)",
    )
    add("--family", choices=(*FAMILIES, "both"), default="both", help="families of events (%(default)s)")
    add(
        "--allow-remote-northbound",
        action="store_true",
        help="allow a northbound address that other machines can reach",
    )


def _add_proof(parser: ArgumentParser) -> None:
    """Add the options for TLS and for the proof of datapath ids."""
    add = parser.add_argument
    for option, variable, what in zip(OPTIONS, VARIABLES, _TLS, strict=True):
        add(option, metavar="PEM", default=os.environ.get(variable, ""), help=f"{what} (or {variable})")
    add(
        OPTION,
        metavar="|".join(ProofPolicy),
        default=os.environ.get(VARIABLE, ProofPolicy.FIRST_USE),
        help="with TLS: how a switch must prove its datapath id if no key is stored for this id "
        f"(%(default)s, or {VARIABLE})",
    )
    add(
        "--switch-keys",
        metavar="PATH",
        default=_keys_default(),
        help=f"file with the keys that are bound to datapath ids (secrets/{FILE_NAME} in {STATE_DIR})",
    )


def _add_pace(parser: ArgumentParser) -> None:
    """Add the options for bundles, periods and time-outs."""
    add = parser.add_argument
    add("--no-bundles", action="store_true", help="send single flow-mods even if a switch supports bundles")
    add("--probe-interval", metavar="SECONDS", default="5", help="period of discovery probes (%(default)s)")
    add("--poll-interval", metavar="SECONDS", default="2", help="period of counter readings (%(default)s)")
    add("--reply-timeout", metavar="SECONDS", default="5", help="time-out for an answer (%(default)s)")
    add(
        "--answer-timeout",
        metavar="SECONDS",
        default="60",
        help="time-out for all parts of an answer together (%(default)s)",
    )


def _add_limits(parser: ArgumentParser) -> None:
    """Add the limits on connections and ports."""
    for name, default, what in _MOST:
        parser.add_argument(f"--max-{name}", metavar="N", default=str(default), help=f"{what} (%(default)s)")


def _add_log(parser: ArgumentParser) -> None:
    """Add the options of the log."""
    add = parser.add_argument
    add(
        "--log-format",
        choices=FORMATS,
        default=os.environ.get(FORMAT_VARIABLE, FORMATS[0]),
        help=f"format of the log lines (%(default)s, or {FORMAT_VARIABLE})",
    )
    add(
        "--log-level",
        choices=("debug", "info", "warning", "error"),
        default="info",
        help="lowest level of the log lines (%(default)s)",
    )


def _keys_default() -> str:
    state = os.environ.get(STATE_DIR, "")
    return str(Path(state, "secrets", FILE_NAME)) if state else ""
