"""Switches that go away or refuse, and a controller that fails: nothing is active before it is confirmed."""

import dataclasses
import threading
from datetime import timedelta

import pytest
from django.db.models import F
from django.utils import timezone

from controlplane.deployment import replay_check, session
from controlplane.deployment.watcher import watch
from controlplane.network import controller_client
from controlplane.network.models import InstalledEntry, Switch
from controlplane.registry.transitions.models import Move
from controlplane.requestlog.models import Request, SwitchSync
from tests.support.controlplane import network_world as world


def state(row) -> str:
    row.refresh_from_db()
    row.request.refresh_from_db()
    assert row.state == row.request.state
    return row.state


def later():
    """The pause before the next attempt is over."""
    SwitchSync.objects.update(retry_at=None)
    session.run()


def test_a_subscription_waits_for_a_switch_that_is_away_and_becomes_active_when_it_is_back(network):
    network.disconnect(world.dpid(3))
    world.advertise("h1", ["0"])
    subscription = world.subscribe("h3", ["01"])
    session.run()
    assert state(subscription) == "deploying"
    assert "s3 is not reachable" in subscription.request.problem["detail"]
    assert subscription.request.problem["switches"] == ["s3"]
    assert "s3" not in world.installed()
    network.connect(world.dpid(3))
    later()
    assert state(subscription) == "active"
    assert subscription.request.problem is None
    assert len(world.installed()["s3"]) == 1


def test_a_request_that_waits_for_a_switch_that_never_connected_says_so(network):
    network.disconnect(world.dpid(3))
    Switch.objects.filter(name="s3").update(connected=False, epoch=0, reconciled_epoch=0)
    world.advertise("h1", ["0"])
    first = world.subscribe("h3", ["01"])
    session.run()
    assert state(first) == "deploying"
    assert first.request.problem["detail"] == "switch s3 has never connected"
    later()
    second = world.subscribe("h3", ["00"])
    session.run()
    assert state(second) == "deploying"
    assert second.request.problem["detail"] == "switch s3 has never connected"


def test_other_requests_do_not_wait_for_it(network):
    world.advertise("h1", ["0"])
    network.disconnect(world.dpid(3))
    far = world.subscribe("h3", ["01"])
    near = world.subscribe("h2", ["00"])
    session.run()
    assert (state(far), state(near)) == ("deploying", "active")


def test_a_request_that_relies_on_unconfirmed_entries_of_another_waits_with_it(network):
    world.advertise("h1", ["0"])
    network.disconnect(world.dpid(2))
    session.run()
    first = world.subscribe("h3", ["01"])
    session.run()
    covered = world.subscribe("h3", ["011"])  # changes no table: h3 already receives its events
    session.run()
    assert covered.request_id and Request.objects.get(pk=covered.request_id).added == 0
    assert (state(first), state(covered)) == ("deploying", "deploying")
    network.connect(world.dpid(2))
    later()
    assert (state(first), state(covered)) == ("active", "active")


def test_a_withdrawal_waits_until_the_entries_are_gone(network):
    world.advertise("h1", ["0"])
    subscription = world.subscribe("h3", ["01"])
    session.run()
    network.disconnect(world.dpid(3))
    withdrawal = world.withdraw(subscription)
    session.run()
    withdrawal.refresh_from_db()
    assert (withdrawal.state, state(subscription)) == ("deploying", "active")
    network.connect(world.dpid(3))
    later()
    withdrawal.refresh_from_db()
    subscription.refresh_from_db()
    assert (withdrawal.state, subscription.state) == ("active", "withdrawn")
    assert not any(network.tables().values())


def test_an_entry_that_a_switch_refuses_holds_up_its_own_request_and_no_other(network):
    network.switches[world.dpid(2)].refuses.add("ff0e:4:4000::/34")
    world.advertise("h1", ["0"])
    refused = world.subscribe("h3", ["01"])
    fine = world.subscribe("h3", ["00"])
    session.run()
    assert (state(refused), state(fine)) == ("deploying", "active")
    assert "bad_out_port" in refused.request.problem["detail"]
    kept = set(InstalledEntry.objects.filter(switch__name="s2").values_list("dst", flat=True))
    assert kept == {"ff0e:4::/34"}
    problem = SwitchSync.objects.get(switch="s2").problem
    assert problem["errors"][0]["value"] == "ff0e:4:4000::/34"


