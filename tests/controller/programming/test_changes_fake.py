"""Changes on switches that fail: each result names exactly what failed; nothing is removed too early."""

from __future__ import annotations

import threading

import pytest

from tests.support.controller.controller_harness import (
    Controller,
    dpid,
    entry,
    eventually,
    key,
    many_entries,
    ordered,
    output,
    set_dst,
)
from tests.support.controller.fake_switch import BAD_PREREQ, TABLE_FULL, FakeNetwork

BOTH_WAYS = pytest.mark.parametrize("way", ["bundles", "single flow-mods"], scope="module")
pytestmark = BOTH_WAYS

A, B, C = 0xA1, 0xB2, 0xC3
WIDE = entry("ff0e:4::/32", 18, output(1))
NARROW = entry("ff0e:4:8000::/33", 19, output(1), output(2))


def start(network: FakeNetwork, controller: Controller, *dpids: int) -> None:
    for number in dpids:
        network.add(number)
    controller.await_switches(*map(dpid, dpids))
    network.log.clear()


def refuse_one(prefix_bits: int):
    return lambda match: TABLE_FULL if 27 in match and match[27][1].bit_count() == prefix_bits else None


def test_the_way_is_the_one_that_was_set(network, controller, way) -> None:
    start(network, controller, A)
    known = "bundles" in controller.get("/v1/switches")[0]["capabilities"]
    entries = [WIDE, NARROW]
    assert controller.change({"dpid": dpid(A), "add": entries})[dpid(A)]["state"] == "confirmed"
    assert controller.change({"dpid": dpid(A), "remove": [key(item) for item in entries]})[dpid(A)]["removed"]
    commits = network.switches[0].commits
    assert (known, commits) == ((True, [2, 2]) if way == "bundles" else (False, []))


def test_entries_are_installed_as_a_strict_switch_wants_them(network, controller) -> None:
    start(network, controller, A)
    entries = [
        WIDE,
        NARROW,
        entry("ff0e:5::/128", 114, set_dst("fd00::1", "02:00:00:00:00:01"), output(3)),
        entry("ff0e:6::/40", 30, output("in_port"), in_port=3),
        entry("225.129.0.0/16", 24, output(2), set_dst("10.0.0.1", "02:00:00:00:00:02"), output(4)),
        entry("225.128.0.9/32", 40),
    ]
    result = controller.change({"dpid": dpid(A), "add": entries})[dpid(A)]
    assert (result["state"], result["errors"], result["removed"]) == ("confirmed", [], True)
    assert controller.entries(dpid(A)) == ordered(entries)


def test_whole_space_of_both_families_can_be_installed_beside_the_drop_entries(network, controller) -> None:
    start(network, controller, A)
    entries = [entry("225.128.0.0/9", 2, output(1)), entry("ff0e::/16", 2, output(1))]
    assert controller.change({"dpid": dpid(A), "add": entries})[dpid(A)]["state"] == "confirmed"
    assert controller.entries(dpid(A)) == ordered(entries)


def test_siblings_that_differ_in_one_bit_both_stay(network, controller) -> None:
    start(network, controller, A)
    siblings = [entry("ff0e:4:4000::/34", 20, output(1)), entry("ff0e:4::/34", 20, output(2))]
    controller.change({"dpid": dpid(A), "add": siblings})
    assert controller.entries(dpid(A)) == ordered(siblings)


def test_only_the_refused_entry_of_a_batch_fails(network, controller) -> None:
    start(network, controller, A)
    network.switches[0].faults.refuse = refuse_one(33)
    result = controller.change({"dpid": dpid(A), "add": [WIDE, NARROW]})[dpid(A)]
    assert result["state"] == "failed"
    error = result["errors"][0]
    assert len(result["errors"]) == 1
    assert (error["dst"], error["priority"]) == ("ff0e:4:8000::/33", 19)
    assert (error["type"], error["code"]) == ("flow_mod_failed", "table_full")
    assert controller.entries(dpid(A)) == [WIDE]


def test_a_full_table_names_the_entries_that_found_no_room(network, controller) -> None:
    start(network, controller, A)
    network.switches[0].faults.capacity = network.switches[0].reserved + 2500
    entries = many_entries(2700)
    result = controller.change({"dpid": dpid(A), "add": entries})[dpid(A)]
    assert result["state"] == "failed"
    assert len(result["errors"]) == 200
    assert {error["code"] for error in result["errors"]} == {"table_full"}
    refused = {error["dst"] for error in result["errors"]}
    held = {item["dst"] for item in controller.entries(dpid(A))}
    assert len(held) == 2500
    assert not refused & held


