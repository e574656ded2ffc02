"""Undeclared parts that the controller found: switches, and links that probes cross.

Declarations have priority. An unknown part is added only after it was seen for `GRACE_SECONDS`, so that
switches that connect while a topology is being loaded are not added twice. A part that was added or declared
once, and was then removed by an operator, is not added again until it has been out of sight.

A link waits for an operator (`network.found_links`) if the policy requires it, if one of its ports has a host
or another link, and while probes do not cross it steadily.
"""

import time
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from controlplane.network import found_links
from controlplane.network.models import FoundLink, FoundReason, FoundState, Link, Switch
from controlplane.network.ports import End, host_ends, link_ends
from controlplane.requestlog import append, checkpoints, outbox
from tercast.requests.kinds import ADD_LINK, ADD_SWITCH

GRACE_SECONDS = 20.0
STEADY_SECONDS = 60.0
"""Seconds during which probes must cross a formerly silent link before it is added like any other."""

CROSSED_RESOLUTION = timedelta(seconds=30)
UNSEEN = timedelta(minutes=2)
"""Time without a report of the controller after which a waiting link is deleted."""
UNSEEN_SILENT = timedelta(hours=1)
"""Longer time for a link that was silent, so that it does not return as a new one."""
UNSEEN_REJECTED = timedelta(days=30)
NAMED = 5

EndPair = tuple[End, End]


@dataclass(frozen=True, slots=True)
class FoundSwitch:
    """A link as reported by the controller."""

    pair: EndPair
    silent: bool = False


_first_seen: dict[str, float] = {}


def add_newcomers(switches: list[dict[str, Any]], links: list[dict[str, Any]]) -> None:
    """Add or hold parts that have been unknown for long enough; record crossings of known links."""
    names = dict(Switch.objects.values_list("dpid", "name"))
    strangers = {f"switch {row['dpid']}": row for row in switches}
    found = {_name(one.pair): one for one in _pairs(links, names)}
    declared = {_name(_pair(link)): link for link in Link.objects.select_related("a", "b")}
    _note_crossings([link for name, link in declared.items() if name in found])
    known = {f"switch {dpid}" for dpid in names} | declared.keys()
    settled = _settle({*strangers, *found}, known)
    held = {_name(_pair(row)): row for row in FoundLink.objects.select_related("a", "b")}
    _note_held(held, found, declared.keys())
    unknown = found.keys() - settled
    quiet = [name for name in sorted(unknown) if found[name].silent and name not in held]
    steady = {name for name in unknown if not found[name].silent}
    fresh = _ripe((strangers.keys() - settled) | steady, held)
    decided = [name for name in fresh if name in held and not _may_join(held[name])]
    fresh = [name for name in fresh if name not in decided]
    if fresh or quiet:
        _take_in(
            [strangers[n] for n in fresh if n in strangers],
            [found[n].pair for n in fresh if n in found],
            [found[n].pair for n in quiet],
            held,
        )


def _pairs(links: list[dict[str, Any]], names: dict[str, str]) -> list[FoundSwitch]:
    """Return the links between known switches, by name, each once and with its ends in order."""
    return [
        FoundSwitch(
            _ordered((names[row["a"]], row["a_port"]), (names[row["b"]], row["b_port"])),
            bool(row.get("silent", False)),
        )
        for row in links
        if row["a"] in names and row["b"] in names
    ]


def _pair(link: Link | FoundLink) -> EndPair:
    return _ordered((link.a.name, link.a_port), (link.b.name, link.b_port))


def _ordered(one: End, other: End) -> EndPair:
    return (one, other) if one <= other else (other, one)


def _name(pair: EndPair) -> str:
    (a, a_port), (b, b_port) = pair
    return f"link {a}:{a_port} to {b}:{b_port}"


def _note_crossings(links: Iterable[Link]) -> None:
    now = timezone.now()
    stale = [
        link.pk
        for link in links
        if link.discovered_at is None or link.discovered_at < now - CROSSED_RESOLUTION
    ]
    if stale:
        Link.objects.filter(pk__in=stale).update(discovered_at=now)


def _settle(seen: set[str], known: set[str]) -> set[str]:
    """Return the visible parts that are or were known; they are remembered while visible."""
    before = set(checkpoints.recall("discovered", []))
    settled = seen & (before | known)
    if settled != before:
        checkpoints.store("discovered", sorted(settled))
    return settled


def _ripe(candidates: Collection[str], held: Mapping[str, FoundLink]) -> list[str]:
    """Return the parts seen by this process for the grace time, longer for silent links."""
    now = time.monotonic()
    for gone in _first_seen.keys() - candidates:
        del _first_seen[gone]
    silent = {name for name, row in held.items() if row.reason == FoundReason.SILENT}
    return sorted(
        name
        for name in candidates
        if now - _first_seen.setdefault(name, now) >= (STEADY_SECONDS if name in silent else GRACE_SECONDS)
    )


def _note_held(
    held: Mapping[str, FoundLink], found: Mapping[str, FoundSwitch], declared: Collection[str]
) -> None:
    """Record which waiting links are visible; delete those declared, or invisible for too long."""
    now = timezone.now()
    stale = [row.pk for name, row in held.items() if name in found and row.seen_at < now - CROSSED_RESOLUTION]
    if stale:
        FoundLink.objects.filter(pk__in=stale).update(seen_at=now)
    for name, row in held.items():
        if name in declared or (name not in found and row.seen_at < now - _patience(row)):
            with transaction.atomic():
                found_links.emit(row, "gone")
                row.delete()


