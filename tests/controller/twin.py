"""Test files that `make test` also runs on os-ken: one for each module that uses the OpenFlow library.

`make test-full` runs all files of this folder on both libraries.
"""

TESTED_BY = {
    "ryu_app": "switch/test_connections_fake",
    "switch/datapath_claims": "switch/test_connections_fake",
    "switch/connection": "switch/test_channel",
    "switch/transactions": "switch/test_channel",
    "controller": "switch/test_connections_fake",
    "monitoring/port_counters": "test_open_vswitch",
    "discovery/prober": "openflow/test_lldp",
    "monitoring/event_ring": "switch/test_connections_fake",
    "switch/message_guard": "switch/test_guard",
    "launcher": "test_launcher",
    "northbound/routes": "switch/test_connections_fake",
    "programming/programmer": "programming/test_changes_fake",
    "switch/flow_stats": "programming/test_changes_fake",
    "control_messages/handler": "control_messages/test_signalling",
    "control_messages/queue": "control_messages/test_signalling",
    "source_check/rules": "test_open_vswitch",
    "switch/tls_channel": "switch/test_tls",
    "programming/staged_execution": "programming/test_bundles_fake",
}
"""A module of `controller_app` and the file that tests its calls of the library."""

OTHER = ("openflow/test_bytes", "source_check/test_sources")
"""Files that call the library themselves."""

OPENFLOW_FILES = frozenset((*TESTED_BY.values(), *OTHER))
