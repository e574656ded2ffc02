"""Positions of switches, which do not change after their assignment."""

from django.db import models


class Place(models.Model):
    """Position of a switch; `moved` means that an operator has set it."""

    switch = models.OneToOneField(
        "network.Switch", on_delete=models.CASCADE, primary_key=True, related_name="place"
    )
    x = models.FloatField()
    y = models.FloatField()
    moved = models.BooleanField(default=False)


class Map(models.Model):
    """Conversion of coordinates to positions, if the layout is a map; at most one row."""

    scale = models.FloatField()
    x = models.FloatField()
    y = models.FloatField()
