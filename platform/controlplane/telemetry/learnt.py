"""Samples of events from telemetry, for aggregation: what a job drew from `published` rows, each event once.

A job draws from the same telemetry again when it is repeated, or looks at a longer time. Of each topic it is
remembered up to which time events were taken in, so that none is taken twice.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from controlplane.control import watermarks
from controlplane.telemetry import samples

MOST = 2000
"""Events of a topic that one run of a job draws."""

_TAKEN = "telemetry-samples"


@dataclass(frozen=True, slots=True)
class Figures:
    """What became of a job's samples.

    `earlier`: not later than what was taken before. `unfit`: by what is wrong, mostly an advertisement that
    has been withdrawn meanwhile.
    """

    taken: int
    earlier: int
    unfit: dict[str, int]

    def to_json(self) -> dict[str, Any]:
        """By name."""
        return asdict(self)


def take(rows: Iterable[Mapping[str, Any]]) -> Figures:
    """Keep a job's samples: rows with `topic`, `publisher`, `published_at` (ISO 8601), `values` (JSON text).

    In the caller's transaction, where there is one: a job that is done again after it was rolled back takes
    the same samples.
    """
    with transaction.atomic():
        until = {name: datetime.fromisoformat(at) for name, at in watermarks.recall(_TAKEN, {}).items()}
        reached = dict(until)
        items, counts = [], Counter[str]()
        for row in sorted(rows, key=_time):
            topic, at = row["topic"], _time(row)
            if topic in until and at <= until[topic]:
                counts["earlier"] += 1
                continue
            reached[topic] = max(at, reached.get(topic, at))
            values = _values(row["values"])
            if values is None:
                counts["bad_values"] += 1
            else:
                items.append({"publisher": row["publisher"], "values": values})
        fit, unfit = samples.fitting(items)
        samples.keep(fit)
        watermarks.keep(_TAKEN, {name: at.isoformat() for name, at in reached.items()})
    earlier = counts.pop("earlier", 0)
    return Figures(len(fit), earlier, dict(sorted((counts + unfit).items())))


def _time(row: Mapping[str, Any]) -> datetime:
    return datetime.fromisoformat(row["published_at"])


def _values(text: object) -> dict[str, Any] | None:
    try:
        found = json.loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
