"""Deployment within budgets: a table that cannot store both old and new entries changes in one step."""

import random

import pytest

from controlplane.deployment import replay_check, session, switch_sync, table_push
from controlplane.network.controller_client import ControllerClient
from controlplane.network.models import Switch
from controlplane.planning import stepwise
from controlplane.planning.headroom import Headroom
from controlplane.planning.unconfirmed import OutstandingChange, Unconfirmed
from controlplane.registry.models import Subscription
from controlplane.requestlog.models import OutboxEvent, Request, SwitchSync
from tercast.tables.entries import Entry, Output, SwitchDiff
from tests.support.controlplane import network_world as world


def later():
    SwitchSync.objects.update(retry_at=None)
    session.run()


def entry(n: int) -> Entry:
    return Entry(f"ff0e:4:{n:x}::/48", None, 34, (Output(1),))


def entries(*numbers: int) -> tuple[Entry, ...]:
    return tuple(map(entry, numbers))


@pytest.fixture
def switches(network):
    return {switch.name: switch for switch in Switch.objects.all()}


def push(switches, diffs, unconfirmed=None, silent=(), headrooms=None):
    with ControllerClient() as northbound:
        results = table_push.push_holding(
            northbound, diffs, switches, unconfirmed or Unconfirmed(), silent, headrooms=headrooms or {}
        )
    return {result.switch.name: result for result in results}


def parts(network):
    return [part for change in network.changes for part in change["switches"]]


def test_only_a_table_without_room_for_both_changes_in_one_step(network, switches):
    push(switches, [SwitchDiff("s1", entries(1, 2)), SwitchDiff("s2", entries(1, 2))])
    network.changes.clear()
    diffs = [SwitchDiff(name, entries(3), (), entries(1)) for name in ("s1", "s2", "s3")]
    results = push(switches, diffs, headrooms={"s1": Headroom(2, 2), "s2": Headroom(3, 2)})
    assert {part["dpid"][-1]: part.get("atomic") for part in parts(network)} == {
        "1": True,
        "2": None,
        "3": None,
    }
    assert parts(network)[0]["limit"] == 2
    assert all(result.debt is None for result in results.values())
    assert results["s1"].done == diffs[0]
    assert len(network.tables()[world.dpid(1)]) == 2 == network.switches[world.dpid(1)].peak
    assert network.switches[world.dpid(2)].peak == 3


def test_what_is_too_much_even_in_one_step_goes_the_usual_way(network, switches):
    """A change of the network that cannot be refused may leave too many entries; as many as possible come."""
    push(switches, [SwitchDiff("s1", entries(1, 2), (), entries(5))], headrooms={"s1": Headroom(0, 0)})
    assert [part.get("atomic") for part in parts(network)] == [None]


def test_nothing_is_done_by_a_step_that_is_refused(network, switches):
    push(switches, [SwitchDiff("s1", entries(1, 2))])
    network.switches[world.dpid(1)].refuses.add(entry(4).dst)
    result = push(
        switches, [SwitchDiff("s1", entries(3, 4), (), entries(1))], headrooms={"s1": Headroom(3, 2)}
    )["s1"]
    assert len(result.done) == 0
    assert result.debt.refused and "in one step" in result.debt.reason and "table_full" in result.debt.reason
    assert result.debt.missing == {entry(3).dst, entry(4).dst} and result.debt.left_over == {entry(1).dst}
    assert {key[0] for key in network.tables()[world.dpid(1)]} == {entry(1).dst, entry(2).dst}


@pytest.mark.parametrize("largest", [1, 2, 3, 5])
def test_a_step_is_never_cut(network, switches, monkeypatch, largest):
    push(switches, [SwitchDiff("s1", entries(1, 2, 3, 4)), SwitchDiff("s2", entries(1, 2, 3, 4))])
    network.changes.clear()
    monkeypatch.setattr(table_push, "LARGEST", largest)
    diffs = [SwitchDiff(name, entries(5, 6, 7), (), entries(1, 2, 3)) for name in ("s1", "s2")]
    results = push(switches, diffs, headrooms={"s1": Headroom(5, 4)})
    assert all(result.debt is None for result in results.values())
    (step,) = [part for part in parts(network) if part.get("atomic")]
    assert len(step["add"]) == len(step["remove"]) == 3
    assert network.switches[world.dpid(1)].peak == 4
    assert len(network.tables()[world.dpid(2)]) == 4