def test_a_refusal_is_tried_again_with_growing_pauses(network):
    switch = network.switches[world.dpid(2)]
    switch.refuses.add("ff0e:4:4000::/34")
    world.advertise("h1", ["0"])
    subscription = world.subscribe("h3", ["01"])
    session.run()
    for _ in range(3):
        sent = switch.mods
        session.run()
        assert switch.mods == sent  # not yet
        later()
        assert switch.mods == sent + 1
    row = SwitchSync.objects.get(switch="s2")
    assert row.attempts == 4
    assert 5 < (row.retry_at - timezone.now()).total_seconds() <= 8
    switch.refuses.clear()
    later()
    assert state(subscription) == "active"
    assert SwitchSync.objects.get(switch="s2").attempts == 0


def test_a_full_table_makes_room_before_it_takes_in(network):
    """What left with an earlier request must go first, though additions come first as a rule."""
    world.advertise("h1", ["0"])
    old = world.subscribe("h3", ["00"])
    session.run()
    switch = network.switches[world.dpid(2)]
    real_add = network._add

    def full_add(part):
        others = list(switch.table)
        if part["dpid"] == world.dpid(2) and others and part["add"]:
            switch.refuses.add(part["add"][0]["dst"])
        else:
            switch.refuses.clear()
        return real_add(part)

    network._add = full_add
    world.withdraw(old)
    new = world.subscribe("h3", ["01"])
    session.run()
    assert state(new) == "deploying"
    later()
    assert state(new) == "active"
    assert [key[0] for key in switch.table] == ["ff0e:4:4000::/34"]


def controller_is_down(network, settings):
    settings.NORTHBOUND_URL = "http://127.0.0.1:9"


def controller_answers_nonsense(network, settings):
    network.answer = (200, b"[1, 2")


def controller_fails(network, settings):
    network.answer = (500, b"{}")


def controller_refuses_the_token(network, settings):
    network.token = "another"


@pytest.mark.parametrize(
    "fault",
    [controller_is_down, controller_answers_nonsense, controller_fails, controller_refuses_the_token],
)
def test_requests_are_planned_without_a_controller_and_deployed_when_it_is_back(network, settings, fault):
    url, token = settings.NORTHBOUND_URL, network.token
    fault(network, settings)
    world.advertise("h1", ["0"])
    subscription = world.subscribe("h3", ["01"])
    session.run()
    assert state(subscription) == "deploying"
    settings.NORTHBOUND_URL, network.token, network.answer = url, token, None
    later()
    assert state(subscription) == "active"


def test_a_controller_that_hangs_is_given_up_and_what_it_did_all_the_same_is_found(
    network, settings, monkeypatch
):
    monkeypatch.setattr(controller_client, "CHANGE_SECONDS", 0.2)
    go = threading.Event()
    network.after_change = go.wait  # the tables are changed, the answer does not come
    world.advertise("h1", ["0"])
    subscription = world.subscribe("h3", ["01"])
    session.run()
    assert state(subscription) == "deploying"
    assert "no answer within" in subscription.request.problem["detail"]
    go.set()
    before = network.mods
    later()
    assert state(subscription) == "active"
    assert network.mods == before  # read back and found equal


def test_a_switch_that_reconnects_during_a_change_is_read_back_first(network):
    world.advertise("h1", ["0"])
    session.run()
    network.before_change = lambda: network.connect(world.dpid(2), keep=False)
    first = world.subscribe("h3", ["00"])
    session.run()
    assert state(first) == "deploying"
    network.before_change = lambda: None
    later()
    assert state(first) == "active"
    assert Switch.objects.get(name="s2").reconciled_epoch == network.switches[world.dpid(2)].epoch


def test_a_request_whose_events_do_not_cross_a_lagging_switch_does_not_wait_for_it(network):
    """The same events, another host: h2 is on the path, s3 is beyond it."""
    world.advertise("h1", ["0"])
    network.disconnect(world.dpid(3))
    far = world.subscribe("h3", ["01"])
    session.run()
    near = world.subscribe("h2", ["01"])
    session.run()
    assert (state(far), state(near)) == ("deploying", "active")


def test_nor_in_one_batch_with_it(network):
    world.advertise("h1", ["0"])
    network.disconnect(world.dpid(3))
    far, near = world.subscribe("h3", ["01"]), world.subscribe("h2", ["01"])
    session.run()
    assert (state(far), state(near)) == ("deploying", "active")


