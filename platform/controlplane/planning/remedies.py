"""Remedies for requests that failed or wait, as texts for users.

A test compares these tables with every code that the planner can refuse with, and with every kind of problem
of requests.
"""

from typing import Any

from controlplane.common.problems import TYPE_PREFIX

BY_KIND = {
    "internal": (
        "This is an error of the platform, not of the request. Nothing was changed. Try again once. If it"
        " fails again, report the reason and the worker's log of that time to the maintainer of the"
        " platform."
    ),
    "refused": (
        "Increase the TCAM budget of the named switches, or select an aggregation method that merges more"
        " entries (page Budgets). Then try again."
    ),
    "switch": (
        "See on the page Health what the switch refused. The platform tries again automatically. If the"
        " entries of the switch differ from the plan, audit and repair it."
    ),
    "unreachable": (
        "Check that the switch runs and is configured to connect to the controller. Missing entries are"
        " installed when it reconnects."
    ),
    "waiting": (
        "No action is needed: the request continues automatically. If a switch stays disconnected, take it"
        " out of use (page Network). The page Health shows the cause."
    ),
}
"""Remedy by kind of problem, without a more specific code; `refused` alone means a full switch."""

_FILTER = (
    "Correct the filter. The list of topics shows the attributes and their domains. Then announce it again."
)
_TOPIC = "Correct the attributes of the topic, then add it again."
_DZ = "Correct the named dz: use only 0 and 1, and at most the topic's length. Then announce it again."
_ADDRESS = "Choose another address, or omit it so that the platform chooses one. Then try again."
_PORT = "See on the page Network which ports of the switch are in use, choose a free port and try again."
_GONE = "Choose an existing one (page Network lists them). It may have been removed or renamed meanwhile."
_MERGED = "Run the aggregation again (page Budgets): the tables have changed since the cells were chosen."
_CALL = "The call is malformed. Correct what the reason names (see the API documentation). Then try again."
_NAME = "Choose an unused name of letters, digits, “-”, “_” and “.”. Then try again."

BY_CODE = {
    **dict.fromkeys(("bad_count", "missing_key", "unknown_key", "unknown_operation", "wrong_type"), _CALL),
    **dict.fromkeys(
        ("bad_domain", "bad_text", "empty", "not_a_double", "not_finite", "unknown_type"), _TOPIC
    ),
    **dict.fromkeys(("filter_syntax", "number_too_large", "number_too_long", "number_too_small"), _FILTER),
    **dict.fromkeys(("matches_nothing", "missing_attribute", "out_of_domain", "unknown_value"), _FILTER),
    **dict.fromkeys(("too_complex", "too_deep", "unknown_attribute"), _FILTER),
    **dict.fromkeys(("not_a_dz", "dz_too_long"), _DZ),
    **dict.fromkeys(("bad_ip", "bad_mac", "foreign_address", "holds_signalling", "host_bits"), _ADDRESS),
    **dict.fromkeys(
        ("not_a_prefix", "not_an_address", "not_multicast", "too_short", "unknown_family"), _ADDRESS
    ),
    **dict.fromkeys(("port_in_use", "unknown_port", "self_link"), _PORT),
    **dict.fromkeys(("unknown_host", "unknown_switch"), _GONE),
    **dict.fromkeys(("not_below", "not_in_order", "overlap"), _MERGED),
    **dict.fromkeys(("bad_name", "reserved_name"), _NAME),
    "bad_dpid": "Use the datapath id that the switch shows: 16 hexadecimal digits. Then try again.",
    "budget": BY_KIND["refused"],
    "code_out_of_range": "Omit the topic's code, so that a free one is chosen, or remove an unused topic.",
    "duplicate": "It exists already. No action is needed, or choose another name.",
    "in_use": "First withdraw or remove what uses it, then try again.",
    "no_filter": (
        "First withdraw what hosts announced as dz cells (page Participants), or announce filters instead:"
        " cells without a filter cannot be encoded again. Then try again."
    ),
    "no_room": "The address prefix of the installation is too long. Choose a shorter one in its settings.",
    "not_moving": "No action is needed: the change of encoding is already complete.",
    "out_of_range": "Choose a number within the limits that the reason names, then try again.",
    "too_long": "Shorten what the reason names, then try again.",
    "unknown_id": "It is removed already. No action is needed.",
    "unknown_method": "Choose one of the methods on the page Budgets, then try again.",
    "unknown_topic": "Add the topic first, then try again.",
    "wrong_kind": "The id belongs to another kind of announcement. Withdraw that one, or use another id.",
}
"""Remedy by code of the first error."""

OTHERWISE = "Correct what the reason names, then try again."


def remedy(problem: dict[str, Any]) -> str:
    """Return the remedy for a problem that is stored with a request."""
    errors = problem.get("errors") or [{}]
    code = str(errors[0].get("code", ""))
    kind = str(problem.get("type", "")).removeprefix(TYPE_PREFIX)
    if kind == "refused" and not problem.get("switches"):
        return BY_CODE.get(code, OTHERWISE)
    return BY_KIND.get(kind) or BY_CODE.get(code, OTHERWISE)
