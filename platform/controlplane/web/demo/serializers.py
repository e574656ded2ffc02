"""First use: the demo, test events and connecting switches, as the API reads and shows them."""

from typing import Any

from rest_framework import serializers

from controlplane.operations.demo.models import DemoState, TestEvent, TestState
from controlplane.rest.base_views import url
from controlplane.rest.fields import Choice, Flag, Integer, Name, Number, Reference, Text, Values

TOLD = tuple(state for state in DemoState.values if state != DemoState.ABSENT)
MAX_NAMES = 10_000


class DemoSerializer(serializers.Serializer[Any]):
    """How the demo network is."""

    state = serializers.ChoiceField(choices=DemoState.choices, help_text="absent: no launcher stands by")
    step = serializers.CharField(help_text="what is being done", allow_blank=True)
    progress = serializers.FloatField(help_text="0 to 1, while it starts")
    reason = serializers.CharField(help_text="why not, and what to do", allow_blank=True)
    fixed = serializers.BooleanField(help_text="it began with `make run`, and ends with it")
    may_start = serializers.BooleanField()
    may_stop = serializers.BooleanField()
    heard_at = serializers.DateTimeField(allow_null=True, help_text="the launcher's last heartbeat")


class DemoAskSerializer(serializers.Serializer[Any]):
    """What to do with the demo."""

    action = Choice(("start", "stop"))


class ReceivedReportSerializer(serializers.Serializer[Any]):
    """A host that got a test event."""

    host = Reference()
    delay_ms = Number(min_value=-86_400_000, max_value=86_400_000)


class TestReportSerializer(serializers.Serializer[Any]):
    """What became of a test event."""

    id = Integer(min_value=1)
    seq = Integer(min_value=0, allow_null=True, default=None)
    problem = Text(max_length=2000, allow_blank=True, default="")
    received = ReceivedReportSerializer(many=True, required=False)


class HeartbeatSerializer(serializers.Serializer[Any]):
    """What a launcher says of itself."""

    name = Name()
    state = Choice(TOLD)
    step = Text(max_length=200, allow_blank=True, default="")
    progress = Number(min_value=0, max_value=1, default=0)
    reason = Text(max_length=10_000, allow_blank=True, default="")
    fixed = Flag(default=False)
    switches = serializers.ListField(child=Name(), default=list, max_length=MAX_NAMES)
    hosts = serializers.ListField(child=Name(), default=list, max_length=MAX_NAMES)
    tested = TestReportSerializer(many=True, required=False)


class TestOrderSerializer(serializers.Serializer[Any]):
    """An event that a launcher is to publish."""

    id = serializers.IntegerField()
    advertisement = serializers.CharField()
    filter = serializers.CharField(allow_blank=True)
    topic = serializers.CharField()
    host = serializers.CharField()
    values = Values()


class OrdersSerializer(serializers.Serializer[Any]):
    """What a launcher is to do."""

    wanted = serializers.BooleanField(help_text="whether the demo is to run")
    tests = TestOrderSerializer(many=True)


class TestEventAskSerializer(serializers.Serializer[Any]):
    """An event to be published once, in the demo network."""

    advertisement = Reference(help_text="by its id in plans: `a` and its number")
    values = Values()


class ReceivedSerializer(serializers.Serializer[Any]):
    """A host that got the event, as it reported."""

    host = serializers.CharField()
    delay_ms = serializers.FloatField(help_text="from publisher to host")
    wanted = serializers.BooleanField(help_text="whether a subscription there matches it")
    subscriptions = serializers.ListField(child=serializers.CharField(), help_text="which match it, like q7")


class TestEventSerializer(serializers.ModelSerializer[TestEvent]):
    """A test event, and who got it."""

    url = serializers.SerializerMethodField()
    advertisement = serializers.CharField(source="advertisement.planner_id")
    publisher = serializers.CharField(source="advertisement.publisher.name")
    host = serializers.CharField(source="advertisement.publisher.host.name")
    topic = serializers.CharField(source="advertisement.topic.name")
    values = Values()
    state = serializers.ChoiceField(choices=TestState.choices)
    received = ReceivedSerializer(many=True)
    problem = serializers.CharField(help_text="why it was not sent, and what to do", allow_blank=True)

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
        """Where it can be read again."""
        return url("test-events", row.pk)


class WaitingSwitchSerializer(serializers.Serializer[Any]):
    """A switch that is registered and has yet to connect."""

    name = serializers.CharField()
    dpid = serializers.CharField()
    command = serializers.CharField(help_text="to type at it, where its bridge has its name")


class UnknownSwitchSerializer(serializers.Serializer[Any]):
    """A switch that is connected and not registered."""

    dpid = serializers.CharField()
    address = serializers.CharField()


class ConnectSerializer(serializers.Serializer[Any]):
    """Where switches connect, and which have yet to."""

    addresses = serializers.ListField(child=serializers.CharField(), help_text="as Open vSwitch takes them")
    local_only = serializers.BooleanField(help_text="switches of this machine alone reach it")
    tls = serializers.BooleanField(help_text="switches need TLS and a certificate of their own")
    reported = serializers.BooleanField(
        help_text="the controller reports these addresses; false: it does not answer, they are the setting"
    )
    note = serializers.CharField(allow_blank=True)
    command = serializers.CharField(help_text="to type at a switch; BRIDGE stands for its bridge")
    switches = serializers.IntegerField(help_text="registered")
    connected = serializers.IntegerField(help_text="of these")
    waiting = WaitingSwitchSerializer(many=True, help_text="the first that have yet to connect")
    unknown = UnknownSwitchSerializer(many=True, help_text="connected, and not registered yet")
    problem = serializers.CharField(allow_blank=True, help_text="why the controller was not asked")
