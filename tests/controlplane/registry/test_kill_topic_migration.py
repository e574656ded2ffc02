"""A worker killed at any stage of a move: the next worker completes it once, with the same tables."""

import dataclasses

import pytest

from controlplane.deployment import replay_check, session
from controlplane.registry.transitions import leases
from controlplane.registry.transitions.models import Encoding, Lease, Move
from controlplane.requestlog.models import Request
from tests.support.controlplane import network_world as world
from tests.support.controlplane.topic_migrations import add_topic, announce, codes, reindex
from tests.support.controlplane.worker_processes import kill_at

BEFORE_PUBLICATION = ("plan", "deciding", "decide", "push", "settling", "settle")


@pytest.fixture
def ready(transactional_db, controller, settings):
    settings.ENV = dataclasses.replace(settings.ENV, settling_seconds=0.0)
    world.line(3)
    add_topic()
    controller.ad = announce("advertise", "h1", "true")
    announce("subscribe", "h3", "x = 1 and y = 1")
    session.run()
    return controller


@pytest.mark.parametrize(
    "step",
    [
        "decide",
        "push",
        "move:telling",
        "move:breaking",
        *(pytest.param(step, marks=pytest.mark.full) for step in ("plan", "deciding", "settling", "settle")),
        *(pytest.param(step, marks=pytest.mark.full) for step in ("move:settling", "move:done")),
    ],
)
def test_killed_at_a_stage(ready, step):
    if step in BEFORE_PUBLICATION:
        leases.hold(ready.ad.pk, "one", None)
    row = reindex("y")
    kill_at(step)
    session.run()
    if step in BEFORE_PUBLICATION:
        row.refresh_from_db()
        assert row.state == "deploying" and codes(ready) == {8, 9}
        assert Move.objects.get().stage == "telling" and Encoding.objects.get().version == 2
        assert leases.hold(ready.ad.pk, "one", 1)["version"] == 2
        Lease.objects.all().delete()
        session.run()
    row.refresh_from_db()
    assert row.state == "active" and codes(ready) == {9}
    assert list(Move.objects.values_list("stage", flat=True)) == ["done"]
    assert Request.objects.filter(kind="finish_move").count() == 1
    assert list(replay_check.differences()) == []
