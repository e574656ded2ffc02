"""Batches of telemetry as hosts post them, and what the platform says of telemetry."""

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
    """How a row of the dataset looks in JSON."""
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
    """A list of rows, which are checked by their dataset later."""

    def to_internal_value(self, data: Any) -> list[Any]:
        """`data` itself."""
        if not isinstance(data, list):
            self.refuse("wrong_type", f"{shown(data)} is not a list of rows.")
        return data


def _count() -> Integer:
    return Integer(min_value=0, max_value=SAFE_INTEGER)


class RejectedEventsSerializer(serializers.Serializer[Any]):
    """Events that a subscriber did not accept, since the writer started."""

    host = Text(max_length=200, help_text="the host that they reached")
    topic = Text(max_length=100)
    reason = Text(max_length=40, help_text="other_address: not from the host of its advertisement")
    events = _count()


class WriterReportSerializer(serializers.Serializer[Any]):
    """What a writer says of itself: counters of rows since it started."""

    name = Text(max_length=200)
    host = Text(max_length=200, allow_blank=True)
    started_at = Time()
    told_at = Time()
    period_s = Number(min_value=0, max_value=86_400, help_text="it reports at least so often")
    complete_until = Time(
        required=False, allow_null=True, help_text="all rows that it took before this time are handed over"
    )
    datasets = serializers.ListField(
        child=Choice(tuple(DATASETS)),
        required=False,
        allow_null=True,
        max_length=len(DATASETS),
        help_text="those that it writes; null for any",
    )
    closed = Flag(help_text="this is its last report")
    error = Text(max_length=2000, allow_blank=True, allow_null=True)
    taken = _count()
    written = _count()
    lost = _count()
    pending = _count()
    batches = _count()
    lost_batches = _count()
    retries = _count()
    rejected = RejectedEventsSerializer(  # type: ignore[call-arg]
        many=True, required=False, max_length=MOST_REJECTED, help_text="by host, topic and reason"
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
    """Rows of one dataset, or a writer's report, or both.

    `id`, `dataset` and `rows` go together. Columns of rows are those of the dataset: times in ISO 8601 with
    their zone, integers beyond 2^53-1 as decimal strings.
    """

    id = Text(max_length=200, required=False, help_text="of the batch; the same batch again changes nothing")
    dataset = Choice(tuple(TAKEN), required=False)
    rows = Rows(required=False)
    writer = WriterReportSerializer(required=False)


class TelemetryTakenSerializer(serializers.Serializer[Any]):
    """What became of a batch."""

    id = serializers.CharField(allow_null=True)
    dataset = serializers.CharField(allow_null=True)
    accepted = serializers.IntegerField(help_text="rows that are stored")
    rejected = serializers.IntegerField(help_text="rows that are not, and why in `errors` (atomic=false)")
    replayed = serializers.BooleanField(help_text="the batch was here before; nothing was stored twice")
    errors = ErrorSerializer(many=True)  # type: ignore[assignment]


class TelemetryWriterSerializer(serializers.ModelSerializer[TelemetryWriter]):
    """A writer of telemetry, as it last said itself."""

    rejected = RejectedEventsSerializer(many=True)

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
    """What is stored of a dataset."""

    dataset = serializers.CharField()
    days = serializers.IntegerField()
    files = serializers.IntegerField()
    oldest = serializers.DateField(allow_null=True)
    newest = serializers.DateField(allow_null=True)


@extend_schema_serializer(many=False)
class TelemetrySerializer(serializers.Serializer[Any]):
    """Telemetry as it stands."""

    root = serializers.CharField(help_text="the folder, on the control plane's machine")  # type: ignore[assignment]
    retention_days = serializers.IntegerField()
    problem = serializers.CharField(allow_null=True, help_text="why it cannot be written, where it cannot")
    most_rows = serializers.IntegerField(help_text="of a batch")
    most_bytes = serializers.IntegerField(help_text="of a batch")
    datasets = DatasetContentsSerializer(many=True)
    lost = serializers.IntegerField(help_text="rows, over all writers that are known")
    lost_batches = serializers.IntegerField()
    silent_writers = serializers.IntegerField(help_text="writers that stopped without an end")
    writers = TelemetryWriterSerializer(many=True, help_text="the last that were heard")
