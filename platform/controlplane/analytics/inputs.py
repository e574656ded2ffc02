"""Inputs of a job next to telemetry: files that its series has processed, and subscriptions."""

import os
import re
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db.models import Q

from controlplane.analytics.jobs import Job
from controlplane.analytics.models import Series, TakenFile
from controlplane.registry.encoding import core_topic
from controlplane.registry.models import Subscription, Topic
from tercast.runtime.json_files import write_json

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")


def write_known(path: Path, series: Series, rebuild: bool) -> None:
    """Write the files that the series has processed, in the form of `--known`."""
    files: dict[str, dict[str, Any]] = {}
    rows = TakenFile.objects.filter(series=series).values_list("dataset", "path", "facts")
    for dataset, name, facts in rows.iterator(chunk_size=5000):
        files.setdefault(dataset, {})[name] = facts
    write_json(str(path), {"rebuild": rebuild, "files": files})


def write_subscriptions(path: Path) -> int:
    """Write all topics and subscriptions with their times, in the form of `--subscriptions`.

    A subscription is valid from the confirmation by its switches until the request for its withdrawal.

    Returns:
        The number of subscriptions.
    """
    topics = [core_topic(row).to_json() for row in Topic.objects.all()]
    rows = (
        Subscription.objects.filter(Q(request__confirmed_at__isnull=False))
        .select_related("subscriber__host", "topic", "request", "withdrawal")
        .order_by("id")
    )
    entries = [entry for row in rows.iterator(chunk_size=2000) if (entry := _entry(row)) is not None]
    write_json(str(path), {"topics": topics, "subscriptions": entries})
    return len(entries)


def _entry(row: Subscription) -> dict[str, Any] | None:
    begin = row.request.confirmed_at
    end = row.withdrawal.received_at if row.withdrawal else None
    if begin is None or (end is not None and end <= begin):
        return None
    return {
        "id": row.planner_id,
        "host": row.subscriber.host.name,
        "topic": row.topic.name,
        "filter": row.filter,
        "from": begin.isoformat(),
        "until": end.isoformat() if end else None,
    }


def local_root() -> Path | None:
    """Return the telemetry root if it is a folder of this machine; None if only Spark reads it."""
    root = settings.ENV.spark_telemetry
    if root.startswith("file:"):
        return Path(re.sub("^file:/+", "/", root))
    return None if _SCHEME.match(root) else Path(root)


def nothing_to_do(series: Series, job: Job, since: datetime) -> str | None:
    """Return why a run would find nothing, as far as visible without Spark, or None.

    Files of days before `since` do not count.
    """
    root = local_root()
    if root is None:
        return None
    if not root.is_dir():
        return f"there is no telemetry yet: the folder {root} does not exist"
    missing = [name for name in job.required if not (root / name).is_dir()]
    if missing:
        return f"there is no telemetry yet: {root} has no {' and no '.join(missing)}"
    if _has_new(series, job, root, f"date={(since - timedelta(days=1)).date().isoformat()}"):
        return None
    return "nothing new: the results contain all telemetry"


def _has_new(series: Series, job: Job, root: Path, oldest: str) -> bool:
    return any(
        not path.startswith("date=") or path >= oldest for _, path in new_files(series, job.datasets, root)
    )


def new_files(series: Series, datasets: Iterable[str], root: Path) -> Iterator[tuple[str, str]]:
    """Yield dataset and relative path of each file that no run of the series has processed."""
    names = list(dict.fromkeys(datasets))
    rows = TakenFile.objects.filter(series=series, dataset__in=names).values_list(
        "dataset", "path", "facts__size", "facts__future"
    )
    known = {(dataset, path): size for dataset, path, size, future in rows if future is None}
    for dataset in names:
        for path, size in _files(root / dataset):
            if known.get((dataset, path)) != size:
                yield dataset, path


def _files(folder: Path) -> Iterator[tuple[str, int]]:
    """Yield the files of a dataset with their sizes, except those being written."""
    for parent, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name[0] not in "._"]
        for name in names:
            path = Path(parent, name)
            if name[0] not in "._":
                try:
                    yield str(path.relative_to(folder)), path.stat().st_size
                except FileNotFoundError:
                    continue