def test_an_overlap_at_one_priority_is_reported(network, controller) -> None:
    start(network, controller, A)
    clash = entry("ff0e:4:8000::/33", WIDE["priority"], output(2))
    result = controller.change({"dpid": dpid(A), "add": [WIDE, clash]})[dpid(A)]
    assert [error["code"] for error in result["errors"]] == ["overlap"]


def test_an_error_that_comes_after_the_barrier_raises_an_alarm(network, controller) -> None:
    start(network, controller, A)
    network.switches[0].faults.refuse = lambda match: BAD_PREREQ if 27 in match else None
    network.switches[0].faults.late_errors = True
    controller.change({"dpid": dpid(A), "add": [WIDE]})
    assert eventually(lambda: "late_error" in controller.alarm_names())


def test_switches_add_in_the_order_of_the_change_and_remove_in_reverse(network, controller) -> None:
    start(network, controller, A, B, C)
    parts = [{"dpid": dpid(n), "add": [NARROW], "remove": [key(WIDE)]} for n in (B, A, C)]
    controller.change(*[{"dpid": dpid(n), "add": [WIDE]} for n in (A, B, C)])
    network.log.clear()
    results = controller.change(*parts)
    assert all(result["removed"] for result in results.values())
    assert [(number, act) for number, act, _ in network.log] == [
        (B, "add"), (A, "add"), (C, "add"), (C, "remove"), (A, "remove"), (B, "remove"),
    ]  # fmt: skip


def test_within_a_switch_longer_prefixes_are_added_first_and_removed_last(network, controller) -> None:
    start(network, controller, A)
    controller.change({"dpid": dpid(A), "add": [WIDE], "modify": [NARROW]})
    controller.change({"dpid": dpid(A), "remove": [key(NARROW), key(WIDE)]})
    seen = [(act, match[27][1].bit_count()) for _, act, match in network.log]
    assert seen == [("add", 33), ("add", 32), ("remove", 32), ("remove", 33)]


def test_a_refused_addition_holds_back_every_removal_but_no_addition(network, controller) -> None:
    start(network, controller, A, B)
    controller.change(*[{"dpid": dpid(n), "add": [WIDE]} for n in (A, B)])
    network.switches[0].faults.refuse = refuse_one(33)
    change = [{"dpid": dpid(n), "add": [NARROW], "remove": [key(WIDE)]} for n in (A, B)]
    results = controller.change(*change)
    assert (results[dpid(A)]["state"], results[dpid(B)]["state"]) == ("failed", "confirmed")
    assert not results[dpid(A)]["removed"] and not results[dpid(B)]["removed"]
    assert controller.entries(dpid(A)) == [WIDE]
    assert controller.entries(dpid(B)) == [WIDE, NARROW]
    network.switches[0].faults.refuse = lambda match: None
    assert all(result["removed"] for result in controller.change(*change).values())
    assert controller.entries(dpid(A)) == controller.entries(dpid(B)) == [NARROW]


def test_the_same_change_again_leaves_the_same_tables(network, controller) -> None:
    start(network, controller, A, B)
    change = [{"dpid": dpid(n), "add": [NARROW], "remove": [key(WIDE)]} for n in (A, B)]
    controller.change({"dpid": dpid(A), "add": [WIDE]})
    for _ in range(3):
        results = controller.change(*change)
        assert [result["state"] for result in results.values()] == ["confirmed", "confirmed"]
        assert controller.entries(dpid(A)) == controller.entries(dpid(B)) == [NARROW]


def test_a_switch_that_is_not_there_is_unreachable_and_holds_back_removals(network, controller) -> None:
    start(network, controller, A)
    controller.change({"dpid": dpid(A), "add": [WIDE]})
    results = controller.change(
        {"dpid": dpid(0xDEAD), "add": [NARROW]},
        {"dpid": dpid(A), "add": [NARROW], "remove": [key(WIDE)]},
    )
    assert results[dpid(0xDEAD)]["state"] == "unreachable"
    assert results[dpid(0xDEAD)]["epoch"] is None
    assert (results[dpid(A)]["state"], results[dpid(A)]["removed"]) == ("confirmed", False)
    assert controller.entries(dpid(A)) == [WIDE, NARROW]


