"""Measurement of the cost of aggregated entries: rows, and an alarm for unexpected cost."""

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction
from django.utils import timezone

from controlplane.aggregation.attribution import FACTOR, CostShare, CostVerdict, shares, verdicts
from controlplane.aggregation.held_back_events import is_held
from controlplane.aggregation.models import AggregatedEntry, AggregationRunState, Policy, Run
from controlplane.aggregation.past_traffic import traffic
from controlplane.aggregation.policy import ALARMS, standing_alarms
from controlplane.common.address_plan import address_plan
from controlplane.common.chunks import chunks
from controlplane.network.controller_client import ControllerClient, NorthboundError
from controlplane.network.models import Switch
from controlplane.planning import planner_state
from controlplane.planning.planner_state import PlannerAtPosition
from controlplane.requestlog import checkpoints, outbox
from controlplane.telemetry import samples
from tercast.eventspace.dz import parse
from tercast.planner.planner import Planner

WINDOW = 1000
"""Number of newest samples in a measurement."""

_SEEN = "aggregation seen"

Packets = Mapping[tuple[str, str, int | None], int]

logger = logging.getLogger(__name__)


def is_due() -> bool:
    """Whether there may be new data to measure."""
    if Policy.current().method == "none" and not AggregatedEntry.objects.exists():
        return False
    return bool(checkpoints.recall(_SEEN, None) != _marks())


def _marks() -> list[int]:
    last = (
        Run.objects.filter(state=AggregationRunState.SUCCEEDED)
        .order_by("-id")
        .values_list("id", flat=True)
        .first()
    )
    return [planner_state.decided(), samples.newest(), last or 0]


def measure_costs() -> int:
    """Measure, update the rows and report deviations; return the number of aggregated entries."""
    marks = _marks()
    state = planner_state.load()
    edge = samples.edge(WINDOW)
    window, last = traffic(state.planner, after=edge), _known_before(edge)
    old = traffic(state.planner, until=last)
    learnt = [number <= last and not is_held(number) for number in window.numbers]
    found = shares(state.planner, old.events, window.events, old.numbers, learnt)
    packets = _packets(state.planner, {one.switch for one in found})
    with transaction.atomic():
        _write(found, state, len(window), packets)
        _report(verdicts(found, len(window)))
        checkpoints.store(_SEEN, marks)
    return len(found)


def _known_before(edge: int) -> int:
    """Return the newest sample of the last run; without a run, the last one before the window."""
    run = (
        Run.objects.filter(state=AggregationRunState.SUCCEEDED, newest_sample__isnull=False)
        .order_by("-id")
        .first()
    )
    return edge if run is None or run.newest_sample is None else run.newest_sample


def _write(found: Sequence[CostShare], state: PlannerAtPosition, window: int, packets: Packets) -> None:
    """Update the rows to the measurement, except entries that changed in the meantime.

    Requests create and delete rows (see `merged_entry_rows`). Rows that are missing after an upgrade are
    created if no request was decided in the meantime.
    """
    now, switches = timezone.now(), dict(Switch.objects.values_list("name", "pk"))
    rows = {(row.switch_id, row.topic, row.in_port, row.dz): row for row in AggregatedEntry.objects.all()}
    fresh: list[AggregatedEntry] = []
    for one in found:
        if one.switch not in switches:
            continue
        key = (switches[one.switch], one.topic, one.in_port, one.dz)
        row = rows.pop(key, None) or AggregatedEntry(
            switch_id=key[0], topic=one.topic, in_port=one.in_port, dz=one.dz, position=-1
        )
        if row.position > state.position:
            continue
        row.subscriptions = sorted(int(name[1:]) for name in one.subscriptions)
        row.measured, row.unwanted, row.expected = one.measured, one.unwanted, one.expected
        row.packets = packets.get((one.switch, _dst(state.planner, one), one.in_port))
        row.window, row.position, row.measured_at = window, state.position, now
        fresh.append(row)
    known = [row for row in fresh if row.pk is not None]
    AggregatedEntry.objects.bulk_update(known, _MEASURED, batch_size=200)
    if planner_state.decided() == state.position:
        AggregatedEntry.objects.bulk_create((row for row in fresh if row.pk is None), batch_size=1000)
        for part in chunks([row.pk for row in rows.values()]):
            AggregatedEntry.objects.filter(pk__in=part).delete()


_MEASURED = (
    "subscriptions",
    "measured",
    "unwanted",
    "expected",
    "packets",
    "window",
    "position",
    "measured_at",
)


def _dst(planner: Planner, one: CostShare) -> str:
    return address_plan().match(planner.topics[one.topic].code, parse(one.dz))


def _packets(planner: Planner, names: set[str]) -> Packets:
    """Return counters by switch, destination and ingress port, of the switches that answer."""
    found: dict[tuple[str, str, int | None], int] = {}
    switches = Switch.objects.filter(name__in=names, connected=True).values_list("name", "dpid")
    try:
        with ControllerClient() as northbound:
            for name, dpid in switches:
                for row in northbound.entries(dpid) or ():
                    found[name, row["dst"], row["in_port"]] = int(row["packets"])
    except NorthboundError as error:
        logger.warning("cannot read the counters of the switches: %s", error)
    return found


def _report(found: Mapping[str, CostVerdict]) -> None:
    """Raise and clear alarms; without data, an active alarm ends."""
    standing = standing_alarms()
    now = timezone.now().isoformat()
    after: dict[str, Any] = {}
    for name, verdict in sorted(found.items()):
        if verdict.parted:
            since = standing.get(name, {}).get("since", now)
            after[name] = {"measured": verdict.measured, "expected": verdict.expected, "since": since}
            if name not in standing:
                outbox.alarm(
                    f"aggregation at switch {name}: {_text(verdict)}. Start a run (page Budgets, tab Runs)"
                )
    for name in standing.keys() - after.keys():
        detail = f": {_text(found[name])}" if name in found else ""
        outbox.alarm(f"aggregation at switch {name}: the alarm has ended{detail}")
    checkpoints.store(ALARMS, after)


def _text(verdict: CostVerdict) -> str:
    return (
        f"measured {verdict.measured:.3f} redundant copies per event, predicted {verdict.expected:.3f} (an "
        f"alarm starts at a factor of {FACTOR:g})"
    )
