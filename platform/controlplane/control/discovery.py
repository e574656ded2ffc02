"""What the controller found and nobody declared: switches that connect, links that probes cross.

Declared comes first: something unknown is taken in only when it has been seen for `GRACE_SECONDS`, so that a
topology that is being loaded is not overtaken by its own switches. What was taken in or declared once, and
removed by an operator since, stays out until it has been out of sight.
"""

import time
from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from controlplane.control import log, outbox, watermarks
from controlplane.network.models import Host, Link, Switch

GRACE_SECONDS = 20.0
CROSSED_RESOLUTION = timedelta(seconds=30)

End = tuple[str, int]
Pair = tuple[End, End]

_first_seen: dict[str, float] = {}


def see(switches: list[dict[str, Any]], links: list[dict[str, Any]]) -> None:
    """Take in what has been unknown for long enough, and note which known links were crossed."""
    names = dict(Switch.objects.values_list("dpid", "name"))
    strangers = {f"switch {row['dpid']}": row for row in switches}
    found = {_name(pair): pair for pair in _pairs(links, names)}
    declared = {_name(_pair(link)): link for link in Link.objects.select_related("a", "b")}
    _note_crossings([link for name, link in declared.items() if name in found])
    known = {f"switch {dpid}" for dpid in names} | declared.keys()
    settled = _settle({*strangers, *found}, known)
    fresh = _ripe((strangers.keys() | found.keys()) - settled)
    if fresh:
        _take_in([strangers[n] for n in fresh if n in strangers], [found[n] for n in fresh if n in found])


def _pairs(links: list[dict[str, Any]], names: dict[str, str]) -> list[Pair]:
    """The links between known switches, by name, each once and in one order of its ends."""
    return [
        _ordered((names[row["a"]], row["a_port"]), (names[row["b"]], row["b_port"]))
        for row in links
        if row["a"] in names and row["b"] in names
    ]


def _pair(link: Link) -> Pair:
    return _ordered((link.a.name, link.a_port), (link.b.name, link.b_port))


def _ordered(one: End, other: End) -> Pair:
    return (one, other) if one <= other else (other, one)


def _name(pair: Pair) -> str:
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
    """Those in sight that are, or once were, known; remembered for as long as they are in sight."""
    before = set(watermarks.recall("discovered", []))
    settled = seen & (before | known)
    if settled != before:
        watermarks.keep("discovered", sorted(settled))
    return settled


def _ripe(candidates: set[str]) -> list[str]:
    """Those that have been seen for the grace time, in this process."""
    now = time.monotonic()
    for gone in _first_seen.keys() - candidates:
        del _first_seen[gone]
    return sorted(name for name in candidates if now - _first_seen.setdefault(name, now) >= GRACE_SECONDS)


def _take_in(switches: list[dict[str, Any]], links: list[Pair]) -> None:
    with transaction.atomic():
        for row in switches:
            _add_switch(row)
        for pair in links:
            _add_link(pair)


def _add_switch(row: dict[str, Any]) -> None:
    """The switch gets its datapath id as a name; an operator may give it a label."""
    name = dpid = row["dpid"]
    payload = {"op": "add_switch", "switch": {"id": name, "dpid": dpid, "tcam_budget": None}}
    (request,) = log.submit([log.Entry(payload)])
    Switch.objects.create(name=name, dpid=dpid, request=request)
    outbox.alarm(f"switch {dpid} connected and was not declared; it is taken in under its datapath id")


def _add_link(pair: Pair) -> None:
    """Add it, unless one of its ports serves something else: then an alarm says so, once."""
    (a, a_port), (b, b_port) = pair
    if any(_in_use(name, port) for name, port in pair):
        watermarks.keep("discovered", sorted({*watermarks.recall("discovered", []), _name(pair)}))
        outbox.alarm(f"probes crossed {_name(pair)}, but one of these ports is declared to lead elsewhere")
        return
    link = {"a": a, "a_port": a_port, "b": b, "b_port": b_port, "cost": 1}
    (request,) = log.submit([log.Entry({"op": "add_link", "link": link})])
    ends = {switch.name: switch for switch in Switch.objects.filter(name__in=(a, b))}
    Link.objects.create(
        a=ends[a], a_port=a_port, b=ends[b], b_port=b_port, request=request, discovered_at=timezone.now()
    )


def _in_use(name: str, port: int) -> bool:
    return (
        Link.objects.filter(a__name=name, a_port=port).exists()
        or Link.objects.filter(b__name=name, b_port=port).exists()
        or Host.objects.filter(switch__name=name, port=port).exists()
    )
