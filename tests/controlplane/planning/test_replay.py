"""The planner from the log: snapshots, tails, and what does not fit."""

import zlib

import pytest
from django.core.management import CommandError, call_command

from controlplane.deployment import replay_check, session, session_cache
from controlplane.network.models import InstalledEntry, Switch
from controlplane.planning import planner_state
from controlplane.requestlog.models import PlannerSnapshot, Request
from tercast.tables.entries import Output
from tests.support.controlplane import network_world as world


@pytest.fixture
def busy(network):
    world.advertise("h1", ["0"])
    first = world.subscribe("h3", ["01"])
    world.subscribe("h2", ["00"])
    world.log({"op": "set_budget", "switch": "s2", "tcam_budget": 2})
    world.subscribe("h3", ["0010"])
    world.withdraw(first)
    session.run()
    assert set(Request.objects.values_list("state", flat=True)) == {"active", "failed"}
    return network


def tables(state) -> dict:
    return state.planner.tables()


def test_the_log_alone_leads_to_the_sessions_planner(busy):
    assert tables(planner_state.load()) == tables(session_cache._kept.state)
    assert list(replay_check.differences()) == []


@pytest.mark.parametrize("cut", range(1, 15))
def test_a_snapshot_anywhere_and_the_tail_lead_there_too(busy, cut):
    state = planner_state._empty()
    rows = Request.objects.order_by("position")
    for row in rows.filter(position__lte=cut).exclude(state="failed"):
        assert state.planner.apply(row.payload).ok
    state.planner.take_diff()
    state.position = cut
    assert planner_state.keep_snapshot(state, every=1)
    loaded = planner_state.load()
    assert loaded.position == rows.last().position
    assert tables(loaded) == tables(session_cache._kept.state)


def test_snapshots_come_every_so_many_positions_and_two_are_kept(network, monkeypatch):
    monkeypatch.setattr(planner_state.keep_snapshot, "__defaults__", (3,))
    for budget in range(12):
        world.log({"op": "set_budget", "switch": "s1", "tcam_budget": budget + 50})
        session.run()
    positions = list(PlannerSnapshot.objects.order_by("position").values_list("position", flat=True))
    assert len(positions) == 2
    assert positions[1] - positions[0] == 3


def test_a_snapshot_that_cannot_be_read_is_passed_over(busy):
    PlannerSnapshot.objects.create(position=12, data=b"not zlib")
    PlannerSnapshot.objects.create(position=11, data=zlib.compress(b'{"format": "planner/0"}'))
    assert tables(planner_state.load()) == tables(session_cache._kept.state)


def test_readers_follow_the_log(busy):
    before = planner_state.current_planner().counts()
    world.subscribe("h2", ["011"])
    assert planner_state.current_planner().counts() == before  # not decided yet
    session.run()
    assert planner_state.current_planner().tables() == tables(session_cache._kept.state)
    assert planner_state.current_planner().counts() != before


def test_the_check_passes_when_all_is_well(busy, capsys):
    call_command("replay", "--check")
    assert "equal the stored tables" in capsys.readouterr().out


def test_the_check_names_what_differs(busy, capsys):
    entry = InstalledEntry.objects.filter(switch__name="s2").first()
    entry.delete()
    InstalledEntry.objects.create(
        switch=Switch.objects.get(name="s1"),
        dst="ff0e:4:ffff::/48",
        priority=34,
        actions=[Output(1).to_json()],
        confirmed_at=entry.confirmed_at,
    )
    with pytest.raises(CommandError, match="2 differences") as raised:
        call_command("replay", "--check")
    assert raised.value.returncode == 1
    output = capsys.readouterr().out
    assert f"s2: the table does not have the entry {entry.dst}" in output
    assert "s1: the table has the extra entry ff0e:4:ffff::/48" in output
