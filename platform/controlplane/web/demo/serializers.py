"""Serializers for first use: the demo, test events, and connecting switches."""

from typing import Any

from rest_framework import serializers

from controlplane.operations.demo.models import DemoState, TestEvent, TestState
from controlplane.rest.base_views import url
from controlplane.rest.fields import Choice, Flag, Integer, Name, Number, Reference, Text, Values

REPORTABLE = tuple(state for state in DemoState.values if state != DemoState.ABSENT)
MAX_NAMES = 10_000


class DemoSerializer(serializers.Serializer[Any]):
    """State of the demo network."""

    state = serializers.ChoiceField(
        choices=DemoState.choices, help_text="state; absent: no launcher is available"
    )
    step = serializers.CharField(help_text="step in progress", allow_blank=True)
    progress = serializers.FloatField(help_text="progress of the start, 0 to 1")
    reason = serializers.CharField(
        help_text="why the demo is not available, and what to do", allow_blank=True
    )
    fixed = serializers.BooleanField(help_text="whether the demo runs until `make run` ends")
    may_start = serializers.BooleanField(help_text="whether the demo can be started now")
    may_stop = serializers.BooleanField(help_text="whether the demo can be stopped now")
    heard_at = serializers.DateTimeField(allow_null=True, help_text="last heartbeat of the launcher")


class DemoAskSerializer(serializers.Serializer[Any]):
    """Action for the demo."""

    action = Choice(("start", "stop"), help_text="start or stop the demo")


class ReceivedReportSerializer(serializers.Serializer[Any]):
    """Host that received a test event."""

    host = Reference(help_text="name of the host")
    delay_ms = Number(
        min_value=-86_400_000, max_value=86_400_000, help_text="delay from publisher to host in milliseconds"
    )


class TestReportSerializer(serializers.Serializer[Any]):
    """Result of a test event."""

    id = Integer(min_value=1, help_text="id of the test event")
    seq = Integer(min_value=0, allow_null=True, default=None, help_text="sequence number; null: not sent")
    problem = Text(max_length=2000, allow_blank=True, default="", help_text="why the event was not sent")
    received = ReceivedReportSerializer(many=True, required=False, help_text="hosts that received the event")


class HeartbeatSerializer(serializers.Serializer[Any]):
    """Heartbeat of a launcher."""

    name = Name(help_text="name of the launcher")
    state = Choice(REPORTABLE, help_text="state of the demo")
    step = Text(max_length=200, allow_blank=True, default="", help_text="step in progress")
    progress = Number(min_value=0, max_value=1, default=0, help_text="progress of the start, 0 to 1")
    reason = Text(max_length=10_000, allow_blank=True, default="", help_text="why the demo failed")
    fixed = Flag(default=False, help_text="whether the demo runs until `make run` ends")
    switches = serializers.ListField(
        child=Name(), default=list, max_length=MAX_NAMES, help_text="names of the demo's switches"
    )
    hosts = serializers.ListField(
        child=Name(), default=list, max_length=MAX_NAMES, help_text="names of the demo's hosts"
    )
    tested = TestReportSerializer(many=True, required=False, help_text="results of test events")


class TestOrderSerializer(serializers.Serializer[Any]):
    """Event that a launcher must publish."""

    id = serializers.IntegerField(help_text="id of the test event")
    advertisement = serializers.CharField(help_text="name of the advertisement, for example a6")
    filter = serializers.CharField(allow_blank=True, help_text="filter of the advertisement")
    topic = serializers.CharField(help_text="name of the topic")
    host = serializers.CharField(help_text="name of the publisher's host")
    values = Values()


class OrdersSerializer(serializers.Serializer[Any]):
    """Orders for a launcher."""

    wanted = serializers.BooleanField(help_text="whether the demo must run")
    tests = TestOrderSerializer(many=True, help_text="test events to publish")


class TestEventAskSerializer(serializers.Serializer[Any]):
    """Event to publish once in the demo network."""

    advertisement = Reference(help_text="name of the advertisement: `a` and its number")
    values = Values()


class ReceivedSerializer(serializers.Serializer[Any]):
    """Host that reported the event as received."""

    host = serializers.CharField(help_text="name of the host")
    delay_ms = serializers.FloatField(help_text="delay from publisher to host in milliseconds")
    wanted = serializers.BooleanField(help_text="whether a subscription at the host matches the event")
    subscriptions = serializers.ListField(
        child=serializers.CharField(), help_text="names of the matching subscriptions, for example q7"
    )


class TestEventSerializer(serializers.ModelSerializer[TestEvent]):
    """Test event, with the hosts that received it."""

    url = serializers.SerializerMethodField()
    advertisement = serializers.CharField(
        source="advertisement.planner_id", help_text="name of the advertisement, for example a6"
    )
    publisher = serializers.CharField(source="advertisement.publisher.name")
    host = serializers.CharField(source="advertisement.publisher.host.name")
    topic = serializers.CharField(source="advertisement.topic.name")
    values = Values()
    state = serializers.ChoiceField(choices=TestState.choices)
    received = ReceivedSerializer(many=True, help_text="hosts that received the event")
    problem = serializers.CharField(help_text="why the event was not sent, and what to do", allow_blank=True)

    class Meta:
        model = TestEvent
        fields = (
            "id",
            "url",
            "advertisement",
            "publisher",
            "host",
            "topic",
            "values",
            "state",
            "seq",
            "received",
            "problem",
            "created_at",
            "ended_at",
        )
        read_only_fields = fields

    def get_url(self, row: TestEvent) -> str:
        """Address of the test event."""
        return url("test-events", row.pk)


class WaitingSwitchSerializer(serializers.Serializer[Any]):
    """Registered switch that has not connected yet."""

    name = serializers.CharField()
    dpid = serializers.CharField()
    command = serializers.CharField(help_text="command for this switch, if its bridge has the same name")


class UnknownSwitchSerializer(serializers.Serializer[Any]):
    """Connected switch that is not registered."""

    dpid = serializers.CharField()
    address = serializers.CharField(help_text="address of the connection")


class ConnectSerializer(serializers.Serializer[Any]):
    """Address of the controller, and switches that are not connected yet."""

    addresses = serializers.ListField(
        child=serializers.CharField(), help_text="addresses of the controller in the format of Open vSwitch"
    )
    local_only = serializers.BooleanField(help_text="whether only switches on this machine can connect")
    tls = serializers.BooleanField(help_text="whether each switch needs TLS and a certificate")
    reported = serializers.BooleanField(
        help_text="true: reported by the controller; false: the setting, because it does not answer"
    )
    note = serializers.CharField(allow_blank=True, help_text="advice on the addresses")
    command = serializers.CharField(
        help_text="command for a switch; replace BRIDGE with the name of its bridge"
    )
    switches = serializers.IntegerField(help_text="number of registered switches")
    connected = serializers.IntegerField(help_text="number of these that are connected")
    waiting = WaitingSwitchSerializer(many=True, help_text="first registered switches that are not connected")
    unknown = UnknownSwitchSerializer(many=True, help_text="connected switches that are not registered")
    problem = serializers.CharField(
        allow_blank=True, help_text="why the controller did not report its addresses"
    )