def test_a_full_table_waits_for_what_holds_its_old_entries_up(network, switches):
    """s1 must keep an entry until s3 has its new one; if both do not fit, its new one waits too."""
    push(switches, [SwitchDiff("s1", entries(1)), SwitchDiff("s2", entries(1))])
    network.changes.clear()
    unconfirmed = Unconfirmed()
    unconfirmed.put("s3", OutstandingChange(missing=frozenset({entry(1).dst}), reason="away"))
    diffs = [SwitchDiff("s1", entries(2), (), entries(1)), SwitchDiff("s2", entries(2), (), entries(2))]
    results = push(switches, diffs, unconfirmed, ["s3"], {"s1": Headroom(1, 1)})
    assert [part["dpid"] for part in parts(network)] == [world.dpid(2)]
    debt = results["s1"].debt
    assert debt.held and not debt.refused and "s3" in debt.reason
    assert debt.missing == {entry(2).dst} and debt.left_over == {entry(1).dst}
    assert results["s2"].debt.left_over == {entry(2).dst}, "what depends on s1 waits with it"
    assert unconfirmed.without_room() == ["s1"]


def moved(network) -> None:
    """s2 is full; a subscription comes while another goes."""
    world.log({"op": "set_budget", "switch": "s2", "tcam_budget": 2})
    world.advertise("h1", ["0"])
    gone = world.subscribe("h3", ["000"])
    world.subscribe("h3", ["010"])
    session.run()
    assert len(network.tables()[world.dpid(2)]) == 2
    world.withdraw(gone)
    world.subscribe("h3", ["0110"])
    world.subscribe("h3", ["0011"])


def test_a_batch_on_a_full_table_never_exceeds_it(network):
    world.log({"op": "set_aggregation", "method": "la"})
    moved(network)
    session.run()
    assert {state for _, _, state in world.states()} == {"active"}
    assert network.switches[world.dpid(2)].peak == 2
    assert list(replay_check.differences()) == []


def test_a_switch_that_reconnects_with_old_entries_never_exceeds_its_budget(network):
    world.log({"op": "set_aggregation", "method": "la"})
    moved(network)
    network.disconnect(world.dpid(2))
    session.run()
    assert Request.objects.filter(state="deploying").exists()
    back = network.connect(world.dpid(2))
    foreign = ("ff0e:4:ff00::/40", None, 26)  # left by a plan that no process knows
    back.table.pop(next(iter(back.table)))
    back.table[foreign] = []
    back.limit = 2
    later()
    assert not Request.objects.filter(state="deploying").exists()
    assert foreign not in back.table and back.peak == 2
    assert list(replay_check.differences()) == []


def test_switches_that_wait_for_each_other_find_a_way_once_the_cause_is_gone(network):
    """Both full, both stuck behind s3; when it is back they are asked together, whatever their pauses."""
    world.log({"op": "set_aggregation", "method": "la"})
    for name in ("s1", "s2"):
        world.log({"op": "set_budget", "switch": name, "tcam_budget": 2})
    world.advertise("h1", ["0"])
    first = world.subscribe("h3", ["000"])
    world.subscribe("h3", ["010"])
    session.run()
    network.disconnect(world.dpid(3))
    world.withdraw(first)
    world.subscribe("h3", ["0010"])
    world.subscribe("h3", ["0001"])
    session.run()
    network.connect(world.dpid(3))
    later()
    session.run()
    assert {state for _, _, state in world.states()} == {"active"}
    assert all(network.switches[world.dpid(n)].peak <= 2 for n in (1, 2))
    assert list(replay_check.differences()) == []


