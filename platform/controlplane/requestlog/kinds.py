"""Kinds of requests in the control plane: one row for each kind, and derived sets."""

from collections.abc import Callable
from dataclasses import dataclass

from tercast.requests.kinds import (
    ADD_HOST,
    ADD_LINK,
    ADD_SWITCH,
    ADD_TOPIC,
    ADVERTISE,
    AGGREGATE,
    FINISH_MOVE,
    HOST_MOVE,
    LINK_DOWN,
    LINK_UP,
    REMOVE_HOST,
    REMOVE_LINK,
    REMOVE_SWITCH,
    REMOVE_TOPIC,
    SET_AGGREGATION,
    SET_BUDGET,
    SET_CAPACITY,
    SET_INDEXED,
    SET_RESERVE,
    SUBSCRIBE,
    SWITCH_DOWN,
    SWITCH_UP,
    UNADVERTISE,
    UNSUBSCRIBE,
)
from tercast.requests.registry import ADVERTISEMENT, SUBSCRIPTION

SWITCH, LINK, HOST, TOPIC = "switch", "link", "host", "topic"


@dataclass(frozen=True, slots=True)
class RequestKind:
    """Properties of one kind of request.

    Attributes:
        name: Name of the kind in the log, in the API and in the payload (`op`).
        subject: Type of the object that it concerns; None for the network as a whole.
        withdrawn_by: Kind that withdraws what this kind announces; None if it announces nothing.
        withdraws: Whether it ends an announcement.
        can_fail: Whether it can fail because a table is full; the others are always carried out.
        begins_batch: Whether it must be the first of its batch, because it depends on the tables.
        ends_batch: Whether it must be the last of its batch, because a later request may reuse its name.
        changes_row: Whether its end changes the row of its subject, which is locked before.
        changes_topology: Whether it may move topics; such requests keep their order.
        takes_down: Whether it takes a switch or link out of use.
        removes_part: Whether it removes a part of the network; the removal of a switch ends last.
        narrows_sources: Whether events of hosts may use the old path until it ends, and not after.
        changes_matches: Whether it may change the matches of other subscriptions.
        asked: Keys of its payload that the API shows, because the object does not have the values yet.
    """

    name: str
    subject: str | None = None
    withdrawn_by: str | None = None
    withdraws: bool = False
    can_fail: bool = False
    begins_batch: bool = False
    ends_batch: bool = False
    changes_row: bool = False
    changes_topology: bool = False
    takes_down: bool = False
    removes_part: bool = False
    narrows_sources: bool = False
    changes_matches: bool = False
    asked: tuple[str, ...] = ()


_ROWS = (
    RequestKind(ADVERTISE, ADVERTISEMENT, withdrawn_by=UNADVERTISE, can_fail=True, changes_matches=True),
    RequestKind(UNADVERTISE, ADVERTISEMENT, withdraws=True, can_fail=True, changes_matches=True),
    RequestKind(SUBSCRIBE, SUBSCRIPTION, withdrawn_by=UNSUBSCRIBE, can_fail=True),
    RequestKind(UNSUBSCRIBE, SUBSCRIPTION, withdraws=True, can_fail=True),
    RequestKind(ADD_SWITCH, SWITCH),
    RequestKind(
        REMOVE_SWITCH, SWITCH, ends_batch=True, changes_row=True, changes_topology=True, removes_part=True
    ),
    RequestKind(SWITCH_UP, SWITCH, changes_row=True, changes_topology=True),
    RequestKind(SWITCH_DOWN, SWITCH, changes_row=True, changes_topology=True, takes_down=True),
    RequestKind(SET_BUDGET, SWITCH, can_fail=True, changes_row=True, asked=("tcam_budget",)),
    RequestKind(SET_RESERVE, SWITCH, can_fail=True),
    RequestKind(SET_CAPACITY, SWITCH, changes_row=True),
    RequestKind(ADD_LINK, LINK, changes_topology=True),
    RequestKind(
        REMOVE_LINK, LINK, changes_row=True, changes_topology=True, removes_part=True, narrows_sources=True
    ),
    RequestKind(LINK_UP, LINK, changes_row=True, changes_topology=True),
    RequestKind(LINK_DOWN, LINK, changes_row=True, changes_topology=True, takes_down=True),
    RequestKind(ADD_HOST, HOST),
    RequestKind(
        REMOVE_HOST, HOST, ends_batch=True, changes_row=True, removes_part=True, narrows_sources=True
    ),
    RequestKind(HOST_MOVE, HOST, changes_row=True, narrows_sources=True, asked=("switch", "port")),
    RequestKind(ADD_TOPIC, TOPIC),
    RequestKind(REMOVE_TOPIC, TOPIC, ends_batch=True, changes_row=True),
    RequestKind(
        SET_INDEXED,
        TOPIC,
        begins_batch=True,
        ends_batch=True,
        changes_row=True,
        changes_matches=True,
        asked=("indexed", "cuts"),
    ),
    RequestKind(FINISH_MOVE),
    RequestKind(SET_AGGREGATION, asked=("method",)),
    RequestKind(AGGREGATE, can_fail=True, asked=("method",)),
)

KINDS = {row.name: row for row in _ROWS}
"""All kinds by name. The log may contain other kinds, which the planner refuses."""


def _names(has: Callable[[RequestKind], object]) -> frozenset[str]:
    return frozenset(row.name for row in _ROWS if has(row))


ANNOUNCING = _names(lambda kind: kind.withdrawn_by)
WITHDRAWING = _names(lambda kind: kind.withdraws)
CAN_FAIL = _names(lambda kind: kind.can_fail)
BEGINS_BATCH = _names(lambda kind: kind.begins_batch)
ENDS_BATCH = _names(lambda kind: kind.ends_batch)
CHANGES_ROW = _names(lambda kind: kind.changes_row)
CHANGES_TOPOLOGY = _names(lambda kind: kind.changes_topology)
TAKES_DOWN = _names(lambda kind: kind.takes_down)
REMOVES_PART = _names(lambda kind: kind.removes_part)
NARROWS_SOURCES = _names(lambda kind: kind.narrows_sources)
CHANGES_MATCHES = _names(lambda kind: kind.changes_matches)

ANNOUNCING_KIND = {str(row.subject): row.name for row in _ROWS if row.withdrawn_by}
"""Kind that announces an advertisement or subscription, by type of the announcement."""
