"""Charts of results, as the API shows them: a shape for each job, so that nothing is of any type."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from controlplane.analytics.jobs import JOBS
from controlplane.web.analytics.serializers import Counts

MISSING = ("telemetry", "job", "filter")


def _number(text: str) -> serializers.FloatField:
    return serializers.FloatField(allow_null=True, help_text=text)


def _count(text: str) -> serializers.IntegerField:
    return serializers.IntegerField(allow_null=True, help_text=text)


class EmptySerializer(serializers.Serializer[Any]):
    """Why there is nothing to show."""

    missing = serializers.ChoiceField(choices=MISSING, help_text="what is missing")
    detail = serializers.CharField()


class ChartsSerializer(serializers.Serializer[Any]):
    """What all charts have; a point without a measurement has null in each value."""

    job = serializers.CharField(help_text="whose results these are")
    window = serializers.CharField(help_text="length of the windows that were measured")
    since = serializers.DateTimeField(help_text="time of the first point")
    until = serializers.DateTimeField(help_text="end of the last one")
    step_s = serializers.FloatField(help_text="seconds from point to point; extremes of their windows stay")
    run = serializers.CharField(allow_null=True, help_text="the last run that succeeded")
    updated_at = serializers.DateTimeField(allow_null=True, help_text="when it ended")
    more = serializers.IntegerField(help_text="series beyond those that are shown")
    empty = EmptySerializer(allow_null=True)


class PointSerializer(serializers.Serializer[Any]):
    """One point."""

    at = serializers.DateTimeField(help_text="its start")


class TableSizePointSerializer(PointSerializer):
    """The table of a switch; `budget` is the last, `occupancy_max` 1 where it was full."""

    entries_min = _count("least entries")
    entries_avg = _number("mean entries")
    entries_max = _count("most entries")
    budget = _count("null without a budget")
    occupancy_max = _number("largest part of the budget")


class TableSizeSeriesSerializer(serializers.Serializer[Any]):
    """A switch."""

    switch = serializers.CharField()
    points = TableSizePointSerializer(many=True)


class TableSizeSerializer(ChartsSerializer):
    """Table sizes against budgets."""

    series = TableSizeSeriesSerializer(many=True)


class DelayPointSerializer(PointSerializer):
    """Delays; of several windows or hosts each percentile is the largest of theirs."""

    events = _count("first deliveries")
    p50_ms = _number("milliseconds")
    p95_ms = _number("milliseconds")
    p99_ms = _number("milliseconds")
    max_ms = _number("milliseconds")


class DelaySeriesSerializer(serializers.Serializer[Any]):
    """A topic and a host; null where they are put together."""

    topic = serializers.CharField(allow_null=True)
    host = serializers.CharField(allow_null=True)
    points = DelayPointSerializer(many=True)


class DelayChartsSerializer(ChartsSerializer):
    """Delays by topic and host."""

    series = DelaySeriesSerializer(many=True)


class FalsePositivesPointSerializer(PointSerializer):
    """Deliveries."""

    delivered = _count("events delivered, first copies")
    unwanted = _count("those that the host had not asked for")
    doubled = _count("further copies")
    lost = _count("wanted events that never came; null where that is not known")
    fpr = _number("percent of delivered that was unwanted")


class FalsePositivesSeriesSerializer(serializers.Serializer[Any]):
    """A topic and a host; null where they are put together."""

    topic = serializers.CharField(allow_null=True)
    host = serializers.CharField(allow_null=True)
    points = FalsePositivesPointSerializer(many=True)


class FalsePositivesSerializer(ChartsSerializer):
    """False positives, network-wide or by topic and host."""

    series = FalsePositivesSeriesSerializer(many=True)


class PublisherLoadPointSerializer(PointSerializer):
    """Events of a publisher."""

    events = _count("events published")
    events_per_s = _number("over the time of the point, pauses included, as far as there are results")


class PublisherLoadSeriesSerializer(serializers.Serializer[Any]):
    """A publisher, by the id of its advertisement."""

    publisher = serializers.CharField()
    dz_histogram = Counts(help_text="events by the first bits of their dz, over the whole time")
    points = PublisherLoadPointSerializer(many=True)


class PublisherLoadSerializer(ChartsSerializer):
    """Loads of publishers."""

    series = PublisherLoadSeriesSerializer(many=True)


class NeedlessPointSerializer(PointSerializer):
    """Of the events that were looked at, on average."""

    copies = _number("copies an event over links to where nobody wants it")
    unwanted = _number("deliveries an event to hosts that do not want it")
    expected = _number("copies an event that older events let expect")


class NeedlessSeriesSerializer(serializers.Serializer[Any]):
    """A switch whose entries are merged."""

    switch = serializers.CharField()
    points = NeedlessPointSerializer(many=True)


class NeedlessSerializer(ChartsSerializer):
    """Needless copies over links."""

    series = NeedlessSeriesSerializer(many=True)


class StageTimesSerializer(serializers.Serializer[Any]):
    """Milliseconds of a stage; of several windows the largest percentiles."""

    p50 = serializers.FloatField()
    p95 = serializers.FloatField()
    mean = serializers.FloatField()


class RequestLatencyPointSerializer(PointSerializer):
    """Requests that came in."""

    requests = _count("requests received")
    failed = _count("those that failed")
    waiting_ms = StageTimesSerializer(allow_null=True, help_text="received to started")
    computing_ms = StageTimesSerializer(allow_null=True, help_text="started to computed")
    deploying_ms = StageTimesSerializer(allow_null=True, help_text="computed to confirmed")
    processing_ms = StageTimesSerializer(allow_null=True, help_text="received to confirmed")


class RequestLatencySeriesSerializer(serializers.Serializer[Any]):
    """A kind of request."""

    kind = serializers.CharField()
    points = RequestLatencyPointSerializer(many=True)


class RequestLatencySerializer(ChartsSerializer):
    """What requests wait for."""

    series = RequestLatencySeriesSerializer(many=True)


class WeightSerializer(serializers.Serializer[Any]):
    """An attribute, and how much it tells events apart."""

    attribute = serializers.CharField()
    weight = serializers.FloatField()
    selected = serializers.BooleanField(help_text="among the first that reach the threshold")
    indexed = serializers.BooleanField(help_text="whether the topic indexes it now")


class SelectionSerializer(serializers.Serializer[Any]):
    """What was found for a topic by one run."""

    topic = serializers.CharField()
    at = serializers.DateTimeField()
    run = serializers.CharField(allow_null=True)
    events = serializers.IntegerField()
    subscriptions = serializers.IntegerField()
    ranking = WeightSerializer(many=True)
    eigenvalues = serializers.ListField(child=serializers.FloatField())
    measured_fpr = serializers.FloatField(
        allow_null=True, help_text="percent of delivered that was unwanted, in the day before"
    )

    @extend_schema_field(serializers.BooleanField())
    def get_differs(self, row: Any) -> bool:
        """Whether the topic indexes others than those selected."""
        return bool(row["differs"])

    differs = serializers.SerializerMethodField(help_text="whether the topic indexes others now")


class SelectionsSerializer(serializers.Serializer[Any]):
    """Selections of attributes, the newest first."""

    job = serializers.ChoiceField(choices=list(JOBS))
    since = serializers.DateTimeField()
    until = serializers.DateTimeField()
    more = serializers.IntegerField(help_text="selections beyond those that are shown")
    empty = EmptySerializer(allow_null=True)
    selections = SelectionSerializer(many=True)
