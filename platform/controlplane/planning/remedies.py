"""What helps against the reason of a request that failed or waits, in words for those who asked for it.

A test lists every code that the planner can refuse with, and every kind of problem that requests are given,
and holds them against these tables.
"""

from typing import Any

from controlplane.common.problems import TYPE_PREFIX

BY_KIND = {
    "internal": (
        "This is a defect of the platform, and no fault of the request; nothing was changed. Try once more."
        " If it fails again, send the reason, and what the worker's log says at that time, to whoever"
        " maintains the platform."
    ),
    "refused": (
        "Give the switches that are named a larger TCAM budget, or let entries be merged by another"
        " aggregation method (page Budgets); then try again."
    ),
    "switch": (
        "See on page Health what the switch refused. It is tried again by itself; audit and mend the switch"
        " where its entries differ from the plan."
    ),
    "unreachable": (
        "See whether the switch runs and points at the controller. What is missing is installed as soon as it"
        " is back."
    ),
    "waiting": (
        "Nothing has to be done: it goes on by itself. A switch that stays away can be taken out of use (page"
        " Network); page Health shows what is wrong."
    ),
}
"""By the kind of problem, where no code says more; `refused` without a code is a switch without room."""

_FILTER = (
    "Correct the filter (the list of topics has the attributes and their domains), then announce it again."
)
_TOPIC = "Correct the attributes of the topic, then add it again."
_DZ = "Correct the dz that are named: 0 and 1 only, and no longer than the topic's. Then announce it again."
_ADDRESS = "Choose another address, or let the platform choose one by leaving it out; then try again."
_PORT = "See on page Network what is connected to the switch's ports, name a free port and try again."
_GONE = "Choose one that exists: it may have been removed or renamed meanwhile (page Network lists them)."
_MERGED = "Run the aggregation again (page Budgets): the tables have changed since the cells were chosen."
_CALL = (
    "The call is malformed. Correct what the reason names, as the API's description says, then make it again."
)
_NAME = "Choose another name: letters, digits, “-”, “_” and “.”, and none that is taken. Then try again."

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
    "bad_dpid": "Give the datapath id as the switch shows it: 16 hexadecimal digits. Then try again.",
    "budget": BY_KIND["refused"],
    "code_out_of_range": "Leave the topic's code out, and a free one is chosen; or remove an unused topic.",
    "duplicate": "It is there already; nothing more is needed, or choose another name.",
    "in_use": "Withdraw or remove first what uses it, then try again.",
    "no_filter": (
        "Withdraw first what hosts have announced as dz cells (page Participants), or have them announce"
        " filters instead: cells cannot be encoded anew without one. Then try again."
    ),
    "no_room": "The address prefix of the installation is too long. Choose a shorter one in its settings.",
    "not_moving": "Nothing has to be done: the change of encoding that it was to end is over.",
    "out_of_range": "Choose a number within the bounds that the reason names, then try again.",
    "too_long": "Shorten what the reason names, then try again.",
    "unknown_id": "It is gone already; nothing more is needed.",
    "unknown_method": "Choose one of the methods that page Budgets offers, then try again.",
    "unknown_topic": "Add the topic first, then try again.",
    "wrong_kind": "Its id is one of another kind of announcement. Withdraw that one, or name another id.",
}
"""By the code of the first error."""

OTHERWISE = "Correct what the reason names, then make the call again."


def remedy(problem: dict[str, Any]) -> str:
    """What helps against a problem as it is stored with a request."""
    errors = problem.get("errors") or [{}]
    code = str(errors[0].get("code", ""))
    kind = str(problem.get("type", "")).removeprefix(TYPE_PREFIX)
    if kind == "refused" and not problem.get("switches"):
        return BY_CODE.get(code, OTHERWISE)
    return BY_KIND.get(kind) or BY_CODE.get(code, OTHERWISE)
