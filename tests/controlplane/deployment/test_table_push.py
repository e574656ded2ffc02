"""Changes that are sent to the controller together, and the effects of its answers."""

import random

import pytest

from controlplane.deployment import table_push
from controlplane.network.controller_client import ControllerClient
from controlplane.network.models import Switch
from tercast.tables.entries import Entry, Output, SwitchDiff, difference
from tests.support.controlplane import network_world as world


@pytest.fixture
def switches(network):
    return {switch.name: switch for switch in Switch.objects.all()}


def entry(n: int, port: int = 1) -> Entry:
    return Entry(f"ff0e:4:{n:x}::/48", None, 34, (Output(port),))


def tables(rng: random.Random) -> dict[str, tuple[Entry, ...]]:
    return {
        f"s{n}": tuple(entry(i, rng.randint(1, 3)) for i in rng.sample(range(40), rng.randint(0, 30)))
        for n in (1, 2, 3)
    }


def push(diffs, switches) -> dict[str, table_push.PushResult]:
    with ControllerClient() as northbound:
        return {result.switch.name: result for result in table_push.push(northbound, diffs, switches)}


@pytest.mark.parametrize("largest", [1, 3, 7, 10_000])
def test_a_change_in_portions_comes_to_the_same(network, switches, monkeypatch, largest):
    monkeypatch.setattr(table_push, "LARGEST", largest)
    rng = random.Random(largest)
    before = dict.fromkeys(switches, ())
    for _ in range(3):
        after = tables(rng)
        diffs = [difference(name, before[name], after[name]) for name in ("s2", "s3", "s1")]
        network.changes.clear()
        results = push(diffs, switches)
        assert all(result.debt is None for result in results.values())
        for diff in diffs:
            done = results[diff.switch].done
            assert set(done.installs) == set(diff.installs) and set(done.removed) == set(diff.removed)
        for name, switch in switches.items():
            assert len(network.tables()[switch.dpid]) == len(after[name])
        for change in network.changes:
            sizes = [len(part["add"] + part["modify"] + part["remove"]) for part in change["switches"]]
            assert 0 < sum(sizes) <= largest
        before = after


def test_all_that_adds_comes_before_all_that_removes(network, switches, monkeypatch):
    monkeypatch.setattr(table_push, "LARGEST", 2)
    diffs = [
        SwitchDiff(name, tuple(map(entry, range(3))), (), tuple(map(entry, range(10, 13))))
        for name in switches
    ]
    push(diffs, switches)
    kinds = [
        "remove" if part["remove"] else "add" for change in network.changes for part in change["switches"]
    ]
    assert kinds == sorted(kinds)
    order = [part["dpid"] for change in network.changes for part in change["switches"] if part["remove"]]
    assert order == sorted(order, reverse=True)


def test_nothing_is_removed_when_a_portion_was_not_added(network, switches, monkeypatch):
    monkeypatch.setattr(table_push, "LARGEST", 2)
    network.disconnect(world.dpid(3))
    diffs = [SwitchDiff(name, (entry(1), entry(2)), (), (entry(9),)) for name in switches]
    results = push(diffs, switches)
    assert not any(part["remove"] for change in network.changes for part in change["switches"])
    assert {name: bool(result.debt) for name, result in results.items()} == dict.fromkeys(switches, True)
    assert results["s1"].debt.left_over == {entry(9).dst} and not results["s1"].debt.missing
    assert results["s3"].debt.missing == {entry(1).dst, entry(2).dst}


def test_after_a_failure_of_the_controller_nothing_more_is_sent(network, switches, monkeypatch):
    monkeypatch.setattr(table_push, "LARGEST", 1)
    network.answer = (500, b"{}")
    seen = []
    real = ControllerClient.change
    monkeypatch.setattr(ControllerClient, "change", lambda self, body: seen.append(body) or real(self, body))
    results = push([SwitchDiff("s1", (entry(1), entry(2)), (), (entry(3),))], switches)
    assert len(seen) == 1
    assert results["s1"].debt.missing == {entry(1).dst, entry(2).dst}
