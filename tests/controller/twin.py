"""Which test files run on os-ken as well in `make test`: one for each module that uses the OpenFlow library.

`make test-full` runs all files of this folder on both libraries.
"""

TESTED_BY = {
    "ryu_app": "test_connections_fake",
    "switch/datapath_claims": "test_connections_fake",
    "switch/connection": "test_channel",
    "controller": "test_connections_fake",
    "monitoring/port_counters": "test_open_vswitch",
    "discovery/prober": "test_lldp",
    "monitoring/event_ring": "test_connections_fake",
    "switch/message_guard": "test_guard",
    "launcher": "test_launcher",
    "northbound/routes": "test_connections_fake",
    "programming/programmer": "test_changes_fake",
    "switch/flow_stats": "test_changes_fake",
    "control_messages/handler": "test_signalling",
    "control_messages/queue": "test_signalling",
    "source_check/rules": "test_open_vswitch",
    "switch/tls_channel": "test_tls",
    "programming/staged_execution": "test_bundles_fake",
}
"""A module of `controller_app` and the file that drives its calls of the library."""

OTHER = ("test_bytes", "test_sources")
"""Files that call the library themselves."""

OPENFLOW_FILES = frozenset((*TESTED_BY.values(), *OTHER))
