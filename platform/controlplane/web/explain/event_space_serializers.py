"""The shape of a picture, for the API's schema."""

from typing import Any

from rest_framework import serializers


def _box() -> serializers.ListField:
    return serializers.ListField(
        child=serializers.FloatField(),
        min_length=4,
        max_length=4,
        help_text="left, right, bottom, top, in the units of the axes",
    )


class TickSerializer(serializers.Serializer[Any]):
    """A label on an axis."""

    at = serializers.FloatField()
    label = serializers.CharField(allow_blank=True)  # type: ignore[assignment]


class PictureAxisSerializer(serializers.Serializer[Any]):
    """An axis: numbers by their value; places in a list; or texts, each that occurs with room of its own."""

    attribute = serializers.CharField()
    type = serializers.CharField(help_text="of the attribute")
    kind = serializers.ChoiceField(choices=("number", "category", "text"))
    low = serializers.FloatField()
    high = serializers.FloatField()
    ticks = TickSerializer(many=True)


class PicturedSerializer(serializers.Serializer[Any]):
    """An announcement: what it holds of the two attributes."""

    id = serializers.IntegerField()
    name = serializers.CharField(help_text="its id in plans, like q7")
    owner = serializers.CharField(help_text="its publisher or subscriber")
    host = serializers.CharField()
    filter = serializers.CharField(allow_null=True)
    boxes = serializers.ListField(child=_box())
    truncated = serializers.BooleanField(help_text="there are more boxes")


class PicturedManySerializer(serializers.Serializer[Any]):
    """The newest announcements of a kind."""

    total = serializers.IntegerField()
    truncated = serializers.BooleanField()
    items = PicturedSerializer(many=True)


class PicturedCellSerializer(serializers.Serializer[Any]):
    """A place of dz cells."""

    box = _box()
    cells = serializers.IntegerField(help_text="how many distinct dz cells lie there")


class PicturedCellsSerializer(serializers.Serializer[Any]):
    """The dz cells of the announcements that are shown."""

    total = serializers.IntegerField(help_text="distinct ones")
    truncated = serializers.BooleanField()
    items = PicturedCellSerializer(many=True)


class PicturedEventSerializer(serializers.Serializer[Any]):
    """A past event."""

    id = serializers.IntegerField()
    advertisement = serializers.CharField()
    at = serializers.DateTimeField(help_text="when it was reported")
    x = serializers.FloatField()
    y = serializers.FloatField()


class PicturedEventsSerializer(serializers.Serializer[Any]):
    """The newest of the samples that are kept."""

    total = serializers.IntegerField()
    truncated = serializers.BooleanField()
    items = PicturedEventSerializer(many=True)


class SpaceSerializer(serializers.Serializer[Any]):
    """The event space of a topic over two attributes."""

    topic = serializers.CharField()
    x = PictureAxisSerializer()
    y = PictureAxisSerializer(
        allow_null=True, help_text="null where the topic has one attribute; boxes go from 0 to 1"
    )
    advertisements = PicturedManySerializer()
    subscriptions = PicturedManySerializer()
    advertisement_cells = PicturedCellsSerializer()
    subscription_cells = PicturedCellsSerializer()
    events = PicturedEventsSerializer()
