"""Counts of the objects that a removal affects, from the planner that readers share."""

from collections.abc import Collection, Mapping
from contextlib import ExitStack
from typing import Any

from controlplane.common.chunks import chunks
from controlplane.common.problems import Problem
from controlplane.explain.impact.cuts import crossing
from controlplane.explain.impact.groups import Deadline, grouped, meeting
from controlplane.explain.impact.question import Cut, question
from controlplane.network.models import InstalledEntry, Link
from controlplane.planning.planner_state import PlannerBehind, reading
from controlplane.registry.models import Advertisement, Subscription
from controlplane.requestlog.kinds import ANNOUNCING_KIND, KINDS
from tercast.planner.planner import Planner
from tercast.requests.registry import ADVERTISEMENT, SUBSCRIPTION, Registration

NAMES = 10
"""Maximum number of names of each kind in an answer."""

SECONDS = 5.0
"""Longest wait for the planner in seconds."""

LOOKING = 1.5
"""Longest search in seconds. Announcements that are not checked by then are not counted."""

MOST_TRIED = 500
"""Maximum number of withdrawals in the dry run that counts removed entries."""

Live = Mapping[str, Registration]


def affected(row: Any) -> dict[str, Any]:
    """Return the effects of removing this row; raise `Problem` (503) if the planner is busy."""
    asked = question(row)
    deadline = Deadline(LOOKING)
    with ExitStack() as stack:
        try:
            planner = stack.enter_context(reading(SECONDS))
        except PlannerBehind:
            detail = "The planner is busy with other requests. Try again in a few seconds."
            raise Problem(503, "busy", detail, headers={"Retry-After": "5"}) from None
        if asked.cut is not None:
            trees, found = crossing(planner, asked.cut, deadline)
            return _impact(found, 0, trees, _entries_at(planner, asked.cut), deadline)
        live = planner.registry.live
        going = {name: live[name] for name in (*asked.advertisements, *asked.subscriptions) if name in live}
        met, left = _met(live, going, deadline)
        names = {one.topic for one in going.values()} | {asked.topic}
        trees = sum(tree.topic in names for tree in planner.trees())
        return _impact({**going, **met}, left, trees, _entries(planner, going), deadline)


def _met(live: Live, going: Live, deadline: Deadline) -> tuple[dict[str, Registration], int]:
    """Return subscriptions that overlap removed advertisements, and how many lose all of them."""
    met: dict[str, Registration] = {}
    left = 0
    ads = [one for one in going.values() if one.kind == ADVERTISEMENT]
    for topic in {one.topic for one in ads}:
        of_topic = [one for name, one in live.items() if one.topic == topic and name not in going]
        stay = [one.dz for one in of_topic if one.kind == ADVERTISEMENT]
        subs = grouped((one, None) for one in of_topic if one.kind == SUBSCRIPTION)
        groups = list(meeting(subs, [one.dz for one in ads if one.topic == topic], deadline))
        served = set(meeting(groups, stay, deadline))
        met |= {one.id: one for group in groups for one in subs[group]}
        left += sum(len(subs[group]) for group in groups if group not in served)
    return met, left


def _entries(planner: Planner, going: Live) -> int | None:
    """Return the number of entries that the withdrawals would remove; None for too many of them."""
    if len(going) > MOST_TRIED:
        return None
    withdrawals = [
        {"op": KINDS[ANNOUNCING_KIND[one.kind]].withdrawn_by, "id": one.id} for one in going.values()
    ]
    run = planner.dry_run(withdrawals)
    return sum(max(0, n - run.after.get(switch, 0)) for switch, n in run.before.items())


def _entries_at(planner: Planner, cut: Cut) -> int:
    """Return the number of entries of a switch, or of those that send into a link at either end."""
    if cut.port is None:
        return planner.counts().get(cut.switch, 0)
    link = Link.objects.select_related("a", "b").filter(a__name=cut.switch, a_port=cut.port).first()
    if link is None:
        return 0
    ends = ((link.a_id, link.a_port), (link.b_id, link.b_port))
    return sum(
        any(action.get("port") == port for action in actions)
        for switch, port in ends
        for actions in InstalledEntry.objects.filter(switch=switch)
        .values_list("actions", flat=True)
        .iterator()
    )


def _impact(found: Live, left: int, trees: int, entries: int | None, deadline: Deadline) -> dict[str, Any]:
    by_kind = {
        kind: [one for one in found.values() if one.kind == kind] for kind in (ADVERTISEMENT, SUBSCRIPTION)
    }
    hosts = sorted({one.host for one in found.values()})
    subscriptions = [one.id for one in by_kind[SUBSCRIPTION]]
    return {
        "advertisements": len(by_kind[ADVERTISEMENT]),
        "subscriptions": len(subscriptions),
        "left_without": left,
        "publishers": _owners(Advertisement, "publisher", [one.id for one in by_kind[ADVERTISEMENT]]),
        "subscribers": _owners(Subscription, "subscriber", subscriptions),
        "hosts": len(hosts),
        "trees": trees,
        "entries_removed": entries,
        "complete": not deadline.passed,
        "subscription_names": subscriptions[:NAMES],
        "host_names": hosts[:NAMES],
    }


def _owners(model: Any, owner: str, names: Collection[str]) -> int:
    found: set[int] = set()
    for some in chunks([int(name[1:]) for name in names]):
        found.update(model._default_manager.filter(pk__in=some).values_list(owner, flat=True))
    return len(found)
