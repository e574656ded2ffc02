"""What the worker's log tells of each batch; the name of the change stands in every line."""

import logging
from collections.abc import Sequence
from functools import partial

from django.db import transaction

from controlplane.deployment.plan_batch import Planned
from controlplane.deployment.table_push import PushResult
from controlplane.requestlog.correlation import calls_of, spans
from controlplane.requestlog.models import Request

MOST_CALLS = 100

logger = logging.getLogger(__name__)


def planned(batch: Planned) -> None:
    """A batch was planned and proved: whose requests it carries out, and what it changes."""
    fields: dict[str, object] = {
        "requests": len(batch.rows),
        "failed": sum(row.problem is not None for row in batch.rows),
        "switches": len(batch.diffs),
        "entries": sum(map(len, batch.diffs)),
        **_calls(batch.rows),
    }
    logger.info("batch planned", extra={"fields": fields})


def pushed(results: Sequence[PushResult]) -> None:
    """The controller has answered; switches that owe something are named."""
    if not results:
        return
    owing = {result.switch.name: result.debt.reason for result in results if result.debt is not None}
    fields: dict[str, object] = {"confirmed": len(results) - len(owing)}
    if owing:
        name, reason = next(iter(owing.items()))
        fields |= {"owing": ",".join(sorted(owing)[:MOST_CALLS]), "first_reason": f"{name}: {reason}"}
    logger.log(logging.WARNING if owing else logging.INFO, "batch pushed", extra={"fields": fields})


def settled(active: Sequence[Request], waiting: Sequence[Request]) -> None:
    """Once it is written: which requests the change under way ended, and which it brought on.

    A repair or a later request does that for those whose own change was not confirmed everywhere.
    """
    for message, rows in (("requests active", active), ("requests wait for fewer switches", waiting)):
        if rows:
            fields = {"requests": spans(row.pk for row in rows), **_calls(rows)}
            transaction.on_commit(partial(logger.info, message, extra={"fields": fields}))


def _calls(rows: Sequence[Request]) -> dict[str, object]:
    """The ids of the calls that logged requests, the first of them, and how many there are more."""
    calls = [call for call in calls_of(rows) if call]
    fields: dict[str, object] = {"calls": ",".join(calls[:MOST_CALLS]) or "-"}
    if len(calls) > MOST_CALLS:
        fields["more_calls"] = len(calls) - MOST_CALLS
    return fields
