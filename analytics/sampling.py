"""Event samples of a telemetry root, in the form that the control plane takes them (`learnt.take`)."""

from __future__ import annotations

from analytics.jobs import Row, Task
from analytics.times import time_text
from analytics.transforms.event_samples import COLUMNS, event_samples
from tercast.telemetry import PUBLISHED


def draw(task: Task, most: int) -> list[Row]:
    """About `most` events of each topic that were published in the task's time, oldest first.

    A row has `topic`, `publisher`, `seq`, `published_at` (ISO 8601) and `values` (JSON text). What comes to
    the driver is the sample: its size does not depend on that of the telemetry.
    """
    found = event_samples(task.rows_in_range(PUBLISHED, COLUMNS), most)
    rows = [row.asDict() for row in found.orderBy("published_at", "topic", "publisher", "seq").collect()]
    return [{**row, "published_at": time_text(row["published_at"])} for row in rows]
