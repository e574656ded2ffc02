"""Replacements: additions and removals at one place of the order, together or in steps, within a limit."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.controller.controller_harness import (
    Controller,
    dpid,
    entry,
    eventually,
    key,
    ordered,
    output,
)
from tests.support.controller.fake_switch import FakeNetwork, FakeSwitch

pytestmark = pytest.mark.parametrize("way", ["bundles", "single flow-mods"], scope="module")

A, B, C = 0xA1, 0xB2, 0xC3
OLD = [entry(f"ff0e:4:{n + 1}000::/36", 22, output(1)) for n in range(4)]
NEW = [entry(f"ff0e:4:{n + 1}000::/37", 23, output(2)) for n in range(4)]


def start(network: FakeNetwork, controller: Controller, *dpids: int) -> list[FakeSwitch]:
    fakes = [network.add(number) for number in dpids]
    controller.await_switches(*map(dpid, dpids))
    for number in dpids:
        assert controller.change({"dpid": dpid(number), "add": OLD})[dpid(number)]["state"] == "confirmed"
    network.log.clear()
    for fake in fakes:
        fake.commits.clear()
    return fakes


def swap(number: int, **more: Any) -> dict[str, Any]:
    return {
        "dpid": dpid(number),
        "atomic": True,
        "add": NEW,
        "remove": [key(item) for item in OLD],
        **more,
    }


def one_by_one(number: int, **more: Any) -> dict[str, Any]:
    """Return a change whose steps free entries before they use them."""
    steps = [
        step for old, new in zip(OLD, NEW, strict=True) for step in ({"remove": [key(old)]}, {"add": [new]})
    ]
    return {"dpid": dpid(number), "atomic": True, "steps": steps, **more}


def highest(fake: FakeSwitch, log: list[tuple[int, str, Any]], held: int) -> int:
    """Return the highest number of content entries of a switch, from its log."""
    most = held
    for number, act, _ in log:
        held += (1 if act == "add" else -1) if number == fake.dpid else 0
        most = max(most, held)
    return most


def test_a_swap_is_one_bundle_where_there_are_bundles(network, controller, way) -> None:
    (fake,) = start(network, controller, A)
    result = controller.change(swap(A))[dpid(A)]
    assert (result["state"], result["removed"], result["errors"]) == ("confirmed", True, [])
    assert controller.entries(dpid(A)) == NEW
    assert fake.commits == ([8] if way == "bundles" else [])
    acts = [act for _, act, _ in network.log]
    assert acts == (["remove"] * 4 + ["add"] * 4 if way == "bundles" else ["add"] * 4 + ["remove"] * 4)


def test_a_swap_has_its_place_in_the_order_of_additions(network, controller) -> None:
    start(network, controller, A, B, C)
    results = controller.change(
        {"dpid": dpid(C), "add": NEW[:1], "remove": [key(OLD[0])]}, swap(A), {"dpid": dpid(B), "add": NEW[:1]}
    )
    assert all(result["removed"] for result in results.values())
    places = list(dict.fromkeys((number, act) for number, act, _ in network.log))
    assert [place for place in places if place[0] != A] == [(C, "add"), (B, "add"), (C, "remove")]
    assert places.index((C, "add")) < places.index((A, "remove")) < places.index((B, "add"))


def test_what_a_swap_replaces_fits_into_a_full_table(network, controller, way) -> None:
    (fake,) = start(network, controller, A)
    fake.faults.capacity = fake.reserved + 4
    part = swap(A, limit=4) if way == "bundles" else one_by_one(A, limit=4)
    result = controller.change(part)[dpid(A)]
    assert (result["state"], result["removed"]) == ("confirmed", True)
    assert controller.entries(dpid(A)) == NEW
    assert way == "bundles" or highest(fake, network.log, 4) == 4


def test_steps_are_one_bundle_where_there_are_bundles(network, controller, way) -> None:
    (fake,) = start(network, controller, A)
    assert controller.change(one_by_one(A, limit=4))[dpid(A)]["removed"]
    assert controller.entries(dpid(A)) == NEW
    assert fake.commits == ([8] if way == "bundles" else [])
    seen = [act for _, act, _ in network.log]
    assert way == "bundles" or seen == ["remove", "add"] * 4


def test_steps_that_need_not_be_atomic_are_a_bundle_each(network, controller, way) -> None:
    (fake,) = start(network, controller, A)
    steps = [
        {"remove": [key(item) for item in OLD[:2]]},
        {"add": NEW[:2], "remove": [key(item) for item in OLD[2:]]},
        {"modify": NEW[2:]},
    ]
    assert controller.change({"dpid": dpid(A), "steps": steps, "limit": 4})[dpid(A)]["removed"]
    assert controller.entries(dpid(A)) == NEW
    assert fake.commits == ([2, 4, 2] if way == "bundles" else [])


def test_the_last_word_of_steps_counts(network, controller) -> None:
    start(network, controller, A)
    passing = entry("ff0e:4:5000::/36", 22, output(3))
    changed = {**OLD[1], "actions": [output(4)]}
    steps = [
        {"add": [passing], "remove": [key(OLD[0]), key(OLD[1])]},
        {"add": [OLD[0], changed], "remove": [key(passing)]},
    ]
    part = {"dpid": dpid(A), "atomic": True, "steps": steps}
    assert controller.change(part)[dpid(A)]["state"] == "confirmed"
    assert controller.entries(dpid(A)) == ordered([OLD[0], changed, *OLD[2:]])


def test_a_swap_that_would_pass_its_limit_is_refused_and_does_nothing(network, controller, way) -> None:
    start(network, controller, A)
    more = [*NEW, entry("ff0e:5::/32", 18, output(1))]
    result = controller.change(swap(A, add=NEW, remove=[key(OLD[0])], limit=6))[dpid(A)]
    assert (result["state"], result["removed"], result["errors"]) == ("failed", False, [])
    expected = 7 if way == "bundles" else 8
    assert f"would have {expected} entries" in result["detail"] and "limit of 6" in result["detail"]
    assert controller.entries(dpid(A)) == OLD
    assert network.log == []
    status, problem = controller.call(
        "POST", "/v1/changes", {"id": "x", "switches": [swap(A, add=more, limit=4)]}
    )
    assert (status, problem["errors"][0]["code"]) == (400, "over_limit")
    assert problem["errors"][0]["pointer"] == "/switches/0/limit"


def test_own_entries_that_cannot_be_read_count_for_the_limit(network, controller) -> None:
    (fake,) = start(network, controller, A)
    flow = fake.put(cookie=0x7EC0A57E00000001, priority=9, dst=0xFF0E0009 << 96, length=32)
    flow.match_bytes = bytes.fromhex("0001000c8000000400000001") + bytes(4)
    result = controller.change(one_by_one(A, limit=4))[dpid(A)]
    assert (result["state"], "limit of 4" in result["detail"]) == ("failed", True)


def test_a_refused_entry_undoes_the_bundle_or_ends_the_steps(network, controller, way) -> None:
    (fake,) = start(network, controller, A)
    bad = int(NEW[2]["dst"].split(":")[2], 16) << 80 | 0xFF0E0004 << 96
    fake.faults.refuse = lambda match: (5, 0) if match.get(27) == (bad, (1 << 128) - (1 << 91)) else None
    result = controller.change(one_by_one(A))[dpid(A)]
    assert (result["state"], result["removed"]) == ("failed", False)
    missing = {error["dst"]: (error["type"], error["code"]) for error in result["errors"]}
    refused = {NEW[2]["dst"]: ("flow_mod_failed", "unknown")}
    undone = NEW if way == "bundles" else NEW[2:]
    assert missing == {item["dst"]: ("not_applied", "part_refused") for item in undone} | refused
    assert result["errors"][0]["dst"] == NEW[2]["dst"]
    held = OLD if way == "bundles" else ordered([*OLD[3:], *NEW[:2]])
    assert controller.entries(dpid(A)) == held


def test_a_table_full_undoes_a_swap(network, controller, way) -> None:
    (fake,) = start(network, controller, A)
    fake.faults.capacity = fake.reserved + 5
    result = controller.change(swap(A, remove=[key(OLD[0])]))[dpid(A)]
    assert result["state"] == "failed"
    assert "table_full" in {error["code"] for error in result["errors"]}
    if way == "bundles":
        assert {error["dst"] for error in result["errors"]} == {item["dst"] for item in NEW}
        assert controller.entries(dpid(A)) == OLD
    else:
        missing = {error["dst"] for error in result["errors"]}
        assert len(missing) == 3
        assert controller.entries(dpid(A)) == ordered([*OLD, *(i for i in NEW if i["dst"] not in missing)])


def test_a_foreign_entry_in_the_way_of_a_swap_stops_it(network, controller) -> None:
    (fake,) = start(network, controller, A)
    dst = int(NEW[1]["dst"].split(":")[2], 16) << 80 | 0xFF0E0004 << 96
    foreign = fake.put(cookie=0x99, priority=23, dst=dst, length=37)
    assert eventually(lambda: [table["foreign"] for table in controller.get("/v1/counters")["tables"]] == [1])
    result = controller.change(swap(A))[dpid(A)]
    codes = {error["dst"]: error["code"] for error in result["errors"]}
    assert codes == {item["dst"]: "part_refused" for item in NEW} | {NEW[1]["dst"]: "foreign_entry"}
    assert controller.entries(dpid(A)) == OLD
    assert foreign in fake.table


def test_a_swap_behind_a_failed_addition_is_held_back(network, controller) -> None:
    start(network, controller, A, B)
    results = controller.change({"dpid": dpid(0xDEAD), "add": NEW}, swap(A), swap(B, remove=[]))
    assert results[dpid(0xDEAD)]["state"] == "unreachable"
    assert (results[dpid(A)]["state"], results[dpid(A)]["removed"]) == ("failed", False)
    assert "not sent: another switch" in results[dpid(A)]["detail"]
    assert controller.entries(dpid(A)) == OLD
    assert results[dpid(B)]["state"] == "confirmed"
    assert controller.entries(dpid(B)) == ordered([*OLD, *NEW])


def test_a_failed_swap_holds_back_removals(network, controller) -> None:
    (fake, _) = start(network, controller, A, B)
    fake.faults.refuse = lambda match: (5, 0) if 27 in match else None
    results = controller.change(swap(A), {"dpid": dpid(B), "remove": [key(OLD[0])]})
    assert (results[dpid(A)]["state"], results[dpid(B)]["removed"]) == ("failed", False)
    assert controller.entries(dpid(B)) == OLD


def test_swaps_without_an_order_hold_back_none_of_each_other(network, controller) -> None:
    start(network, controller, A)
    body = {"id": "any", "order": "any", "switches": [{"dpid": dpid(0xDEAD), "add": NEW}, swap(A)]}
    _, answer = controller.call("POST", "/v1/changes", body)
    assert [part["state"] for part in answer["switches"]] == ["unreachable", "confirmed"]
    assert controller.entries(dpid(A)) == NEW
