"""Changes of switches: appearance, position on the map, and requests for the planner."""

from typing import Any

from django.db import transaction
from django.db.models import F

from controlplane.common.problems import FieldError, invalid
from controlplane.network import switches
from controlplane.network.map import placement
from controlplane.network.models import Switch
from controlplane.network.services import changeable
from controlplane.requestlog.logged_rows import log_one
from controlplane.requestlog.models import Request

POSITION = ("x", "y")


def _position(values: dict[str, Any]) -> tuple[float, float] | None:
    """Return the new position, or None.

    Raises:
        Problem: Only one coordinate is given.
    """
    given = [name for name in POSITION if name in values]
    if len(given) == 1:
        (missing,) = set(POSITION) - set(given)
        detail = f"A position has x and y, but {missing} is missing. Send both."
        raise invalid([FieldError(f"/{missing}", "required", detail)])
    return (values["x"], values["y"]) if given else None


def change_switch(pk: int, values: dict[str, Any], actor: Any) -> tuple[Switch, Request | None]:
    """Change how the switch is shown, and log changes of the network."""
    with transaction.atomic():
        row: Switch = changeable(switches.KIND, pk)
        asked = switches.change_payload(row, values)
        position = _position(values)
        logged = log_one(asked, actor) if asked else None
        if position is not None:
            placement.move(row, *position)
        shown = {field: values[field] for field in switches.SHOWN_FIELDS if field in values}
        if shown:
            Switch.objects.filter(pk=pk).update(**shown, version=F("version") + 1)
        return row, logged
