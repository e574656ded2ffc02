"""Telemetry of a host: rows of `published` and `delivered`, to a folder or to the API."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from tercast.client.rest_api import Api
from tercast.eventspace.dz import Dz, text
from tercast.eventspace.topic import Topic
from tercast.telemetry import DELIVERED, PUBLISHED
from tercast.telemetry.recorder import PERIOD_S, Recorder, RecorderCounts
from tercast.telemetry.rows import row_json
from tercast.telemetry.sinks import BatchRefused, FolderSink, Report, RowBatch, Sink, SinkDown
from tercast.wire.errors import ApiError

if TYPE_CHECKING:
    from tercast.client.arrivals import Delivery

ADDRESS = "api/v1/telemetry/"

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_PASSING = {408, 425, 429}
"""HTTP statuses of temporary refusals, in addition to those from 500 on."""


class HostTelemetry:
    """The rows of one host; several hosts may share a recorder."""

    def __init__(self, recorder: Recorder, host: str) -> None:
        self.recorder, self.host = recorder, host

    def published(  # noqa: PLR0917 - the columns of the dataset
        self, topic: Topic, publisher: str, seq: int, at: int, dz: Dz, values: Mapping[str, Any]
    ) -> None:
        """Record a sent event, `at` microseconds since 1970; `values` are checked and do not change."""
        self.recorder.add(
            PUBLISHED,
            lambda: {
                "topic": topic.name,
                "publisher": publisher,
                "host": self.host,
                "seq": seq,
                "published_at": moment(at),
                "dz": text(dz),
                "values": json.dumps(topic.values_json(values)),
            },
        )

    def delivered(self, delivery: Delivery) -> None:
        """Record a received event: one row per copy, also for false positives."""
        event = delivery.event
        self.recorder.add(
            DELIVERED,
            lambda: {
                "topic": event.topic,
                "publisher": event.publisher,
                "seq": event.seq,
                "host": self.host,
                "received_at": moment(delivery.received_at),
                "wanted": delivery.wanted,
                "subscriptions": delivery.subscriptions,
            },
        )

    def rejected(self, topic: str, reason: str) -> None:
        """Count a rejected event of `topic` for the writer's report."""
        self.recorder.reject(topic, reason, self.host)


class RejectionReports(HostTelemetry):
    """Reports to the platform on the events that a host rejects, without rows of events.

    Args:
        host: Name of the host.
        api: The platform, with a token that may write telemetry.
        period: Seconds between two reports if there are new rejections.
    """

    def __init__(self, host: str, api: Api, period: float = PERIOD_S) -> None:
        super().__init__(Recorder(_RejectionSink(ApiSink(api)), host, period=period, datasets=()), host)

    def published(  # noqa: PLR0917 - the columns of the dataset
        self, topic: Topic, publisher: str, seq: int, at: int, dz: Dz, values: Mapping[str, Any]
    ) -> None:
        """Do nothing."""

    def delivered(self, delivery: Delivery) -> None:
        """Do nothing."""


class _RejectionSink:
    """Sink that sends a report only if it has new rejections, marked as the writer's last.

    So the platform does not wait for a further report.
    """

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._last_rejected: object = None

    def send(self, batch: RowBatch, report: Report) -> int:
        """Refuse a batch: this writer has no rows. Raises BatchRefused."""
        raise BatchRefused("a writer that only reports rejections has no rows")

    def send_report(self, report: Report) -> None:
        """Send the report if its rejections differ from those of the last one."""
        rejected = report.get("rejected")
        if rejected and rejected != self._last_rejected:
            self._sink.send_report({**report, "closed": True})
            self._last_rejected = rejected


class ApiSink:
    """Sink that posts batches; the platform counts a batch with the same id only once."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def send(self, batch: RowBatch, report: Report) -> int:
        """Post a batch with the writer's report; return the number of refused rows."""
        rows = [row_json(row, batch.dataset) for row in batch.rows]
        answer = self._post({"id": batch.id, "dataset": batch.dataset.name, "rows": rows, "writer": report})
        refused = answer.get("rejected") if isinstance(answer, dict) else None
        return refused if isinstance(refused, int) else 0

    def send_report(self, report: Report) -> None:
        """Post only the report."""
        self._post({"writer": report})

    def _post(self, body: dict[str, Any]) -> object:
        try:
            return self._api.post(ADDRESS, body, atomic="false")
        except ApiError as error:
            if error.status is None or error.status >= 500 or error.status in _PASSING:
                raise SinkDown(str(error)) from None
            raise BatchRefused(str(error)) from None


def open_telemetry(host: str, root: str | None, api: Api | None) -> HostTelemetry:
    """Create the telemetry of a host, to the folder `root` or to an API; close its `recorder`."""
    sink = ApiSink(api) if api is not None else FolderSink(root or "")
    return HostTelemetry(Recorder(sink, host, datasets=(PUBLISHED, DELIVERED)), host)


@contextmanager
def closing_telemetry(telemetry: HostTelemetry | None) -> Iterator[HostTelemetry | None]:
    """Close the telemetry at the end, and print the numbers of its rows to standard error."""
    try:
        yield telemetry
    finally:
        if telemetry is not None:
            tally = telemetry.recorder.close()
            line = _last_line(telemetry, tally)
            if line:
                print(line, file=sys.stderr, flush=True)


def _last_line(telemetry: HostTelemetry, tally: RecorderCounts) -> str:
    """Summarise the rows, or the failure to report rejections; empty if there is neither."""
    error = telemetry.recorder.error
    if isinstance(telemetry, RejectionReports):
        return f"rejected events were not reported to the platform: {error}" if error else ""
    why = f": {error}" if tally.lost else ""
    return f"telemetry: {tally.written} of {tally.taken} rows written, {tally.lost} lost{why}"


def moment(micros: int) -> datetime:
    """The time `micros` microseconds after 1970; the last possible time if it is out of range."""
    try:
        return _EPOCH + timedelta(microseconds=micros)
    except OverflowError:
        return datetime.max.replace(tzinfo=UTC)