def test_a_switch_with_nothing_to_add_holds_nothing_back(network, controller) -> None:
    start(network, controller, A)
    controller.change({"dpid": dpid(A), "add": [WIDE]})
    results = controller.change(
        {"dpid": dpid(A), "add": [NARROW], "remove": [key(WIDE)]},
        {"dpid": dpid(0xDEAD), "remove": [key(WIDE)]},
    )
    assert results[dpid(0xDEAD)]["state"] == "unreachable"
    assert results[dpid(A)]["removed"]


def test_silence_at_the_barrier_is_unreachable(network, controller) -> None:
    start(network, controller, A, B)
    network.switches[0].faults.silent_barriers = True
    results = controller.change(*[{"dpid": dpid(n), "add": [WIDE]} for n in (A, B)])
    assert results[dpid(A)]["state"] == "unreachable"
    assert "no answer" in results[dpid(A)]["detail"]
    assert results[dpid(B)]["state"] == "confirmed"


def test_a_switch_that_goes_in_the_middle_is_unreachable_whatever_it_refused(network, controller) -> None:
    start(network, controller, A, B)
    fake = network.switches[0]
    fake.faults.refuse = lambda match: TABLE_FULL
    fake.faults.cut_after_flow_mods = fake._flow_mods + 50
    results = controller.change(
        {"dpid": dpid(A), "add": many_entries(3000)}, {"dpid": dpid(B), "add": [WIDE]}
    )
    assert (results[dpid(A)]["state"], results[dpid(A)]["errors"]) == ("unreachable", [])
    assert results[dpid(B)]["state"] == "confirmed"


def test_a_read_back_over_many_parts_counts_them_all(network, controller) -> None:
    start(network, controller, A)
    entries = many_entries(2000)
    controller.change({"dpid": dpid(A), "add": entries})
    network.switches[0].faults.part_size = 1000
    answer = controller.get(f"/v1/switches/{dpid(A)}/entries")
    assert {item["dst"] for item in answer["entries"]} == {item["dst"] for item in entries}
    assert len(answer["entries"]) == 2000
    assert {(item["packets"], item["bytes"]) for item in answer["entries"]} == {(5, 500)}


def test_a_switch_that_goes_during_the_read_back_is_unreachable_not_empty(network, controller) -> None:
    start(network, controller, A)
    controller.change({"dpid": dpid(A), "add": many_entries(500)})
    network.switches[0].faults.part_size = 5000
    network.switches[0].faults.cut_at_part = 2
    status, problem = controller.call("GET", f"/v1/switches/{dpid(A)}/entries")
    assert (status, problem["code"]) == (503, "switch_unreachable")


def test_a_foreign_entry_in_the_place_of_an_addition_stays(network, controller) -> None:
    fake = network.make(A)
    foreign = fake.put(cookie=0x1234, priority=18, dst=0xFF0E0004 << 96, length=32)
    fake.start()
    controller.await_switches(dpid(A))
    result = controller.change({"dpid": dpid(A), "add": [WIDE, NARROW]})[dpid(A)]
    assert [(e["dst"], e["code"]) for e in result["errors"]] == [("ff0e:4::/32", "foreign_entry")]
    assert foreign in fake.table
    assert controller.entries(dpid(A)) == [NARROW]
    controller.change({"dpid": dpid(A), "remove": [key(WIDE)]})
    assert foreign in fake.table


def test_a_foreign_entry_that_came_later_stays_too(network, controller) -> None:
    start(network, controller, A)
    fake = network.switches[0]
    assert eventually(lambda: _foreign(controller) == [0])
    foreign = fake.put(cookie=0, priority=18, dst=0xFF0E0004 << 96, length=32)
    assert eventually(lambda: _foreign(controller) == [1])
    result = controller.change({"dpid": dpid(A), "add": [WIDE]})[dpid(A)]
    assert [error["code"] for error in result["errors"]] == ["foreign_entry"]
    assert foreign in fake.table


def _foreign(controller: Controller) -> list[int]:
    return [table["foreign"] for table in controller.get("/v1/counters")["tables"]]


def test_changes_at_one_time_are_carried_out_one_after_the_other(network, controller) -> None:
    start(network, controller, A, B)
    parts = [[{"dpid": dpid(n), "add": many_entries(300, port)} for n in (A, B)] for port in (1, 2, 3)]
    threads = [threading.Thread(target=controller.change, args=part) for part in parts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    runs = [number for n, (number, _, _) in enumerate(network.log) if n % 300 == 0]
    assert runs == [A, B] * 3
    assert controller.entries(dpid(A)) == controller.entries(dpid(B))
