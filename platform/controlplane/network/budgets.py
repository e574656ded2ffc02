"""Budgets of many switches, set by one call."""

from typing import Any

from django.db import transaction

from controlplane.network.availability import failed_to_come, leaving
from controlplane.network.models import Switch
from controlplane.requestlog import append
from controlplane.requestlog.logged_rows import Payload
from controlplane.requestlog.models import Operation
from controlplane.rest.request_body import Body
from tercast.errors import shown
from tercast.requests.kinds import SET_BUDGET


def draft(body: Body) -> list[Payload]:
    """Return the requests of a body, in the order of its names.

    Raises:
        Problem: The body is invalid; it contains all errors.
    """
    wanted: dict[str, int | None] = body.items[0].get("budgets", {}) if body.items else {}
    if not wanted and not body.errors.found:
        body.errors.add(0, ("budgets",), "empty", "`budgets` names no switch. Name at least one.")
    rows = Switch.objects.select_related("request", "removal").in_bulk(list(wanted), field_name="name")
    for name in wanted:
        wrong = _wrong(name, rows.get(name))
        if wrong:
            body.errors.add(0, ("budgets", name), *wrong, name)
    body.errors.check()
    return [{"op": SET_BUDGET, "switch": name, "tcam_budget": budget} for name, budget in wanted.items()]


def change(body: Body, actor: Any) -> Operation:
    """Log the requests together, as one operation."""
    with transaction.atomic():
        payloads = draft(body)
        operation = Operation.objects.create(actor=actor, items=len(payloads))
        append.submit([append.LogEntry(each, index) for index, each in enumerate(payloads)], actor, operation)
        return operation


def _wrong(name: str, row: Switch | None) -> tuple[str, str] | None:
    if row is None:
        return (
            "unknown_switch",
            f"There is no switch {shown(name)}. GET /api/v1/switches/ lists all switches.",
        )
    if failed_to_come(row):
        return "not_in_network", f"Switch {shown(name)} could not be added. Remove it and add it again."
    if leaving(row):
        return "being_removed", f"Switch {shown(name)} is being removed. Omit it."
    return None
