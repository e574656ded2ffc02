"""Meanings of enumerated values in the OpenAPI description, by name of the enumeration."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

_METHODS = {
    "fa-lb": "redundant copies are estimated from the load of publishers",
    "fa-pb": "redundant copies are estimated from sampled events",
    "optimal": "fewest redundant copies of sampled events",
}
_ENDED = {
    "queued": "waits for a worker",
    "running": "a worker executes it",
    "succeeded": "complete, with a result",
    "failed": "ended by an error; see `reason`",
    "skipped": "not executed; see `reason`",
}

MEANINGS: Mapping[str, Mapping[str, str]] = {
    "AggregationMethodEnum": {
        "none": "no aggregation: changes that exceed a budget are refused",
        "la": "merges entries of one switch at a time, without past events",
        **_METHODS,
    },
    "RunMethodEnum": _METHODS,
    "RunStateEnum": _ENDED,
    "RunTriggerEnum": {
        "operator": "an operator requested it",
        "periodic": "the schedule started it",
        "revert": "an operator reverted an earlier run",
    },
    "AnalyticsRunStateEnum": {**_ENDED, "cancelled": "ended at the request of an operator"},
    "AnalyticsTriggerEnum": {"schedule": "the schedule started it", "operator": "an operator requested it"},
    "AuditTriggerEnum": {
        "operator": "an operator requested it",
        "periodic": "the schedule started it",
        "sign": "a sign that a switch lost entries, for example its restart",
    },
    "AuditStateEnum": {
        "queued": "waits for a worker",
        "running": "a worker reads the tables",
        "done": "all tables are checked",
    },
    "CheckStateEnum": {
        "waiting": "the table is not read yet",
        "equal": "the table equals the plan",
        "drifted": "the table differs, and the audit does not repair it",
        "repaired": "the table differed, and is repaired",
        "unrepaired": "the table differs after the repair; see `detail`",
        "unreachable": "the switch is not connected, or disconnected during the audit",
        "unsettled": "changes of the table are in progress, so it cannot be compared yet",
    },
    "DriftKindEnum": {
        "missing": "the plan has the entry, the table does not",
        "strange": "the table has the entry, the plan does not",
        "different": "the entry has other actions than in the plan",
    },
    "DemoStateEnum": {
        "absent": "no launcher runs",
        "offered": "a launcher waits for the request to start",
        "starting": "the network starts; see `step` and `progress`",
        "running": "the network runs",
        "stopping": "the network stops",
        "failed": "the start failed; see `reason`",
    },
    "TestEventStateEnum": {
        "queued": "waits for the launcher",
        "sending": "the launcher publishes it",
        "done": "published; `received` names the hosts that received it",
        "failed": "not published; see `problem`",
    },
    "DifferenceKindEnum": {
        "entry_missing": "the entry that should match is missing",
        "other_entry": "another entry matches, or an entry matches where none should",
        "foreign_entry": "an entry of another program matches",
        "other_ports": "the entry sends to other ports",
        "other_action": "the ports are correct, but another action differs",
        "other_wiring": "a port leads to a different switch from the one in the topology",
    },
    "ExplainReasonEnum": {
        "match": "a subscription of the host matches",
        "truncation": "only the cells of a subscription contain the event",
        "aggregation": "no subscription contains the event; a merged entry sends it",
        "stale_entry": "no subscription contains the event; an entry that is not in the plan sends it",
        "entry_missing": "a subscription matches, but a switch does not have the entry that it needs",
        "unreachable": "no path of working links exists",
        "switch_down": "all switches of the host are out of service",
        "host_down": "the host has no working port",
        "no_advertisement": "the publisher advertises nothing in the topic",
        "outside_advertisement": "the event does not match the advertisement, so it is not sent",
        "not_active": "switches have not confirmed the subscription yet",
        "failed": "the subscription that matches has failed",
        "withdrawn": "the subscription that matches is withdrawn",
        "no_match": "no subscription of the host matches",
        "no_subscription": "the host has no subscription to the topic",
    },
    "OriginKindEnum": {
        "exact": "all events that match the entry have subscribers",
        "aggregated": "the entry also matches events without subscribers, so that the table fits its budget",
        "unplanned": "the plan has no such entry",
    },
    "MeansEnum": {
        "trace": "the switch traces a packet of the event",
        "read_back": "the entries are read from the switches",
    },
    "ExperimentParameterSourceEnum": {
        "paper": "the paper states the value",
        "ours": "the paper does not state the value",
    },
    "ExperimentVerdictEnum": {
        "holds": "the rule confirms the claim",
        "differs": "the rule contradicts the claim",
        "undecided": "too few seeds, or times that were measured under load",
        "not run": "no stored result contains this claim",
    },
    "FoundLinkReasonEnum": {
        "policy": "the policy requires the approval of an operator",
        "edge_port": "a port belongs to a host",
        "port_in_use": "a port belongs to another link",
        "silent": "probes cross it only intermittently",
    },
    "FoundLinkStateEnum": {
        "waiting": "waits for an operator",
        "rejected": "an operator rejected it",
    },
    "HealthStatusEnum": {
        "ok": "no problem",
        "degraded": "a part of the platform does not work; deliveries continue",
        "failed": "changes cannot be carried out",
    },
    "MissingEnum": {
        "telemetry": "no reports arrived in the period",
        "job": "no run of the job has results in the period",
        "filter": "no result matches the query",
    },
    "OriginEnum": {"api": "registered over the API", "in-band": "registered by a control message of a host"},
    "OutcomeEnum": {
        "begun": "no result is known: the server was stopped during the action",
        "done": "carried out",
        "refused": "invalid, or in conflict with other objects",
        "denied": "the caller is not authenticated, or has no permission",
        "failed": "ended by an error of the server",
    },
    "ProposalMethodEnum": {
        "current": "the attributes that are indexed now",
        "all": "all attributes",
        "spectral": "PLEROMA's ranking of attributes",
        "greedy": "adds and removes attributes one at a time, by measured false positives",
        "learned": "cuts that are learned from events and subscriptions",
    },
    "ProposalTriggerEnum": {
        "period": "the platform calculates proposals periodically",
        "operator": "an operator requested it",
    },
    "ReachEnum": {
        "full": "paths to all matching objects exist",
        "partial": "paths to some matching objects exist",
        "none": "no path to a matching object exists",
    },
    "SourceEnum": {
        "controller": "the SDN controller",
        "aggregation": "the comparison of measured and predicted costs of merged entries",
        "audit": "audits of tables",
        "periodic": "periodic tasks",
        "planner": "announcements without a path",
        "disk": "free space of disks",
        "discovery": "found links",
    },
    "StandingEnum": {"good": "valid", "expired": "past its end time", "revoked": "withdrawn by a user"},
    "StateEnum": {
        "queued": "waits for the planner",
        "planning": "the planner computes the change",
        "deploying": "not all affected switches have confirmed the change",
        "active": "all affected switches have confirmed the change",
        "failed": "refused; nothing has changed",
        "withdrawn": "the object is withdrawn",
    },
}

_LINE = re.compile(r"\* `(?P<value>[^`]*)` - (?P<label>.*)")


def describe_enums(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Replace lists that only repeat values by meanings in an enumeration; remove other ones.

    Args:
        result: The OpenAPI description, which this changes.

    Returns:
        The description.
    """
    for owner in _described(result):
        lines = owner["description"].split("\n")
        kept = [line for line in lines if not _repeats(line)]
        if not any(kept) and any(lines):
            del owner["description"]
        elif len(kept) < len(lines):
            owner["description"] = "\n".join(kept).rstrip()
    schemas = result.get("components", {}).get("schemas", {})
    for name, meanings in MEANINGS.items():
        if name in schemas:
            schemas[name]["description"] = "\n".join(
                f"* `{value}` - {text}" for value, text in meanings.items()
            )
    return result


def _repeats(line: str) -> bool:
    found = _LINE.fullmatch(line.strip())
    return found is not None and _plain(found["value"]) == _plain(found["label"])


def _plain(text: str) -> str:
    return re.sub(r"\W|_", "", text).lower()


def _described(node: Any) -> Iterator[dict[str, Any]]:
    if isinstance(node, dict):
        if isinstance(node.get("description"), str):
            yield node
        for each in list(node.values()):
            yield from _described(each)
    elif isinstance(node, list):
        for each in node:
            yield from _described(each)
