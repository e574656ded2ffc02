"""Log lines of the worker for each batch; every line contains the name of the change."""

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
    """Log that a batch was planned and proved: its calls, and the size of its change."""
    fields: dict[str, object] = {
        "requests": len(batch.rows),
        "failed": sum(row.problem is not None for row in batch.rows),
        "switches": len(batch.diffs),
        "entries": sum(map(len, batch.diffs)),
        **_calls(batch.rows),
    }
    logger.info("batch planned", extra={"fields": fields})


def pushed(results: Sequence[PushResult]) -> None:
    """Log the controller's answers, with the switches that have not confirmed."""
    if not results:
        return
    owing = {result.switch.name: result.debt.reason for result in results if result.debt is not None}
    fields: dict[str, object] = {"confirmed": len(results) - len(owing)}
    if owing:
        name, reason = next(iter(owing.items()))
        fields |= {"owing": ",".join(sorted(owing)[:MOST_CALLS]), "first_reason": f"{name}: {reason}"}
    logger.log(logging.WARNING if owing else logging.INFO, "batch pushed", extra={"fields": fields})


def log_settled(active: Sequence[Request], waiting: Sequence[Request]) -> None:
    """Log, after the commit, which requests became active and which wait for fewer switches.

    A repair or a later request completes those whose own change was not confirmed everywhere.
    """
    for message, rows in (("requests active", active), ("requests wait for fewer switches", waiting)):
        if rows:
            fields = {"requests": spans(row.pk for row in rows), **_calls(rows)}
            transaction.on_commit(partial(logger.info, message, extra={"fields": fields}))


def _calls(rows: Sequence[Request]) -> dict[str, object]:
    """Return the ids of the calls that logged the requests: the first ones, and how many more."""
    calls = [call for call in calls_of(rows) if call]
    fields: dict[str, object] = {"calls": ",".join(calls[:MOST_CALLS]) or "-"}
    if len(calls) > MOST_CALLS:
        fields["more_calls"] = len(calls) - MOST_CALLS
    return fields
