"""Samples of events from telemetry, for aggregation: what a job drew from `published` rows, each event once.

A job draws from the same telemetry again when it is repeated, or looks at a longer time. Of each publisher
it is remembered up to which time events were taken in, so that none is taken twice; and one that reports
samples itself is left alone, since the same events would count twice.
"""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from controlplane.common.chunks import chunks
from controlplane.registry.models import Advertisement
from controlplane.requestlog import checkpoints
from controlplane.telemetry import samples
from controlplane.telemetry.models import EventSample

REPORTS = timedelta(hours=1)
"""A publisher that has reported samples not longer ago does so itself."""

_TAKEN = "telemetry-samples"


@dataclass(frozen=True, slots=True)
class SampleFigures:
    """What became of a job's samples.

    `earlier`: not later than what was taken of their publisher before. `reported`: of publishers that report
    samples themselves. `unfit`: by what is wrong, mostly an advertisement that has been withdrawn meanwhile.
    """

    taken: int
    earlier: int
    reported: int
    unfit: dict[str, int]

    def to_json(self) -> dict[str, Any]:
        """By name."""
        return asdict(self)


def take(rows: Iterable[Mapping[str, Any]]) -> SampleFigures:
    """Keep a job's samples: rows with `publisher`, `published_at` (ISO 8601), `values` (JSON text).

    `publisher` is an advertisement's id in plans. In the caller's transaction, where there is one: a job that
    is done again after it was rolled back takes the same samples.
    """
    drawn = sorted(rows, key=_time)
    with transaction.atomic():
        until = {name: datetime.fromisoformat(at) for name, at in checkpoints.hold(_TAKEN, {}).items()}
        live = samples.advertisements({row["publisher"] for row in drawn} | until.keys())
        items, counts = _new(drawn, until, _reporting(live.values()))
        fit, unfit = samples.fitting(items, live)
        for sample in fit:
            sample.drawn = True
        samples.keep(fit)
        reached = until | {row["publisher"]: _time(row) for row in drawn}
        later = {name: max(at, until.get(name, at)) for name, at in reached.items() if name in live}
        checkpoints.keep(_TAKEN, {name: at.isoformat() for name, at in later.items()})
    told = {name: counts.pop(name, 0) for name in ("earlier", "reported")}
    return SampleFigures(len(fit), **told, unfit=dict(sorted((counts + unfit).items())))


def _new(
    rows: Iterable[Mapping[str, Any]], until: Mapping[str, datetime], reporting: Collection[str]
) -> tuple[list[samples.Sample], Counter[str]]:
    """What is to be taken of rows, and how many are not, by the reason."""
    items, counts = [], Counter[str]()
    for row in rows:
        name = row["publisher"]
        values = _values(row["values"])
        if name in until and _time(row) <= until[name]:
            counts["earlier"] += 1
        elif name in reporting:
            counts["reported"] += 1
        elif values is None:
            counts["bad_values"] += 1
        else:
            items.append({"publisher": name, "values": values})
    return items, counts


def _reporting(among: Iterable[Advertisement]) -> set[str]:
    """Which of these have reported samples lately."""
    found: set[str] = set()
    recent = EventSample.objects.filter(drawn=False, reported_at__gt=timezone.now() - REPORTS)
    for part in chunks([row.pk for row in among]):
        ids = recent.filter(advertisement__in=part).order_by().values_list("advertisement", flat=True)
        found |= {f"a{pk}" for pk in ids.distinct()}
    return found


def _time(row: Mapping[str, Any]) -> datetime:
    return datetime.fromisoformat(row["published_at"])


def _values(text: object) -> dict[str, Any] | None:
    try:
        found = json.loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