@pytest.mark.parametrize("bundles", [True, False])
@pytest.mark.parametrize("seed", range(6))
def test_random_changes_within_budgets_stay_within_them_at_every_step(network, seed, bundles):
    rng = random.Random(seed)
    network.bundles = bundles
    world.log({"op": "set_aggregation", "method": "la"})
    limits = {n: rng.choice((1, 2, 3, 5)) for n in (1, 2, 3)}
    for n, limit in limits.items():
        world.log({"op": "set_budget", "switch": f"s{n}", "tcam_budget": limit})
    live = []
    for _ in range(12):
        kind = rng.random()
        if kind < 0.15:
            network.disconnect(world.dpid(rng.randint(1, 3)))
        for _ in range(rng.randint(1, 4)):
            if live and rng.random() < 0.4:
                world.withdraw(live.pop(rng.randrange(len(live))))
            else:
                cell = "".join(rng.choice("01") for _ in range(rng.randint(1, 6)))
                if rng.random() < 0.25:
                    live.append(world.advertise(f"h{rng.randint(1, 3)}", [cell]))
                else:
                    live.append(world.subscribe(f"h{rng.randint(1, 3)}", [cell]))
        session.run()
        for n in (1, 2, 3):
            if not network.switches[world.dpid(n)].connected:
                network.connect(world.dpid(n))
        later()
    later()
    session.run()
    assert set(Request.objects.values_list("state", flat=True)) <= {"active", "failed"}
    assert all(network.switches[world.dpid(n)].peak <= limit for n, limit in limits.items())
    assert not alarms("removes old entries"), "on a line all trees have the same links"
    assert list(replay_check.differences()) == []


def steps_sent(network):
    return [part for part in parts(network) if "steps" in part]


def test_a_switch_without_bundles_goes_in_steps(network):
    world.log({"op": "set_aggregation", "method": "la"})
    moved(network)
    network.switches[world.dpid(2)].bundles = False
    session.run()
    assert {state for _, _, state in world.states()} == {"active"}
    (part,) = steps_sent(network)
    assert part["dpid"] == world.dpid(2) and part["limit"] == 2 and part["atomic"] is True
    assert network.switches[world.dpid(2)].peak == 2
    assert list(replay_check.differences()) == []


def reserves():
    """What was logged of reserves: switch, entries, state."""
    rows = Request.objects.filter(kind="set_reserve").order_by("id")
    return [(row.payload["switch"], row.payload["entries"], row.state) for row in rows]


def test_a_lowered_budget_is_met_in_steps_within_the_old_one(network):
    network.bundles = False
    for n in (1, 2, 3):
        network.connect(world.dpid(n))
        switch_sync.ask_for([f"s{n}"])
    world.log({"op": "set_aggregation", "method": "la"})
    world.log({"op": "set_budget", "switch": "s2", "tcam_budget": 4})
    world.advertise("h1", ["0"])
    for cell in ("000", "010", "0110"):
        world.subscribe("h3", [cell])
    session.run()
    assert len(network.tables()[world.dpid(2)]) == 3
    world.log({"op": "set_budget", "switch": "s2", "tcam_budget": 2})
    session.run()
    assert {state for _, _, state in world.states()} == {"active"}
    assert len(network.tables()[world.dpid(2)]) == 1
    assert steps_sent(network)[-1]["limit"] == 4 == network.switches[world.dpid(2)].peak
    assert list(replay_check.differences()) == []


def test_a_switch_without_bundles_keeps_an_entry_in_reserve(network):
    """Seen when it connects, once; and given back when it connects with bundles."""
    world.log({"op": "set_aggregation", "method": "la"})
    moved(network)
    for bundles in (False, False, True):
        network.bundles = bundles
        network.connect(world.dpid(2))
        switch_sync.ask_for(["s2"])  # as the watcher does
        session.run()
        later()
        assert len(network.tables()[world.dpid(2)]) == 1, "merged to free entries, and that stays"
        assert network.switches[world.dpid(2)].peak <= 2
    assert reserves() == [("s2", 1, "active"), ("s2", 0, "active")]
    assert Switch.objects.get(name="s2").tcam_budget == 2
    (part,) = steps_sent(network)
    assert [len(step["rest"]["actions"]) for step in part["steps"] if "rest" in step] == [1, 0]
    assert not alarms("")
    assert list(replay_check.differences()) == []


def alarms(text):
    texts = (event.payload["text"] for event in OutboxEvent.objects.filter(kind="alarm"))
    return [one for one in texts if text in one]


def test_a_reserve_that_a_full_table_cannot_make_without_losses_waits_for_a_free_entry(network, monkeypatch):
    world.log({"op": "set_aggregation", "method": "la"})
    moved(network)
    session.run()
    network.bundles = False
    network.connect(world.dpid(2))
    with monkeypatch.context() as patched:
        patched.setattr(stepwise, "steps", no_way)
        switch_sync.ask_for(["s2"])
        session.run()
        later()
        assert alarms("until one entry is free") and not reserves()
    for row in Subscription.objects.exclude(state="withdrawn")[:2]:
        world.withdraw(row)
    later()
    session.run()
    assert reserves() == [("s2", 1, "active")]
    assert list(replay_check.differences()) == []


