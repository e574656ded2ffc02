"""Serializers of event space projections."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers


@extend_schema_field({"oneOf": [{"type": "string"}, {"type": "number"}, {"type": "boolean"}]})
class CutValueField(serializers.ReadOnlyField):
    """Value of an attribute of any type."""


def _box() -> serializers.ListField:
    return serializers.ListField(
        child=serializers.FloatField(),
        min_length=4,
        max_length=4,
        help_text="left, right, bottom and top, in the units of the axes",
    )


class TickSerializer(serializers.Serializer[Any]):
    """Label on an axis."""

    at = serializers.FloatField(help_text="position on the axis")
    label = serializers.CharField(allow_blank=True, help_text="text of the label")  # type: ignore[assignment]


class PictureAxisSerializer(serializers.Serializer[Any]):
    """Axis with numbers by value, with positions of a list, or with one slot for each text."""

    attribute = serializers.CharField(help_text="name of the attribute")
    type = serializers.CharField(help_text="type of the attribute")
    kind = serializers.ChoiceField(choices=("number", "category", "text"), help_text="kind of axis")
    low = serializers.FloatField(help_text="start of the axis")
    high = serializers.FloatField(help_text="end of the axis")
    ticks = TickSerializer(many=True, help_text="labels on the axis")


class PicturedSerializer(serializers.Serializer[Any]):
    """Announcement, projected onto the two attributes."""

    id = serializers.IntegerField()
    name = serializers.CharField(help_text="name of the announcement, for example q7")
    owner = serializers.CharField(help_text="name of the publisher or subscriber")
    host = serializers.CharField(help_text="name of the host")
    filter = serializers.CharField(allow_null=True)
    boxes = serializers.ListField(child=_box(), help_text="boxes that contain the announcement's events")
    truncated = serializers.BooleanField(help_text="whether boxes are left out")


class PicturedManySerializer(serializers.Serializer[Any]):
    """Newest announcements of a kind."""

    total = serializers.IntegerField(help_text="complete number")
    truncated = serializers.BooleanField(help_text="whether announcements are left out")
    items = PicturedSerializer(many=True, help_text="announcements, the newest first")


class PicturedCellSerializer(serializers.Serializer[Any]):
    """Box that dz cells share."""

    box = _box()
    cells = serializers.IntegerField(help_text="number of distinct dz cells with this box")


class PicturedCellsSerializer(serializers.Serializer[Any]):
    """Distinct dz cells of the announcements in the answer."""

    total = serializers.IntegerField(help_text="number of distinct cells")
    truncated = serializers.BooleanField(help_text="whether cells are left out")
    items = PicturedCellSerializer(many=True, help_text="cells, the largest first")


class PicturedCutSerializer(serializers.Serializer[Any]):
    """Cut as a line: a box without width or without height."""

    attribute = serializers.CharField(help_text="name of the attribute that is cut")
    value = CutValueField(help_text="value of the cut: events whose value is less are on the left or below")
    box = _box()


class PicturedCutsSerializer(serializers.Serializer[Any]):
    """Cuts of the two attributes. Cuts with the same box are one line."""

    total = serializers.IntegerField(help_text="number of lines")
    truncated = serializers.BooleanField(help_text="whether lines are left out")
    items = PicturedCutSerializer(many=True, help_text="lines, in the order of the cuts in the dz")


class PicturedEventSerializer(serializers.Serializer[Any]):
    """Past event."""

    id = serializers.IntegerField()
    advertisement = serializers.CharField(help_text="name of the advertisement, for example a7")
    at = serializers.DateTimeField(help_text="time of the report")
    x = serializers.FloatField(help_text="position on the x axis")
    y = serializers.FloatField(help_text="position on the y axis")


class PicturedEventsSerializer(serializers.Serializer[Any]):
    """Newest stored samples."""

    total = serializers.IntegerField(help_text="complete number")
    truncated = serializers.BooleanField(help_text="whether samples are left out")
    items = PicturedEventSerializer(many=True, help_text="samples, the newest first")


class SpaceSerializer(serializers.Serializer[Any]):
    """Projection of a topic's event space onto two attributes."""

    topic = serializers.CharField()
    x = PictureAxisSerializer(help_text="x axis")
    y = PictureAxisSerializer(
        allow_null=True,
        help_text="y axis; null if the topic has one attribute: boxes then extend from 0 to 1",
    )
    advertisements = PicturedManySerializer(help_text="newest advertisements")
    subscriptions = PicturedManySerializer(help_text="newest subscriptions")
    advertisement_cells = PicturedCellsSerializer(help_text="dz cells of these advertisements")
    subscription_cells = PicturedCellsSerializer(help_text="dz cells of these subscriptions")
    cuts = PicturedCutsSerializer(help_text="cuts of the two attributes")
    events = PicturedEventsSerializer(help_text="newest stored samples")
