"""Skipped items of a bulk call that accepted other items (`atomic=false`)."""

from typing import Any

from controlplane.requestlog.logged_rows import Logged
from controlplane.requestlog.models import Operation, RefusedItem
from controlplane.rest.request_body import Body


def store_rejected_items(logged: Logged, body: Body) -> None:
    """Store the errors of skipped items with the operation, in the caller's transaction."""
    if not body.refused or not isinstance(logged, Operation):
        return
    found: dict[int, list[dict[str, Any]]] = {}
    for error in body.refused:
        found.setdefault(error.index or 0, []).append(error.to_json())
    rows = [RefusedItem(operation=logged, index=index, errors=errors) for index, errors in found.items()]
    RefusedItem.objects.bulk_create(rows, batch_size=2000)
    logged.refused = len(rows)
    logged.items += len(rows)
    logged.save(update_fields=("refused", "items"))
