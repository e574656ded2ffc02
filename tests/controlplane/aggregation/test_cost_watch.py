"""Aggregated entries: the subscriptions that they serve, their cost, and the alarm above the estimate."""

import random

import pytest
from django.core.management import call_command

from controlplane.aggregation import cost_watch, runs, worker
from controlplane.aggregation.attribution import FACTOR, CostVerdict
from controlplane.aggregation.models import AggregatedEntry
from controlplane.aggregation.policy import standing
from controlplane.deployment import session
from controlplane.requestlog.models import OutboxEvent
from controlplane.telemetry.models import EventSample
from tests.support.controlplane import network_world as world

CELLS = [f"0{n:04b}" for n in range(0, 16, 2)]


def log(payload) -> None:
    world.log(payload)
    session.run()


def report(advertisement, low, high, count=300, seed=1) -> None:
    rng = random.Random(seed)
    EventSample.objects.bulk_create(
        EventSample(
            topic=advertisement.topic, advertisement=advertisement, values={"low": rng.randrange(low, high)}
        )
        for _ in range(count)
    )


@pytest.fixture
def merged(network, monkeypatch):
    """h3 subscribes to eight regions of h1; s1 has space for five, by events in the upper half."""
    monkeypatch.setattr(runs, "wake_aggregation", lambda: None)
    monkeypatch.setattr(cost_watch, "WINDOW", 200)
    log({"op": "set_aggregation", "method": "fa-pb"})
    network.advertisement = world.advertise("h1", ["0"])
    network.subscriptions = [world.subscribe("h3", [cell]) for cell in CELLS]
    session.run()
    log({"op": "set_budget", "switch": "s1", "tcam_budget": 5})
    report(network.advertisement, 256, 512)
    runs.ask(None, None, None)
    assert worker.work() is not None
    session.run()
    return network


def alarms() -> list[str]:
    rows = OutboxEvent.objects.filter(kind="alarm").order_by("id").values_list("payload", flat=True)
    return [payload["text"] for payload in rows if "aggregation" in payload["text"]]


def test_each_entry_says_whose_subscriptions_it_stands_for(merged):
    assert cost_watch.look() > 0
    rows = AggregatedEntry.objects.select_related("switch")
    assert {row.switch.name for row in rows} == {"s1"}
    for row in rows:
        under = [
            sub.pk
            for sub in merged.subscriptions
            if sub.dz[0].startswith(row.dz) or row.dz.startswith(sub.dz[0])
        ]
        assert set(row.subscriptions) <= set(under)
    lowest = min(rows, key=lambda row: len(row.dz))
    assert len(lowest.subscriptions) > 1, "it is merged"
    assert all(row.window == 200 and row.topic == "quotes" and row.in_port is None for row in rows)


def test_what_was_measured_is_what_the_events_did(merged):
    """Counted by hand: an event of the window that an entry sends on although no subscription holds it."""
    report(merged.advertisement, 0, 256, count=200, seed=7)
    cost_watch.look()
    lows = [
        values["low"] for values in EventSample.objects.order_by("-id").values_list("values", flat=True)[:200]
    ]
    cells = [f"{low:010b}" for low in lows]
    tops = [row.dz for row in AggregatedEntry.objects.all()]

    def redundant(dz: str) -> int:
        mine = (
            cell
            for cell in cells
            if cell.startswith(dz) and not any(len(t) > len(dz) and cell.startswith(t) for t in tops)
        )
        return sum(not any(cell.startswith(wanted) for wanted in CELLS) for cell in mine)

    for row in AggregatedEntry.objects.all():
        assert row.measured == pytest.approx(redundant(row.dz))
    assert sum(row.measured for row in AggregatedEntry.objects.all()) > 20


def test_no_alarm_while_it_is_as_expected(merged):
    for seed in range(3):
        report(merged.advertisement, 256, 512, seed=seed)
        cost_watch.look()
    assert alarms() == [] and standing().alarms == []


def test_an_alarm_where_they_part_once_and_its_end_once(merged):
    report(merged.advertisement, 0, 256, seed=3)
    for _ in range(3):
        cost_watch.look()
    (alarm,) = alarms()
    assert "switch s1" in alarm and "predicted" in alarm and f"{FACTOR:g}" in alarm
    (stands,) = standing().alarms
    assert stands["switch"] == "s1" and stands["measured"] > FACTOR * stands["expected"]
    report(merged.advertisement, 256, 512, seed=4)
    cost_watch.look()
    cost_watch.look()
    assert len(alarms()) == 2 and "the alarm has ended" in alarms()[1]
    assert standing().alarms == []


def test_to_aggregate_again_ends_it(merged):
    report(merged.advertisement, 0, 256, seed=3)
    cost_watch.look()
    assert len(alarms()) == 1
    EventSample.objects.filter(values__low__gte=256).delete()
    runs.ask(None, None, None)
    worker.work()
    session.run()
    cost_watch.look()
    assert "the alarm has ended" in alarms()[-1] and standing().alarms == []


def test_too_few_events_are_no_verdict(merged):
    EventSample.objects.all().delete()
    report(merged.advertisement, 0, 256, count=50)
    cost_watch.look()
    assert alarms() == []


def test_the_switchs_own_counters_stand_beside(merged):
    real = merged.get

    def counted(path, query):
        answer = real(path, query)
        for n, row in enumerate(answer.get("entries", []) if isinstance(answer, dict) else []):
            row["packets"] = 1000 + n
        return answer

    world.Switch.objects.update(connected=True)
    merged.get = counted
    cost_watch.look()
    assert all(row.packets and row.packets >= 1000 for row in AggregatedEntry.objects.all())
    merged.answer = (500, b"{}")
    cost_watch.look()
    assert all(row.packets is None for row in AggregatedEntry.objects.all())


def test_it_looks_only_where_there_is_news(merged):
    assert cost_watch.is_due()
    call_command("attribute")
    assert not cost_watch.is_due()
    report(merged.advertisement, 256, 512, count=1)
    assert cost_watch.is_due()
    cost_watch.look()
    world.subscribe("h2", ["01"])
    session.run()
    assert cost_watch.is_due()


def test_nothing_to_look_at_without_aggregation(network):
    assert not cost_watch.is_due()
    assert cost_watch.look() == 0


def test_rows_go_with_the_covers(merged):
    assert cost_watch.look() > 0
    log({"op": "set_budget", "switch": "s1", "tcam_budget": None})
    log({"op": "aggregate", "method": "fa-pb", "covers": {"s1": {}}})
    assert cost_watch.look() == 0 and not AggregatedEntry.objects.exists()


@pytest.mark.parametrize(
    ("measured", "expected", "parted"),
    [
        (0.0, 0.0, False),
        (0.5, 0.4, False),
        (0.5, 0.2, True),
        (0.2, 0.5, True),
        (0.4, 0.2, False),
        (0.049, 0.0, False),
        (0.06, 0.0, True),
        (0.0, 0.06, True),
        (0.11, 0.04, True),
        (0.09, 0.045, False),
    ],
)
def test_when_they_part(measured, expected, parted):
    assert CostVerdict(measured, expected).parted == parted
