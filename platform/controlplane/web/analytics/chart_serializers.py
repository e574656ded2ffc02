"""Serializers of charts, one for each job, so that every value has a type."""

from typing import Any

from drf_spectacular.utils import extend_schema_field, extend_schema_serializer
from rest_framework import serializers

from controlplane.analytics.jobs import JOBS
from controlplane.web.analytics.serializers import Counts

MISSING = ("telemetry", "job", "filter")


def _number(text: str) -> serializers.FloatField:
    return serializers.FloatField(allow_null=True, help_text=text)


def _count(text: str) -> serializers.IntegerField:
    return serializers.IntegerField(allow_null=True, help_text=text)


class EmptySerializer(serializers.Serializer[Any]):
    """Reason for a chart without data."""

    missing = serializers.ChoiceField(choices=MISSING, help_text="missing part")
    detail = serializers.CharField(help_text="description of the reason")


class ChartsSerializer(serializers.Serializer[Any]):
    """Fields of all charts. A point without a measurement has only null values."""

    job = serializers.CharField(help_text="job that computed the results")
    window = serializers.CharField(help_text="length of the measured windows")
    since = serializers.DateTimeField(help_text="time of the first point")
    until = serializers.DateTimeField(help_text="end of the last point")
    step_s = serializers.FloatField(
        help_text="seconds between two points; a point keeps the extremes of its windows"
    )
    run = serializers.CharField(allow_null=True, help_text="address of the last successful run")
    updated_at = serializers.DateTimeField(allow_null=True, help_text="end of the last successful run")
    more = serializers.IntegerField(help_text="number of series that are not shown")
    empty = EmptySerializer(allow_null=True, help_text="why the chart has no data; null if it has data")


class PointSerializer(serializers.Serializer[Any]):
    """One point of a chart."""

    at = serializers.DateTimeField(help_text="start of the point's time")


class TableSizePointSerializer(PointSerializer):
    """Table of a switch. `budget` is the last one. `occupancy_max` is 1 for a full table."""

    entries_min = _count("minimum number of entries")
    entries_avg = _number("mean number of entries")
    entries_max = _count("maximum number of entries")
    budget = _count("budget in entries; null: no budget")
    occupancy_max = _number("largest share of the budget in use")


class TableSizeSeriesSerializer(serializers.Serializer[Any]):
    """Series of a switch."""

    switch = serializers.CharField(help_text="name of the switch")
    points = TableSizePointSerializer(many=True, help_text="points in the order of time")


class TableSizeSerializer(ChartsSerializer):
    """Table sizes compared with budgets."""

    series = TableSizeSeriesSerializer(many=True, help_text="series by switch")


class DelayPointSerializer(PointSerializer):
    """Delays. For several windows or hosts, each percentile is the largest of theirs."""

    events = _count("number of first deliveries")
    p50_ms = _number("median delay in milliseconds")
    p95_ms = _number("95th percentile in milliseconds")
    p99_ms = _number("99th percentile in milliseconds")
    max_ms = _number("largest delay in milliseconds")


class DelaySeriesSerializer(serializers.Serializer[Any]):
    """Series of a topic and a host. Null means all of them together."""

    topic = serializers.CharField(allow_null=True, help_text="name of the topic")
    host = serializers.CharField(allow_null=True, help_text="name of the host")
    points = DelayPointSerializer(many=True, help_text="points in the order of time")


class DelayChartsSerializer(ChartsSerializer):
    """Delays by topic and host."""

    series = DelaySeriesSerializer(many=True, help_text="series by topic and host")


class FalsePositivesPointSerializer(PointSerializer):
    """Deliveries."""

    delivered = _count("events delivered (first copies)")
    unwanted = _count("false positives: delivered events that match no subscription of the host")
    doubled = _count("further copies of delivered events")
    lost = _count("expected events that were not delivered; null if unknown")
    fpr = _number("false positives in percent of delivered events")


class FalsePositivesSeriesSerializer(serializers.Serializer[Any]):
    """Series of a topic and a host. Null means all of them together."""

    topic = serializers.CharField(allow_null=True, help_text="name of the topic")
    host = serializers.CharField(allow_null=True, help_text="name of the host")
    points = FalsePositivesPointSerializer(many=True, help_text="points in the order of time")


class FalsePositivesSerializer(ChartsSerializer):
    """False positives, network-wide or by topic and host."""

    series = FalsePositivesSeriesSerializer(many=True, help_text="series by topic and host")


class PublisherLoadPointSerializer(PointSerializer):
    """Events of a publisher."""

    events = _count("number of events published")
    events_per_s = _number(
        "mean number of events per second, including pauses; times without results do not count"
    )


