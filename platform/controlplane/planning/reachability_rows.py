"""Rows that say which announcements lack a path to those that they match, as the planner has it."""

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
"""Subscriptions that an alarm names."""

_MODELS: dict[str, type[Any]] = {"a": Advertisement, "q": Subscription}
"""By the first letter of a planner id."""


@dataclass(frozen=True, slots=True)
class Missed:
    """What a row says: `names` are publishers or subscribers to which no path leads."""

    reach: Reach
    names: tuple[str, ...]
    more: bool


@dataclass(frozen=True, slots=True)
class Missing:
    """What all rows have to say, by planner id, and the ids of live announcements."""

    rows: dict[str, Missed]
    live: Container[str]


class ReachRows:
    """What the planner says and what is written, so that only differences are searched for and written."""

    def __init__(self) -> None:
        self._watch = ReachWatch()
        self._written: dict[str, Missed] | None = None

    def look(self, planner: Planner, requests: Iterable[Mapping[str, Any]]) -> Missing | None:
        """Return what rows have to say after requests; None where they say it already.

        The first call always returns it. It may take long: call it outside of a transaction.
        """
        if not self._watch.update(planner, requests):
            return None
        return Missing(_named(self._watch.found or {}), planner.registry.live.keys())

    def show(self, missing: Missing) -> None:
        """Write what differs, in the caller's transaction, and tell live pages and operators.

        The first call compares with the database.
        """
        before = _stored() if self._written is None else self._written
        wanted = self._written = missing.rows
        changed = {name for name in {**before, **wanted} if before.get(name) != wanted.get(name)}
        if changed:
            _write(changed, before, wanted)
            _report(before, wanted, missing.live)


def _stored() -> dict[str, Missed]:
    """What the rows say."""
    found: dict[str, Missed] = {}
    for prefix, model in _MODELS.items():
        rows = model._default_manager.exclude(reach=Reach.FULL)
        for pk, reach, names, more in rows.values_list("pk", "reach", "unreachable", "unreachable_more"):
            found[f"{prefix}{pk}"] = Missed(Reach(reach), tuple(names), more)
    return found


def _named(found: Mapping[str, OutOfReach]) -> dict[str, Missed]:
    """The planner's answer with names of publishers and subscribers in place of ids."""
    owners = owners_by_name({one for answer in found.values() for one in answer.names})
    return {name: _missed(answer, owners) for name, answer in found.items()}


def _missed(answer: OutOfReach, owners: Mapping[str, str]) -> Missed:
    names = dict.fromkeys(owners[one] for one in answer.names if one in owners)
    return Missed(answer.reach, tuple(names), answer.more)


_WHOLE = Missed(Reach.FULL, (), False)


def _write(changed: Iterable[str], before: Mapping[str, Missed], wanted: Mapping[str, Missed]) -> None:
    """Write rows that are alike together: a link that goes down concerns many."""
    now = timezone.now()
    alike: dict[tuple[str, Missed, bool], list[int]] = defaultdict(list)
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


def _report(before: Mapping[str, Missed], wanted: Mapping[str, Missed], live: Container[str]) -> None:
    """Tell live pages, and operators what is out of reach now and was not, or is in reach again."""
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
        outbox.alarm(f"{_listed('subscription', found)}: paths lead to every matching publisher again")


def _subscriptions(names: Iterable[str]) -> list[str]:
    return sorted((name for name in names if name[0] == "q"), key=lambda name: int(name[1:]))


def _listed(noun: str, names: list[str]) -> str:
    """`subscriptions q1, q2 and 7 more`."""
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return f"{noun}{'s' * (len(names) > 1)} {', '.join(names[:NAMED])}{more}"