def test_an_advertisement_waits_for_the_subscribers_that_lag(network):
    world.subscribe("h3", ["01"])
    world.subscribe("h2", ["00"])
    session.run()
    network.disconnect(world.dpid(3))
    crossing, other = world.advertise("h1", ["01"]), world.advertise("h1", ["00"])
    session.run()
    assert (state(crossing), state(other)) == ("deploying", "active")
    network.connect(world.dpid(3))
    later()
    assert state(crossing) == "active"


def test_a_withdrawn_subscription_delays_no_request(network):
    """Announced and withdrawn while its switch is disconnected: the switch needs no change."""
    world.advertise("h1", ["0"])
    network.disconnect(world.dpid(3))
    subscription = world.subscribe("h3", ["01"])
    session.run()
    withdrawal = world.withdraw(subscription)
    session.run()
    network.connect(world.dpid(3))
    later()
    withdrawal.refresh_from_db()
    subscription.refresh_from_db()
    assert (withdrawal.state, subscription.state) == ("active", "withdrawn")
    assert network.switches[world.dpid(3)].mods == 0


def test_a_dead_switch_can_be_removed_and_holds_up_nobody(network, settings):
    settings.ENV = dataclasses.replace(settings.ENV, settling_seconds=0.0)
    world.advertise("h1", ["0"])
    subscription = world.subscribe("h3", ["01"])
    session.run()
    network.disconnect(world.dpid(3))
    withdrawal = world.withdraw(subscription)
    session.run()
    subscription.delete()
    subscription.subscriber.delete()
    removals = [
        world.log({"op": "remove_host", "host": "h3"}),
        world.log({"op": "remove_link", "switch": "s3", "port": 2}),
        world.log({"op": "remove_switch", "switch": "s3"}),
    ]
    for _ in range(10):  # one that takes out what works moves the topic, and ends with the move
        session.run()
        Move.objects.update(told_at=F("told_at") - timedelta(hours=1))  # the clock advances
    for request in (withdrawal, *removals):
        request.refresh_from_db()
        assert request.state == "active", request.problem
    assert not Switch.objects.filter(name="s3").exists()
    assert not SwitchSync.objects.filter(dirty=True).exists()


def test_what_a_switch_refused_is_not_forgotten_over_what_it_takes_later(network):
    network.switches[world.dpid(2)].refuses.add("ff0e:4:4000::/34")
    world.advertise("h1", [""])
    refused = world.subscribe("h3", ["01"])
    session.run()
    later_ones = []
    for dz in ("00", "10", "11"):
        later_ones.append(world.subscribe("h3", [dz]))
        session.run()
    assert [state(row) for row in later_ones] == ["active"] * 3  # and immediately, in spite of the pause
    assert state(refused) == "deploying"
    assert SwitchSync.objects.get(switch="s2").dirty


def test_a_switch_that_disconnects_during_replanning_gets_the_plan_later(db, controller):
    """A ring of four: the link breaks, and the switch of the other way leaves in the middle of the change."""
    world.line(4)
    world.add_link("s4", 1, "s1", 2)
    world.advertise("h1", ["0"])
    world.subscribe("h3", ["01"])
    session.run()
    old = 2 if controller.switches[world.dpid(2)].table else 4
    new = 6 - old
    controller.before_change = lambda: controller.disconnect(world.dpid(new))
    request = world.log({"op": "link_down", "switch": "s3", "port": 2 if old == 2 else 1})
    session.run()
    request.refresh_from_db()
    assert request.state == "deploying" and request.waits_for
    controller.before_change = lambda: None
    back = controller.connect(world.dpid(new), keep=False)
    watch.run()
    session.run()
    request.refresh_from_db()
    assert request.state == "active"
    assert back.table and not controller.switches[world.dpid(old)].table
    assert list(replay_check.differences()) == []


@pytest.mark.parametrize("keep", [True, False])
def test_a_switch_that_goes_in_the_middle_of_a_change_has_all_of_it_when_it_is_back(network, keep):
    world.advertise("h1", [""])
    session.run()
    network.before_change = lambda: network.disconnect(world.dpid(2))
    rows = [world.subscribe("h3", [cell]) for cell in ("00", "011", "1")]
    session.run()
    assert {state(row) for row in rows} == {"deploying"}
    network.before_change = lambda: None
    network.connect(world.dpid(2), keep=keep)
    watch.run()
    session.run()
    assert {state(row) for row in rows} == {"active"}
    assert len(network.switches[world.dpid(2)].table) == 3
    assert list(replay_check.differences()) == []