class PublisherLoadSeriesSerializer(serializers.Serializer[Any]):
    """Series of a publisher, identified by its advertisement."""

    publisher = serializers.CharField(help_text="name of the advertisement")
    dz_histogram = Counts(help_text="number of events by the first bits of their dz, over the whole range")
    points = PublisherLoadPointSerializer(many=True, help_text="points in the order of time")


class PublisherLoadSerializer(ChartsSerializer):
    """Loads of publishers."""

    series = PublisherLoadSeriesSerializer(many=True, help_text="series by publisher")


@extend_schema_serializer(component_name="NeedlessPoint")
class RedundantCopiesPointSerializer(PointSerializer):
    """Mean cost of merged entries, over the checked events."""

    copies = _number("redundant copies per event over links")
    unwanted = _number("false positives per event: deliveries to hosts without a matching subscription")
    expected = _number("redundant copies per event, predicted from older events")


@extend_schema_serializer(component_name="NeedlessSeries")
class RedundantCopiesSeriesSerializer(serializers.Serializer[Any]):
    """Series of a switch with merged entries."""

    switch = serializers.CharField(help_text="name of the switch")
    points = RedundantCopiesPointSerializer(many=True, help_text="points in the order of time")


@extend_schema_serializer(component_name="Needless")
class RedundantCopiesSerializer(ChartsSerializer):
    """Redundant copies over links."""

    series = RedundantCopiesSeriesSerializer(many=True, help_text="series by switch")


class StageTimesSerializer(serializers.Serializer[Any]):
    """Duration of a stage in milliseconds. For several windows, percentiles are the largest."""

    p50 = serializers.FloatField(help_text="median in milliseconds")
    p95 = serializers.FloatField(help_text="95th percentile in milliseconds")
    mean = serializers.FloatField(help_text="mean in milliseconds")


class RequestLatencyPointSerializer(PointSerializer):
    """Requests received in a time."""

    requests = _count("number of requests received")
    failed = _count("number of these requests that failed")
    waiting_ms = StageTimesSerializer(allow_null=True, help_text="time from received to started")
    computing_ms = StageTimesSerializer(allow_null=True, help_text="time from started to computed")
    deploying_ms = StageTimesSerializer(allow_null=True, help_text="time from computed to confirmed")
    processing_ms = StageTimesSerializer(allow_null=True, help_text="time from received to confirmed")


class RequestLatencySeriesSerializer(serializers.Serializer[Any]):
    """Series of a kind of request."""

    kind = serializers.CharField(help_text="kind of request")
    points = RequestLatencyPointSerializer(many=True, help_text="points in the order of time")


class RequestLatencySerializer(ChartsSerializer):
    """Durations of requests by stage."""

    series = RequestLatencySeriesSerializer(many=True, help_text="series by kind of request")


class WeightSerializer(serializers.Serializer[Any]):
    """Attribute, with its weight for distinguishing events."""

    attribute = serializers.CharField(help_text="name of the attribute")
    weight = serializers.FloatField(
        help_text="weight of the attribute; a larger one distinguishes events better"
    )
    selected = serializers.BooleanField(
        help_text="whether the job recommends the attribute: the first weights together reach the threshold"
    )
    indexed = serializers.BooleanField(help_text="whether the topic indexes it now")


class SelectionSerializer(serializers.Serializer[Any]):
    """Result of one run for a topic."""

    topic = serializers.CharField(help_text="name of the topic")
    at = serializers.DateTimeField(help_text="start of the window")
    run = serializers.CharField(allow_null=True, help_text="address of the run")
    events = serializers.IntegerField(help_text="number of events used")
    subscriptions = serializers.IntegerField(help_text="number of subscriptions used")
    ranking = WeightSerializer(many=True, help_text="attributes by weight, the largest first")
    eigenvalues = serializers.ListField(
        child=serializers.FloatField(), help_text="eigenvalues of the covariance matrix"
    )
    measured_fpr = serializers.FloatField(
        allow_null=True, help_text="false positives in percent of delivered events, in the day before"
    )

    @extend_schema_field(serializers.BooleanField())
    def get_differs(self, row: Any) -> bool:
        """Whether the topic now indexes other attributes than the selected ones."""
        return bool(row["differs"])

    differs = serializers.SerializerMethodField(help_text="whether the topic now indexes other attributes")


class SelectionsSerializer(serializers.Serializer[Any]):
    """Selections of attributes, the newest first."""

    job = serializers.ChoiceField(choices=list(JOBS), help_text="job that computed the results")
    since = serializers.DateTimeField(help_text="start of the range")
    until = serializers.DateTimeField(help_text="end of the range, excluded")
    more = serializers.IntegerField(help_text="number of selections that are not shown")
    empty = EmptySerializer(allow_null=True, help_text="why there is no selection; null if there is one")
    selections = SelectionSerializer(many=True, help_text="selections, the newest first")
