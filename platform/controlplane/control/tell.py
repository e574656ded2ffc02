"""What the worker's log tells of each batch; the name of the change stands in every line."""

import logging
from collections.abc import Sequence

from controlplane.control.deploy import Result
from controlplane.control.naming import calls_of
from controlplane.control.planning import Planned

MOST_CALLS = 100

logger = logging.getLogger(__name__)


def planned(batch: Planned) -> None:
    """A batch was planned and proved: whose requests it carries out, and what it changes."""
    calls = [call for call in calls_of(batch.rows) if call]
    fields = {
        "requests": len(batch.rows),
        "failed": sum(row.problem is not None for row in batch.rows),
        "switches": len(batch.diffs),
        "entries": sum(map(len, batch.diffs)),
        "calls": ",".join(calls[:MOST_CALLS]) or "-",
    }
    if len(calls) > MOST_CALLS:
        fields["more_calls"] = len(calls) - MOST_CALLS
    logger.info("batch planned", extra={"fields": fields})


def pushed(results: Sequence[Result]) -> None:
    """The controller has answered; switches that owe something are named."""
    if not results:
        return
    owing = {result.switch.name: result.debt.reason for result in results if result.debt is not None}
    fields: dict[str, object] = {"confirmed": len(results) - len(owing)}
    if owing:
        name, reason = next(iter(owing.items()))
        fields |= {"owing": ",".join(sorted(owing)[:MOST_CALLS]), "first_reason": f"{name}: {reason}"}
    logger.log(logging.WARNING if owing else logging.INFO, "batch pushed", extra={"fields": fields})
