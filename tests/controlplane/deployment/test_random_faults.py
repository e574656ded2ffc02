"""Random requests under random faults: once all is well again, everything agrees."""

import random

import pytest

from controlplane.deployment import replay_check
from controlplane.network.models import Switch
from controlplane.registry.models import Advertisement, Subscription
from controlplane.requestlog.models import OutboxEvent, Request, SwitchSync
from tests.support.controlplane import network_world as world
from tests.support.controlplane.disorder import Disorder

SWITCHES = 5
ROUNDS = 14


@pytest.mark.parametrize("seed", range(8))
def test_once_all_is_well_everything_agrees(db, controller, monkeypatch, seed):
    rng = random.Random(seed)
    for n in range(SWITCHES + 1, 10):
        controller.disconnect(world.dpid(n))
    world.line(SWITCHES)
    world.add_link(f"s{SWITCHES}", 1, "s1", 2)
    disorder = Disorder(rng, controller, monkeypatch, SWITCHES)
    disorder.run()
    for _ in range(ROUNDS):
        for _ in range(rng.randint(0, 4)):
            disorder.request()
        if rng.random() < 0.6:
            disorder.fault()
        if rng.random() < 0.3:
            SwitchSync.objects.update(retry_at=None)
        disorder.run()
        nothing_is_active_too_early(controller)
    disorder.end()
    assert not Request.objects.exclude(state__in=("active", "failed")).exists()
    assert list(replay_check.differences()) == []
    assert not SwitchSync.objects.filter(dirty=True).exists()
    for switch in Switch.objects.all():
        kept = {
            (dst, in_port, priority) for dst, in_port, priority, _ in world.installed().get(switch.name, [])
        }
        assert kept == set(controller.switches[switch.dpid].table), switch.name
    for model in (Advertisement, Subscription):
        for row in model.objects.select_related("request", "withdrawal"):
            gone = row.withdrawal is not None and row.withdrawal.state == "active"
            assert row.state == ("withdrawn" if gone else row.request.state)
    counted = {name: count for payload in events("tables") for name, count in payload.items()}
    assert counted == {name: len(world.installed().get(name, [])) for name in counted}
    ends = [payload["id"] for payload in events("request") if payload["state"] in ("active", "failed")]
    assert len(ends) == len(set(ends))


def events(kind: str) -> list:
    return list(OutboxEvent.objects.filter(kind=kind).order_by("id").values_list("payload", flat=True))


def nothing_is_active_too_early(controller) -> None:
    """A clean switch, as far as the database knows, has just what is kept of it."""
    dirty = set(SwitchSync.objects.filter(dirty=True).values_list("switch", flat=True))
    installed = world.installed()
    for switch in Switch.objects.all():
        fake = controller.switches[switch.dpid]
        if switch.name in dirty or fake.epoch != switch.reconciled_epoch:
            continue
        assert {row[:3] for row in installed.get(switch.name, [])} == set(fake.table), switch.name
