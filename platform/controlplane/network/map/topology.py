"""The whole topology in one answer for the map; this takes four queries for any size."""

from typing import Any

from django.db.models import Count

from controlplane.network.map import placement
from controlplane.network.map.link_rates import rates
from controlplane.network.models import Host, InstalledEntry, Link, Switch

_SWITCH = ("id", "name", "label", "place__x", "place__y", "place__moved", "connected", "up", "problems")
_MORE = ("epoch", "reconciled_epoch", "exact_entries", "tcam_budget", "capacity")


def topology(load: bool) -> dict[str, Any]:
    """Return switches with places and tables, links (with `load`), and hosts; ends are ids."""
    placement.ensure()
    loads = rates() if load else {}
    return {
        "switches": list(_switches()),
        "links": [
            {"id": pk, "a": a, "a_port": a_port, "b": b, "b_port": b_port, "up": up, "load": loads.get(pk)}
            for pk, a, a_port, b, b_port, up in Link.objects.order_by("id").values_list(
                "id", "a", "a_port", "b", "b_port", "up"
            )
        ],
        "hosts": list(Host.objects.order_by("id").values("id", "name", "switch", "port")),
    }


def _switches() -> Any:
    counted = InstalledEntry.objects.order_by().values_list("switch").annotate(n=Count("id"))
    entries = dict(counted)
    for row in Switch.objects.order_by("id").values(*_SWITCH, *_MORE):
        limits = [limit for limit in (row["tcam_budget"], row["capacity"]) if limit is not None]
        yield {
            **{name: row[name] for name in ("id", "name", "label", "connected", "up", "exact_entries")},
            "x": row["place__x"],
            "y": row["place__y"],
            "moved": bool(row["place__moved"]),
            "in_step": row["connected"] and 0 < row["epoch"] == row["reconciled_epoch"],
            "problems": len(row["problems"]),
            "entries": entries.get(row["id"], 0),
            "budget": min(limits, default=None),
        }
