"""What a host tells of its events: rows of `published` and `delivered`, to a folder or to the API."""

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
"""Refusals of a moment; those of 500 and above are, too."""


class HostTelemetry:
    """The rows of one host; a recorder may serve several."""

    def __init__(self, recorder: Recorder, host: str) -> None:
        self.recorder, self.host = recorder, host

    def published(  # noqa: PLR0917 - the columns of the dataset
        self, topic: Topic, publisher: str, seq: int, at: int, dz: Dz, values: Mapping[str, Any]
    ) -> None:
        """An event was sent, `at` microseconds since 1970; `values` are checked ones that do not change."""
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
        """An event arrived: each copy is a row, unwanted ones too."""
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
        """Count an event of `topic` that the subscriber did not accept, for the writer's report."""
        self.recorder.reject(topic, reason, self.host)


class RejectionReports(HostTelemetry):
    """Reports the events that a host rejects to the platform, without any rows of events.

    Args:
        host: Name of the host.
        api: The platform, with a token that may write telemetry.
        period: Seconds between two reports, where there are new rejections.
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
    """Sends a report only with new rejections, and as the last one, so that no further one is missed."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._told: object = None

    def send(self, batch: RowBatch, report: Report) -> int:
        """Refuse a batch: this writer has no rows. Raises BatchRefused."""
        raise BatchRefused("a writer of rejections alone has no rows")

    def tell(self, report: Report) -> None:
        """Send the report where its rejections are not those of the last one."""
        rejected = report.get("rejected")
        if rejected and rejected != self._told:
            self._sink.tell({**report, "closed": True})
            self._told = rejected


class ApiSink:
    """Posts batches; the platform knows a batch again by its id, so one that is sent twice counts once."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def send(self, batch: RowBatch, report: Report) -> int:
        """Post a batch with the writer's report."""
        rows = [row_json(row, batch.dataset) for row in batch.rows]
        answer = self._post({"id": batch.id, "dataset": batch.dataset.name, "rows": rows, "writer": report})
        refused = answer.get("rejected") if isinstance(answer, dict) else None
        return refused if isinstance(refused, int) else 0

    def tell(self, report: Report) -> None:
        """Post the report alone."""
        self._post({"writer": report})

    def _post(self, body: dict[str, Any]) -> object:
        try:
            return self._api.post(ADDRESS, body, atomic="false")
        except ApiError as error:
            if error.status is None or error.status >= 500 or error.status in _PASSING:
                raise SinkDown(str(error)) from None
            raise BatchRefused(str(error)) from None


def open_telemetry(host: str, root: str | None, api: Api | None) -> HostTelemetry:
    """The telemetry of a host, to the folder `root` or to an API; close its `recorder` at the end."""
    sink = ApiSink(api) if api is not None else FolderSink(root or "")
    return HostTelemetry(Recorder(sink, host, datasets=(PUBLISHED, DELIVERED)), host)


@contextmanager
def told(telemetry: HostTelemetry | None) -> Iterator[HostTelemetry | None]:
    """Close it at the end, and print on standard error what became of its rows."""
    try:
        yield telemetry
    finally:
        if telemetry is not None:
            tally = telemetry.recorder.close()
            line = _last_line(telemetry, tally)
            if line:
                print(line, file=sys.stderr, flush=True)


def _last_line(telemetry: HostTelemetry, tally: RecorderCounts) -> str:
    """Return what became of the rows, or why rejections were not reported; empty where there is nothing."""
    error = telemetry.recorder.error
    if isinstance(telemetry, RejectionReports):
        return f"the platform was not told of rejected events: {error}" if error else ""
    why = f": {error}" if tally.lost else ""
    return f"telemetry: {tally.written} of {tally.taken} rows written, {tally.lost} lost{why}"


def moment(micros: int) -> datetime:
    """The time that is so many microseconds after 1970; the last one there is for what lies behind it."""
    try:
        return _EPOCH + timedelta(microseconds=micros)
    except OverflowError:
        return datetime.max.replace(tzinfo=UTC)
