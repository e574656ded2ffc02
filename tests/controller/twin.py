"""Which test files run on os-ken as well in `make test`: one for each module that uses the OpenFlow library.

`make test-full` runs all files of this folder on both libraries.
"""

TESTED_BY = {
    "app": "test_connections_fake",
    "claims": "test_connections_fake",
    "connection": "test_channel",
    "controller": "test_connections_fake",
    "counters": "test_open_vswitch",
    "discovery": "test_lldp",
    "events": "test_connections_fake",
    "guard": "test_guard",
    "launcher": "test_launcher",
    "northbound": "test_connections_fake",
    "programmer": "test_changes_fake",
    "readback": "test_changes_fake",
    "signalling": "test_signalling",
    "signals": "test_signalling",
    "sources": "test_open_vswitch",
    "tls": "test_tls",
    "turns": "test_bundles_fake",
}
"""A module of `controller_app` and the file that drives its calls of the library."""

OTHER = ("test_bytes", "test_sources")
"""Files that call the library themselves."""

OPENFLOW_FILES = frozenset((*TESTED_BY.values(), *OTHER))
