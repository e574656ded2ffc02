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
        "Increase the budget of the named switches (page Budgets, tab Switches), or choose an aggregation "
        "method that merges more entries (tab Policy). Then try again."
    ),
    "switch": (
        "The tab Switches of the page Health and audit shows what the switch refused. The platform tries "
        "again automatically. If entries of the switch differ from the plan, repair them (tab Drift and "
        "audits, button Audit tables)."
    ),
    "unreachable": (
        "Check that the switch runs and is configured to connect to the controller. The platform installs "
        "the missing entries when the switch reconnects."
    ),
    "waiting": (
        "No action is needed: the request continues automatically. If a switch stays disconnected, the page "
        "Health and audit shows the cause. If it does not return, take it out of service (`PATCH "
        "switches/<id>/` with `up: false`)."
    ),
}
"""Remedy by kind of problem, without a more specific code; `refused` alone means a full switch."""

_FILTER = (
    "Correct the filter. The page Topics shows the attributes and their allowed values. Then announce it "
    "again."
)
_TOPIC = "Correct the attributes of the topic, then add it again."
_DZ = (
    "Correct the cell (dz) that the reason names: use only 0 and 1, and at most the number of bits that the "
    "reason names. Then announce it again."
)
_ADDRESS = "Choose another address, or omit it so that the platform chooses one. Then try again."
_PORT = (
    "Open the switch on the page Network. Its tab Ports shows the ports in use. Choose a free one and try "
    "again."
)
_GONE = (
    "The switch or host that the reason names does not exist, or was removed. Choose another one. The page "
    "Network lists all switches and hosts."
)
_MERGED = (
    "The tables have changed since the run chose its merged entries. Start a new run (page Budgets, tab "
    "Runs)."
)
_CALL = (
    "The call is not valid. Correct the field that the reason names (see the API reference). Then try again."
)
_NAME = "Choose an unused name of letters, digits, “-”, “_” and “.”. Then try again."

BY_CODE = {
    **dict.fromkeys(("bad_count", "missing_key", "unknown_key", "unknown_operation", "wrong_type"), _CALL),
    **dict.fromkeys(
        (
            "bad_cut",
            "bad_domain",
            "bad_text",
            "empty",
            "not_a_double",
            "not_finite",
            "unknown_type",
            "useless_cut",
        ),
        _TOPIC,
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
    "duplicate": "The object exists already. Choose another name, or do nothing.",
    "in_use": "First withdraw or remove the objects that use it. Then try again.",
    "no_filter": (
        "First withdraw the announcements that have cells (dz) without a filter (page Publishers and "
        "subscribers), or replace them with filters. The platform cannot calculate new cells without a "
        "filter. Then try again."
    ),
    "no_room": (
        "The multicast address prefix of the installation leaves no bits for topics and cells. Choose a "
        "shorter prefix in its settings."
    ),
    "not_moving": "No action is needed: the topic already uses its new code.",
    "out_of_range": "Choose a number within the limits that the reason names, then try again.",
    "too_long": "Shorten what the reason names, then try again.",
    "unknown_id": "The object is already removed. No action is needed.",
    "unknown_method": "Choose one of the methods on the page Budgets, tab Policy. Then try again.",
    "unknown_topic": "Add the topic first (page Topics, button Create topic). Then try again.",
    "wrong_kind": (
        "The id belongs to an announcement of the other kind (advertisement or subscription). Withdraw this "
        "announcement, or use another id."
    ),
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