def _patience(row: FoundLink) -> timedelta:
    if row.state == FoundState.REJECTED:
        return UNSEEN_REJECTED
    return UNSEEN_SILENT if row.reason == FoundReason.SILENT else UNSEEN


def _may_join(row: FoundLink) -> bool:
    """Whether a waiting link needs no operator now: it was only silent, or the policy changed."""
    if row.state == FoundState.REJECTED:
        return False
    if row.reason == FoundReason.SILENT:
        return True
    return row.reason == FoundReason.POLICY and settings.ENV.link_approval == "automatic"


def _take_in(
    switches: list[dict[str, Any]], links: list[EndPair], silent: list[EndPair], held: Mapping[str, FoundLink]
) -> None:
    with transaction.atomic():
        for row in switches:
            _add_switch(row)
        added, waiting = [], []
        for pair in links:
            reason, detail = _obstacle(pair)
            before = held.get(_name(pair))
            if reason is None:
                _add_link(pair, before)
                added.append(pair)
            elif before is None or before.reason != reason:
                waiting.append((pair, detail))
                _hold(pair, reason, detail)
        for pair in silent:
            detail = "probes cross it only intermittently"
            waiting.append((pair, detail))
            _hold(pair, FoundReason.SILENT, detail)
        _announce(added, waiting)


def _announce(added: list[EndPair], waiting: list[tuple[EndPair, str]]) -> None:
    """Raise one alarm for the added links, and one for each reason to wait."""
    if added:
        outbox.alarm(f"{_listed(added)}: found by probes and added to the network")
    for detail in sorted({detail for _, detail in waiting}):
        pairs = [pair for pair, why in waiting if why == detail]
        verb = "waits" if len(pairs) == 1 else "wait"
        outbox.alarm(f"probes crossed {_listed(pairs)}, which {verb} for approval: {detail}")


def _listed(pairs: list[EndPair]) -> str:
    names = ", ".join(_name(pair) for pair in pairs[:NAMED])
    return names if len(pairs) <= NAMED else f"{names} and {len(pairs) - NAMED} more"


def _add_switch(row: dict[str, Any]) -> None:
    """Add a switch with its datapath id as name; an operator may give it a label."""
    name = dpid = row["dpid"]
    payload = {"op": ADD_SWITCH, "switch": {"id": name, "dpid": dpid, "tcam_budget": None}}
    (request,) = append.submit([append.LogEntry(payload)])
    Switch.objects.create(name=name, dpid=dpid, request=request)
    outbox.alarm(
        f"switch {dpid} connected and was not registered; the platform added it under its datapath id"
    )


def _add_link(pair: EndPair, before: FoundLink | None) -> None:
    (a, a_port), (b, b_port) = pair
    link = {"a": a, "a_port": a_port, "b": b, "b_port": b_port, "cost": 1}
    (request,) = append.submit([append.LogEntry({"op": ADD_LINK, "link": link})])
    ends = _switches(pair)
    Link.objects.create(
        a=ends[a], a_port=a_port, b=ends[b], b_port=b_port, request=request, discovered_at=timezone.now()
    )
    row = before or _unsaved(pair, FoundReason.POLICY, "")
    found_links.emit(row, "added")
    if before is not None:
        before.delete()


def _hold(pair: EndPair, reason: FoundReason, detail: str) -> None:
    """Make the link wait for an operator."""
    new = _unsaved(pair, reason, detail)
    ends: dict[str, Any] = {"a": new.a, "a_port": new.a_port, "b": new.b, "b_port": new.b_port}
    values = {"reason": reason, "detail": detail, "seen_at": new.seen_at, "state": FoundState.WAITING}
    row, _ = FoundLink.objects.update_or_create(**ends, defaults=values)
    found_links.emit(row, "waiting")


def _unsaved(pair: EndPair, reason: FoundReason, detail: str) -> FoundLink:
    (a, a_port), (b, b_port) = pair
    ends = _switches(pair)
    return FoundLink(
        a=ends[a],
        a_port=a_port,
        b=ends[b],
        b_port=b_port,
        reason=reason,
        detail=detail,
        seen_at=timezone.now(),
    )


def _switches(pair: EndPair) -> dict[str, Switch]:
    return {switch.name: switch for switch in Switch.objects.filter(name__in=[name for name, _ in pair])}


def _obstacle(pair: EndPair) -> tuple[FoundReason | None, str]:
    """Return why the link needs an operator, as a code and a sentence; None if it does not."""
    names = {name for name, _ in pair}
    for ends, reason in (
        (host_ends(names), FoundReason.EDGE_PORT),
        (link_ends(names), FoundReason.PORT_IN_USE),
    ):
        used = [
            f"port {port} of {name} has {ends[name, port]}" for name, port in pair if (name, port) in ends
        ]
        if used:
            return reason, f"one of its ports is registered with another connection: {', '.join(used)}"[:500]
    if settings.ENV.link_approval == "manual":
        return FoundReason.POLICY, "it is not registered, and the setting TERCAST_LINK_APPROVAL is manual"
    return None, ""
