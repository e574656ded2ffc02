"""Switches that are not what the plan says are brought there by the smallest change."""

import pytest
from django.core.management import CommandError, call_command

from controlplane.deployment import session
from controlplane.deployment.watcher import watch
from controlplane.network.models import InstalledEntry, Switch
from controlplane.requestlog.models import SwitchSync
from tests.support.controlplane import network_world as world

A, B, C = ("ff0e:4:4000::/34", None, 20), ("ff0e:4::/34", None, 20), ("ff0e:4:8000::/33", None, 19)


@pytest.fixture
def busy(network):
    """s2 has the entries A and B."""
    world.advertise("h1", [""])
    world.subscribe("h3", ["01"])
    world.subscribe("h2", ["00"])
    session.run()
    assert set(network.switches[world.dpid(2)].table) == {A, B}
    network.changes.clear()
    return network


def sent(network) -> dict[str, list]:
    """What s2 was sent: destinations by kind of change."""
    found = {"add": [], "modify": [], "remove": []}
    for change in network.changes:
        for part in change["switches"]:
            assert part["dpid"] == world.dpid(2)
            for kind, rows in found.items():
                rows += [row["dst"] for row in part[kind]]
    return found


def reconnect(network, keep: bool = True):
    switch = network.connect(world.dpid(2), keep=keep)
    watch.run()
    session.run()
    return switch


def test_a_switch_that_reconnects_unchanged_is_sent_nothing(busy):
    switch = reconnect(busy)
    assert busy.changes == []
    assert Switch.objects.get(name="s2").reconciled_epoch == switch.epoch


def test_a_switch_that_comes_back_empty_gets_everything(busy):
    switch = reconnect(busy, keep=False)
    assert set(switch.table) == {A, B}
    assert sorted(sent(busy)["add"]) == sorted([A[0], B[0]])


def test_only_what_differs_is_sent(busy):
    table = busy.switches[world.dpid(2)].table
    planned = dict(table)
    del table[A]
    table[B] = [{"output": 8}]
    table[C] = [{"output": 1}]
    table[A[0], None, 77] = [{"output": 1}]  # an old priority is another entry
    switch = reconnect(busy)
    assert switch.table == planned
    assert sent(busy) == {"add": [A[0]], "modify": [B[0]], "remove": [C[0], A[0]]}


def test_actions_that_the_controller_cannot_name_are_replaced(busy):
    table = busy.switches[world.dpid(2)].table
    planned = dict(table)
    table[A] = None
    assert reconnect(busy).table == planned


def test_the_confirmed_table_follows_what_the_switch_holds(busy):
    InstalledEntry.objects.filter(switch__name="s2").delete()
    reconnect(busy)
    assert {row[:3] for row in world.installed()["s2"]} == {A, B}
    assert busy.changes == []


def test_requests_during_an_absence_are_deployed_at_its_end(busy):
    busy.disconnect(world.dpid(2))
    watch.run()
    subscription = world.subscribe("h3", ["1"])
    session.run()
    switch = reconnect(busy, keep=False)
    subscription.refresh_from_db()
    assert subscription.state == "active"
    assert set(switch.table) == {A, B, C}


def test_a_switch_that_cannot_be_asked_is_unreachable_and_nothing_is_said_of_its_entries(busy):
    busy.disconnect(world.dpid(2))
    with pytest.raises(CommandError) as raised:
        call_command("reconcile", "s2")
    assert raised.value.returncode == 1
    assert InstalledEntry.objects.filter(switch__name="s2").count() == 2
    assert SwitchSync.objects.get(switch="s2").problem["detail"] == "switch s2 is not connected"


def test_an_operator_gets_an_answer(busy, capsys):
    del busy.switches[world.dpid(2)].table[A]
    call_command("reconcile")
    assert capsys.readouterr().out.splitlines() == [f"s{n}: matches the plan" for n in (1, 2, 3)]
    assert set(busy.switches[world.dpid(2)].table) == {A, B}


def test_an_unknown_switch_is_refused(busy):
    with pytest.raises(CommandError, match="s7"):
        call_command("reconcile", "s7")


def test_a_switch_that_goes_while_it_is_read_is_unreachable(busy, monkeypatch):
    real = busy.get

    def get(path, query):
        return None if path.endswith("/entries") else real(path, query)

    monkeypatch.setattr(busy, "get", get)
    reconnect(busy)
    assert InstalledEntry.objects.filter(switch__name="s2").count() == 2
    assert busy.changes == []
    assert SwitchSync.objects.get(switch="s2").dirty


def test_the_old_way_stays_until_the_new_one_is_confirmed(db, controller):
    """In a ring of four, one of two paths breaks while the switch of the other path is disconnected."""
    world.line(4)
    world.add_link("s4", 1, "s1", 2)
    world.advertise("h1", ["0"])
    world.subscribe("h3", ["01"])
    session.run()
    old, new = (2, 4) if controller.switches[world.dpid(2)].table else (4, 2)
    entries = dict(controller.switches[world.dpid(old)].table)
    controller.disconnect(world.dpid(new))
    request = world.log({"op": "link_down", "switch": "s3", "port": 2 if old == 2 else 1})
    session.run()
    for _ in range(2):  # also when the old switch is looked at again
        SwitchSync.objects.update(retry_at=None)
        session.run()
        request.refresh_from_db()
        assert request.state == "deploying"
        assert controller.switches[world.dpid(old)].table == entries
    back = controller.connect(world.dpid(new))
    watch.run()
    session.run()
    request.refresh_from_db()
    assert request.state == "active"
    assert back.table and not controller.switches[world.dpid(old)].table
    assert not SwitchSync.objects.filter(dirty=True).exists()
