"""Explanations of events of a moving topic, in the encoding that their publisher uses."""

import pytest

from controlplane.deployment import session, switch_sync
from controlplane.explain.explanation import answer
from controlplane.explain.question import ExplainQuestion
from controlplane.registry.transitions import leases
from tests.support.controlplane import network_world as world
from tests.support.controlplane.topic_migrations import lapse, moving, reindex, stage, times

__all__ = ["moving", "times"]


def explained():
    return answer(ExplainQuestion.read({"publisher": "advertise-h1", "values": "x=1,y=1"}))


def summary(found):
    """Return the code of the address, the receivers, and the origins of the entries on the path."""
    code = int(found["event"]["address"].split(":")[1], 16)
    kinds = {hop["origin"]["kind"] for hop in found["path"]}
    return code, [row["host"] for row in found["received"]], kinds, found["real"]["same"]


@pytest.mark.django_db
def test_before_while_and_after(moving):
    leases.hold(moving.ad.pk, "one", None)
    assert summary(explained()) == (8, ["h3"], {"exact"}, True)
    moving.switches[world.dpid(2)].connected = False
    reindex("y")
    session.run()
    assert stage() == "making"
    assert summary(explained()) == (8, ["h3"], {"exact"}, None)
    moving.switches[world.dpid(2)].connected = True

    switch_sync.hasten(["s2"])
    session.run()
    assert stage() == "telling"
    assert summary(explained()) == (9, ["h3"], {"exact"}, True)
    lapse()
    session.run()
    assert stage() == "done"
    assert summary(explained()) == (9, ["h3"], {"exact"}, True)
