"""Event samples that a job draws from `published` rows of telemetry, for aggregation.

A repeated job, or a job over a longer time, draws events that an earlier job drew. The module therefore
keeps, for each publisher, the time of its latest drawn event, and ignores events up to this time.
It also ignores the events of publishers that report samples. These events would count twice.
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
"""Time after its latest reported sample in which a publisher counts as one that reports samples."""

_TAKEN = "telemetry-samples"


@dataclass(frozen=True, slots=True)
class SampleCounts:
    """Numbers of a job's samples by their result.

    Attributes:
        taken: stored samples.
        earlier: samples not later than the latest event that an earlier job drew from their publisher.
        reported: samples of publishers that report samples.
        unfit: invalid samples by error code. The usual cause is an advertisement that was withdrawn since.
    """

    taken: int
    earlier: int
    reported: int
    unfit: dict[str, int]

    def to_json(self) -> dict[str, Any]:
        """Return the numbers by name."""
        return asdict(self)


def store_samples(rows: Iterable[Mapping[str, Any]]) -> SampleCounts:
    """Store the samples of a job.

    The function joins the caller's transaction, if there is one. A job that repeats after a rollback
    therefore stores the same samples.

    Args:
        rows: rows with `publisher` (an advertisement's id in plans), `published_at` (ISO 8601) and
            `values` (JSON text).
    """
    drawn = sorted(rows, key=_time)
    with transaction.atomic():
        until = {name: datetime.fromisoformat(at) for name, at in checkpoints.hold(_TAKEN, {}).items()}
        live = samples.advertisements({row["publisher"] for row in drawn} | until.keys())
        items, counts = _new(drawn, until, _reporting(live.values()))
        fit, unfit = samples.fitting(items, live)
        for sample in fit:
            sample.drawn = True
        samples.store_samples(fit)
        reached = until | {row["publisher"]: _time(row) for row in drawn}
        later = {name: max(at, until.get(name, at)) for name, at in reached.items() if name in live}
        checkpoints.store(_TAKEN, {name: at.isoformat() for name, at in later.items()})
    totals = {name: counts.pop(name, 0) for name in ("earlier", "reported")}
    return SampleCounts(len(fit), **totals, unfit=dict(sorted((counts + unfit).items())))


def _new(
    rows: Iterable[Mapping[str, Any]], until: Mapping[str, datetime], reporting: Collection[str]
) -> tuple[list[samples.Sample], Counter[str]]:
    """Return the samples to add, and the number of ignored rows by reason."""
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
    """Return the ids of advertisements with reported samples in the last `REPORTS`."""
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
