"""Rows about announcements without a path to some of those that they match."""

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils import timezone

from controlplane.common.chunks import chunks
from controlplane.registry.missing_path_text import owners_by_name
from controlplane.registry.models import Advertisement, Subscription
from controlplane.requestlog import outbox
from tercast.planner.planner import Planner
from tercast.planner.reachability import OutOfReach
from tercast.planner.reachability_watch import ReachWatch
from tercast.requests.reach import Reach

NAMED = 5
"""Largest number of subscriptions that an alarm names."""

_MODELS: dict[str, type[Any]] = {"a": Advertisement, "q": Subscription}
"""Models by the first letter of a planner id."""


@dataclass(frozen=True, slots=True)
class UnreachedNames:
    """Values of a row: `names` are the publishers or subscribers that no path reaches."""

    reach: Reach
    names: tuple[str, ...]
    more: bool


@dataclass(frozen=True, slots=True)
class ReachSnapshot:
    """Values of all rows by planner id, and the ids of live announcements."""

    rows: dict[str, UnreachedNames]
    live: Container[str]


class ReachRows:
    """Reachability in the planner and in the rows, so that only differences are written."""

    def __init__(self) -> None:
        self._watch = ReachWatch()
        self._written: dict[str, UnreachedNames] | None = None

    def compute(self, planner: Planner, requests: Iterable[Mapping[str, Any]]) -> ReachSnapshot | None:
        """Return the values of rows after requests; None if the rows contain them already.

        The first call always returns them. This may take long: call it outside of a transaction.
        """
        if not self._watch.update(planner, requests):
            return None
        return ReachSnapshot(_named(self._watch.found or {}), planner.registry.live.keys())

    def show(self, missing: ReachSnapshot) -> None:
        """Write the differences in the caller's transaction; notify live pages and operators.

        The first call compares with the database.
        """
        before = _stored() if self._written is None else self._written
        wanted = self._written = missing.rows
        changed = {name for name in {**before, **wanted} if before.get(name) != wanted.get(name)}
        if changed:
            _write(changed, before, wanted)
            _report(before, wanted, missing.live)


def _stored() -> dict[str, UnreachedNames]:
    """Return the values in the rows."""
    found: dict[str, UnreachedNames] = {}
    for prefix, model in _MODELS.items():
        rows = model._default_manager.exclude(reach=Reach.FULL)
        for pk, reach, names, more in rows.values_list("pk", "reach", "unreachable", "unreachable_more"):
            found[f"{prefix}{pk}"] = UnreachedNames(Reach(reach), tuple(names), more)
    return found


def _named(found: Mapping[str, OutOfReach]) -> dict[str, UnreachedNames]:
    """Replace ids in the planner's answer by names of publishers and subscribers."""
    owners = owners_by_name({one for answer in found.values() for one in answer.names})
    return {name: _missed(answer, owners) for name, answer in found.items()}


def _missed(answer: OutOfReach, owners: Mapping[str, str]) -> UnreachedNames:
    names = dict.fromkeys(owners[one] for one in answer.names if one in owners)
    return UnreachedNames(answer.reach, tuple(names), answer.more)


_WHOLE = UnreachedNames(Reach.FULL, (), False)


def _write(
    changed: Iterable[str], before: Mapping[str, UnreachedNames], wanted: Mapping[str, UnreachedNames]
) -> None:
    """Write rows with equal values together, because one link that goes down affects many."""
    now = timezone.now()
    alike: dict[tuple[str, UnreachedNames, bool], list[int]] = defaultdict(list)
    for name in changed:
        missed = wanted.get(name, _WHOLE)
        alike[name[0], missed, name in before].append(int(name[1:]))
    for (prefix, missed, was_missed), ids in alike.items():
        values: dict[str, Any] = {
            "reach": missed.reach.value,
            "unreachable": list(missed.names),
            "unreachable_more": missed.more,
        }
        if missed.reach is Reach.FULL:
            values["unreachable_since"] = None
        elif not was_missed:
            values["unreachable_since"] = now
        for part in chunks(sorted(ids)):
            _MODELS[prefix]._default_manager.filter(pk__in=part).update(**values)


def _report(
    before: Mapping[str, UnreachedNames], wanted: Mapping[str, UnreachedNames], live: Container[str]
) -> None:
    """Report counts to live pages, and lost or restored reachability to operators."""
    lost = _subscriptions(
        name for name, missed in wanted.items() if before.get(name, _WHOLE).reach is not missed.reach
    )
    found = _subscriptions(name for name in before if name not in wanted and name in live)
    counts = [sum(name[0] == prefix for name in wanted) for prefix in _MODELS]
    outbox.emit("reach", dict(zip(("advertisements", "subscriptions"), counts, strict=True)))
    if lost:
        publishers = sorted({name for one in lost for name in wanted[one].names})
        outbox.alarm(f"{_listed('subscription', lost)}: no path from {_listed('publisher', publishers)}")
    if found:
        outbox.alarm(f"{_listed('subscription', found)}: paths to all matching publishers exist again")


def _subscriptions(names: Iterable[str]) -> list[str]:
    return sorted((name for name in names if name[0] == "q"), key=lambda name: int(name[1:]))


def _listed(noun: str, names: list[str]) -> str:
    """Return a text such as `subscriptions q1, q2 and 7 more`."""
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return f"{noun}{'s' * (len(names) > 1)} {', '.join(names[:NAMED])}{more}"
