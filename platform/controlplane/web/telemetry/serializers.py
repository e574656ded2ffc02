"""Serializers of telemetry: batches that hosts send, and the state of telemetry."""

from typing import Any

from drf_spectacular.utils import OpenApiExample, extend_schema_field, extend_schema_serializer
from rest_framework import serializers

from controlplane.rest.fields import Choice, Flag, Integer, Number, StrictField, Text, Time
from controlplane.rest.serializers import ErrorSerializer
from controlplane.telemetry.batches import MAX_ROWS, TAKEN
from controlplane.telemetry.models import TelemetryWriter
from controlplane.telemetry.rejected_senders import MOST_REJECTED
from tercast.errors import shown
from tercast.runtime.strict_json import SAFE_INTEGER
from tercast.telemetry import DATASETS, Dataset

_TEXT, _TEXTS = {"type": "string"}, {"type": "array", "items": {"type": "string"}}
_LONG: dict[str, Any] = {"oneOf": [{"type": "integer"}, {"type": "string", "pattern": "^-?[1-9][0-9]*$"}]}
_KINDS: dict[str, dict[str, Any]] = {
    "string": _TEXT,
    "strings": _TEXTS,
    "boolean": {"type": "boolean"},
    "timestamp": {"type": "string", "format": "date-time"},
    "long": _LONG,
}


def _row_schema(dataset: Dataset) -> dict[str, Any]:
    """Return the JSON schema of a row of the dataset."""
    needed = {*dataset.key, dataset.time}
    kinds = {
        column.name: {**_KINDS[column.kind], **({} if column.name in needed else {"nullable": True})}
        for column in dataset.columns
    }
    return {"type": "object", "title": dataset.name, "properties": kinds, "required": sorted(needed)}


@extend_schema_field(
    {
        "type": "array",
        "items": {"anyOf": [_row_schema(dataset) for dataset in TAKEN.values()]},
        "maxItems": MAX_ROWS,
    }
)
class Rows(StrictField):
    """List of rows. Their dataset checks them later."""

    def to_internal_value(self, data: Any) -> list[Any]:
        """Return `data` unchanged."""
        if not isinstance(data, list):
            self.refuse("wrong_type", f"{shown(data)} is not a list; give a list of rows.")
        return data


def _count(what: str) -> Integer:
    text = f"number of {what} since the writer started"
    return Integer(min_value=0, max_value=SAFE_INTEGER, help_text=text)


class RejectedEventsSerializer(serializers.Serializer[Any]):
    """Events that a subscriber rejected since the writer started."""

    host = Text(max_length=200, help_text="name of the host that the events reached")
    topic = Text(max_length=100, help_text="name of the topic")
    reason = Text(max_length=40, help_text="reason; other_address: not from the host of its advertisement")
    events = _count("rejected events")


class WriterReportSerializer(serializers.Serializer[Any]):
    """Report of a writer, with counters of rows since it started."""

    name = Text(max_length=200, help_text="name of the writer")
    host = Text(max_length=200, allow_blank=True, help_text="name of the host")
    started_at = Time(help_text="start of the writer")
    told_at = Time(help_text="time of the report")
    period_s = Number(min_value=0, max_value=86_400, help_text="maximum seconds between two reports")
    complete_until = Time(
        required=False, allow_null=True, help_text="all rows from before this time have been sent"
    )
    datasets = serializers.ListField(
        child=Choice(tuple(DATASETS)),
        required=False,
        allow_null=True,
        max_length=len(DATASETS),
        help_text="datasets that it writes; null: any",
    )
    closed = Flag(help_text="whether this is the last report")
    error = Text(max_length=2000, allow_blank=True, allow_null=True, help_text="last error; null: none")
    taken = _count("rows that it accepted")
    written = _count("rows that it wrote")
    lost = _count("lost rows")
    pending = Integer(
        min_value=0, max_value=SAFE_INTEGER, help_text="number of rows that are not written yet"
    )
    batches = _count("written uploads")
    lost_batches = _count("lost uploads")
    retries = _count("repeated attempts to write")
    rejected = RejectedEventsSerializer(  # type: ignore[call-arg]
        many=True,
        required=False,
        max_length=MOST_REJECTED,
        help_text="a list of rejected events by host, topic and reason",
    )


