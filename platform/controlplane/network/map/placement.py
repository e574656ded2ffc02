"""Placement of switches: first of all together, later of new ones next to their neighbours."""

from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from controlplane.common import clock
from controlplane.network.map.models import Map, Place
from controlplane.network.models import Link, Switch
from controlplane.requestlog import outbox
from tercast.topology.layout.arrange import Geography, arrange, place_new
from tercast.topology.layout.incremental import MapPosition

ALONE = timedelta(seconds=30)
"""Time that a switch without links waits for one before it gets a position."""


def ensure() -> None:
    """Place switches without a position; those without a link wait some time for one."""
    fresh = Switch.objects.filter(place=None).order_by("id")
    if not fresh.exists():
        return
    links = _links()
    linked = {name for link in links for name in link}
    now = timezone.now()
    names = [
        name
        for name, at in fresh.values_list("name", "created_at")
        if name in linked or clock.is_over(at, ALONE, now)
    ]
    if not names:
        return
    known = _places()
    if known:
        found = place_new([*known, *names], links, known, _coordinates(), _geography())
    else:
        found = _first(names, links)
    _store({name: found[name] for name in names})


def place_again(moved_too: bool) -> int:
    """Place all switches again, except moved ones unless `moved_too`; return the number placed."""
    with transaction.atomic():
        moved = {} if moved_too else _places(moved=True)
        Map.objects.all().delete()
        names = list(Switch.objects.order_by("id").values_list("name", flat=True))
        found = _first(names, _links())
        Place.objects.exclude(switch__name__in=list(moved)).delete()
        _store({name: at for name, at in found.items() if name not in moved})
        outbox.emit("layout", {"switches": len(names), "at": timezone.now().isoformat()})
        return len(names) - len(moved)


def move(switch: Switch, x: float, y: float) -> None:
    """Move a switch to a position, which stays."""
    Place.objects.update_or_create(switch=switch, defaults={"x": x, "y": y, "moved": True})
    fields = {"name": switch.name, "connected": switch.connected, "up": switch.up, "x": x, "y": y}
    outbox.emit("switch", fields)


def _first(names: list[str], links: list[tuple[str, str]]) -> dict[str, MapPosition]:
    """Return a new layout; if it is a map, its conversion is stored for later switches."""
    arranged = arrange(names, links, _coordinates())
    if arranged.geography is not None:
        way = arranged.geography
        Map.objects.update_or_create(pk=1, defaults={"scale": way.scale, "x": way.x, "y": way.y})
    return arranged.places


def _store(places: dict[str, MapPosition]) -> None:
    """Store positions; if two processes do this at the same time, the first one wins."""
    ids = dict(Switch.objects.values_list("name", "pk"))
    rows = [Place(switch_id=ids[name], x=x, y=y) for name, (x, y) in places.items() if name in ids]
    Place.objects.bulk_create(rows, batch_size=1000, ignore_conflicts=True)


def _places(**which: bool) -> dict[str, MapPosition]:
    rows = Place.objects.filter(**which).order_by("switch")
    return {name: (x, y) for name, x, y in rows.values_list("switch__name", "x", "y")}


def _geography() -> Geography | None:
    row = Map.objects.first()
    return None if row is None else Geography(row.scale, row.x, row.y)


def _links() -> list[tuple[str, str]]:
    return list(Link.objects.order_by("id").values_list("a__name", "b__name"))


def _coordinates() -> dict[str, tuple[float, float]]:
    rows = Switch.objects.exclude(latitude=None).exclude(longitude=None)
    fields = rows.values_list("name", "latitude", "longitude")
    return {
        name: (float(lat), float(lon)) for name, lat, lon in fields if lat is not None and lon is not None
    }
