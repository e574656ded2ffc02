"""The options of the controller's command line, and their defaults from the environment."""

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
    ("connections", ConnectionLimits().connections, "connections of switches at one time"),
    ("connections-address", ConnectionLimits().of_address, "of them from one address"),
    (
        "handshakes",
        ConnectionLimits().in_handshake,
        "of them before the end of their handshake, half from one address",
    ),
    ("ports", SwitchLimits().ports, "ports of a switch"),
)
_TLS = (
    "the controller's certificate: switches then connect by TLS, with one of their own",
    "its key",
    "the authority's certificate, which has to vouch for switches",
)


def make_parser() -> ArgumentParser:
    """Return a parser of the command line; values are texts, which `settings` checks."""
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
    """Where to listen and for which family, and the files of secrets."""
    add = parser.add_argument
    add(
        "--openflow",
        metavar="HOST:PORT",
        help=f"where switches connect (127.0.0.1:6653, or {OPENFLOW}); tcp: or ssl: in front is checked",
    )
    add(
        "--northbound",
        metavar="HOST:PORT",
        help=f"for the API (127.0.0.1:6680, or the address of {NORTHBOUND})",
    )
    add(
        "--token-file",
        metavar="PATH",
        default=token_default(os.environ),
        help=f"a file with the token that the API asks for (secrets/northbound-token in {STATE_DIR})",
    )
    add(
        "--discovery-key-file",
        metavar="PATH",
        default=discovery_key_default(os.environ),
        help="a file with the key that seals discovery probes, made at the first start "
        f"(secrets/discovery-key in {STATE_DIR}; without either, a key of this run)",
    )
    add("--family", choices=(*FAMILIES, "both"), default="both", help="address families served (%(default)s)")
    add(
        "--allow-remote-northbound",
        action="store_true",
        help="allow a northbound address that other machines reach",
    )


def _add_proof(parser: ArgumentParser) -> None:
    """TLS, and what proves a datapath id."""
    add = parser.add_argument
    for option, variable, what in zip(OPTIONS, VARIABLES, _TLS, strict=True):
        add(option, metavar="PEM", default=os.environ.get(variable, ""), help=f"{what} (else by {variable})")
    add(
        OPTION,
        metavar="|".join(ProofPolicy),
        default=os.environ.get(VARIABLE, ProofPolicy.FIRST_USE),
        help=f"over TLS, what proves a datapath id to which nothing is bound (%(default)s, by {VARIABLE})",
    )
    add(
        "--switch-keys",
        metavar="PATH",
        default=_keys_default(),
        help=f"a file with the keys that are bound to datapath ids (secrets/{FILE_NAME} in {STATE_DIR})",
    )


def _add_pace(parser: ArgumentParser) -> None:
    """How entries are sent, and the times between readings and until answers."""
    add = parser.add_argument
    add("--no-bundles", action="store_true", help="send single flow-mods, also to switches that know bundles")
    add("--probe-interval", metavar="SECONDS", default="5", help="between discovery probes (%(default)s)")
    add("--poll-interval", metavar="SECONDS", default="2", help="between readings of counters (%(default)s)")
    add("--reply-timeout", metavar="SECONDS", default="5", help="until a switch is silent (%(default)s)")
    add(
        "--answer-timeout",
        metavar="SECONDS",
        default="60",
        help="until a whole answer in parts has to be there (%(default)s)",
    )


def _add_limits(parser: ArgumentParser) -> None:
    """The bounds on connections and ports."""
    for name, default, what in _MOST:
        parser.add_argument(f"--max-{name}", metavar="N", default=str(default), help=f"{what} (%(default)s)")


def _add_log(parser: ArgumentParser) -> None:
    """The log."""
    add = parser.add_argument
    add(
        "--log-format",
        choices=FORMATS,
        default=os.environ.get(FORMAT_VARIABLE, FORMATS[0]),
        help=f"form of the log lines (%(default)s, by {FORMAT_VARIABLE})",
    )
    add(
        "--log-level",
        choices=("debug", "info", "warning", "error"),
        default="info",
        help="from which level on (%(default)s)",
    )


def _keys_default() -> str:
    state = os.environ.get(STATE_DIR, "")
    return str(Path(state, "secrets", FILE_NAME)) if state else ""