_EXAMPLE = {
    "id": "h1-4711-1",
    "dataset": "delivered",
    "rows": [
        {
            "topic": "quotes",
            "publisher": "a1",
            "seq": 1_774_785_600_000_000,
            "host": "h1",
            "received_at": "2026-03-29T12:00:00.001200Z",
            "wanted": True,
            "subscriptions": ["q1"],
        }
    ],
}


@extend_schema_serializer(examples=[OpenApiExample("batch", _EXAMPLE)])
class TelemetryCreateSerializer(serializers.Serializer[Any]):
    """Rows of one dataset, a writer's report, or both.

    `id`, `dataset` and `rows` belong together. A row has the columns of its dataset. Times are in ISO 8601
    with their zone, and integers beyond 2^53-1 are decimal strings.
    """

    id = Text(max_length=200, required=False, help_text="id of the upload; a repeated upload changes nothing")
    dataset = Choice(tuple(TAKEN), required=False, help_text="name of the dataset")
    rows = Rows(required=False, help_text="rows of the dataset")
    writer = WriterReportSerializer(required=False, help_text="report of the writer")


class TelemetryTakenSerializer(serializers.Serializer[Any]):
    """Result of an upload."""

    id = serializers.CharField(allow_null=True, help_text="id of the upload")
    dataset = serializers.CharField(allow_null=True, help_text="name of the dataset")
    accepted = serializers.IntegerField(help_text="number of stored rows")
    rejected = serializers.IntegerField(
        help_text="number of invalid rows, with reasons in `errors` (atomic=false)"
    )
    replayed = serializers.BooleanField(
        help_text="whether the upload was already stored; nothing is stored twice"
    )
    errors = ErrorSerializer(many=True, help_text="errors of invalid rows")  # type: ignore[assignment]


class TelemetryWriterSerializer(serializers.ModelSerializer[TelemetryWriter]):
    """Writer of telemetry, according to its last report."""

    rejected = RejectedEventsSerializer(many=True, help_text="events that subscribers rejected")

    class Meta:
        model = TelemetryWriter
        fields = (
            "name",
            "host",
            "way",
            "taken",
            "written",
            "lost",
            "pending",
            "batches",
            "lost_batches",
            "retries",
            "error",
            "started_at",
            "heard_at",
            "closed",
            "silent",
            "rejected",
        )


class DatasetContentsSerializer(serializers.Serializer[Any]):
    """Stored files of a dataset."""

    dataset = serializers.CharField(help_text="name of the dataset")
    days = serializers.IntegerField(help_text="number of days with files")
    files = serializers.IntegerField(help_text="number of files")
    oldest = serializers.DateField(allow_null=True, help_text="first day with files")
    newest = serializers.DateField(allow_null=True, help_text="last day with files")


@extend_schema_serializer(many=False)
class TelemetrySerializer(serializers.Serializer[Any]):
    """State of telemetry."""

    root = serializers.CharField(help_text="folder on the control plane's machine")  # type: ignore[assignment]
    retention_days = serializers.IntegerField(help_text="number of days that files are kept")
    problem = serializers.CharField(
        allow_null=True, help_text="why the folder is not writable; null: it is writable"
    )
    most_rows = serializers.IntegerField(help_text="maximum rows of an upload")
    most_bytes = serializers.IntegerField(help_text="maximum bytes of an upload")
    datasets = DatasetContentsSerializer(many=True, help_text="stored files by dataset")
    lost = serializers.IntegerField(help_text="number of lost rows, over all known writers")
    lost_batches = serializers.IntegerField(help_text="number of lost uploads, over all known writers")
    silent_writers = serializers.IntegerField(
        help_text="number of writers that stopped without a last report"
    )
    writers = TelemetryWriterSerializer(many=True, help_text="writers with the newest reports")