class Everything(set):
    def __contains__(self, _: object) -> bool:
        return True


def test_steps_that_are_refused_are_read_back_and_repaired(network):
    world.log({"op": "set_aggregation", "method": "la"})
    moved(network)
    slow = network.switches[world.dpid(2)]
    slow.bundles, slow.refuses = False, Everything()
    session.run()
    assert Request.objects.filter(state="deploying").exists()
    assert " steps: " in SwitchSync.objects.get(switch="s2").problem["detail"]
    slow.refuses = set()
    later()
    assert {state for _, _, state in world.states()} == {"active"}
    assert slow.peak == 2
    assert list(replay_check.differences()) == []


def no_way(*_: object) -> None:
    """As when no steps lead from one table to the other."""


def test_a_request_to_which_no_steps_lead_fails_and_nothing_else_changes(network, monkeypatch):
    world.log({"op": "set_aggregation", "method": "la"})
    moved(network)
    network.switches[world.dpid(2)].bundles = False
    with monkeypatch.context() as patched:
        patched.setattr(stepwise, "steps", no_way)
        session.run()
    failed = list(Request.objects.filter(state="failed"))
    assert [row.kind for row in failed] == ["subscribe"], "the others of the batch are carried out"
    assert failed[0].problem["title"] == "A table is too small" and failed[0].problem["switches"] == ["s2"]
    assert not Request.objects.exclude(state__in=("active", "failed")).exists()
    world.subscribe("h3", ["0011"])
    session.run()
    assert [state for _, _, state in world.states()][-1] == "active"
    assert network.switches[world.dpid(2)].peak == 2
    assert not alarms("removes old entries")
    assert list(replay_check.differences()) == []


def test_without_lossless_steps_a_switch_removes_entries_first_with_an_alarm(network, monkeypatch):
    """Another plan's entries fill the table of a switch that reconnects."""
    world.log({"op": "set_aggregation", "method": "la"})
    moved(network)
    session.run()
    slow = network.switches[world.dpid(2)]
    slow.table = {(f"ff0e:4:{n:x}::/48", None, 34): [{"output": 1}] for n in (1, 2)}
    network.bundles = False
    network.connect(world.dpid(2))
    switch_sync.ask_for(["s2"])
    monkeypatch.setattr(stepwise, "steps", no_way)
    session.run()
    later()
    assert network.switches[world.dpid(2)].peak <= 2
    assert list(replay_check.differences()) == []
    assert alarms("removes old entries")


@pytest.mark.parametrize("seed", range(8))
def test_ways_that_change_through_full_tables_stay_within_budgets(network, seed):
    """Links of a ring fail and return while switches are disconnected: old paths stay, full tables wait."""
    rng = random.Random(seed)
    world.add_link("s1", 4, "s3", 4)
    world.log({"op": "set_aggregation", "method": "la"})
    limits = {n: rng.choice((2, 3, 5)) for n in (1, 2, 3)}
    for n, limit in limits.items():
        world.log({"op": "set_budget", "switch": f"s{n}", "tcam_budget": limit})
    world.advertise("h1", ["0"])
    world.advertise("h2", ["10"])
    down: list[tuple[str, int]] = []
    for _ in range(14):
        away = rng.choice((None, None, 1, 2, 3))
        if away:
            network.disconnect(world.dpid(away))
        cell = "".join(rng.choice("01") for _ in range(rng.randint(2, 5)))
        world.subscribe(f"h{rng.randint(1, 3)}", [cell])
        if down and rng.random() < 0.6:
            switch, port = down.pop()
            world.log({"op": "link_up", "switch": switch, "port": port})
        elif not down:
            down.append(rng.choice((("s1", 1), ("s2", 1), ("s1", 4))))
            world.log({"op": "link_down", "switch": down[0][0], "port": down[0][1]})
        session.run()
        if away:
            network.connect(world.dpid(away))
        later()
    for _ in range(3):
        later()
    texts = [event.payload["text"] for event in OutboxEvent.objects.filter(kind="alarm")]
    if not any("more entries than their budget" in text for text in texts):
        assert all(network.switches[world.dpid(n)].peak <= limit for n, limit in limits.items())
    assert set(Request.objects.values_list("state", flat=True)) <= {"active", "failed"}
    assert list(replay_check.differences()) == []
