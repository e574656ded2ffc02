"""Positions of switches, which stay as they are once given."""

from django.db import models


class Place(models.Model):
    """Where a switch lies; `moved`: an operator has put it there."""

    switch = models.OneToOneField(
        "network.Switch", on_delete=models.CASCADE, primary_key=True, related_name="place"
    )
    x = models.FloatField()
    y = models.FloatField()
    moved = models.BooleanField(default=False)


class Map(models.Model):
    """How coordinates become positions, where the layout is a map; one row, or none."""

    scale = models.FloatField()
    x = models.FloatField()
    y = models.FloatField()
