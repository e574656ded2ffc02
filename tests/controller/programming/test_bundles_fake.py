"""Bundles on switches that fail: refused entries are named, the others exist, nothing is half done."""

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
    output,
)
from tests.support.controller.fake_switch import (
    BAD_OUT_PORT,
    ECHO_REPLY,
    ECHO_REQUEST,
    FakeNetwork,
    FakeSwitch,
    Refusal,
)
from tests.waiting import LIMIT_SECONDS

A, B, C = 0xA1, 0xB2, 0xC3
WIDE = entry("ff0e:4::/32", 18, output(1))
NARROW = entry("ff0e:4:8000::/33", 19, output(1), output(2))
NARROWER = entry("ff0e:4:c000::/34", 20, output(3))


def start(network: FakeNetwork, controller: Controller, *dpids: int) -> list[FakeSwitch]:
    fakes = [network.add(number) for number in dpids]
    controller.await_switches(*map(dpid, dpids))
    network.log.clear()
    return fakes


def capabilities(controller: Controller) -> dict[str, list[str]]:
    return {switch["dpid"]: switch["capabilities"] for switch in controller.get("/v1/switches")}


def refusing(*lengths: int):
    return lambda match: (5, 0) if 27 in match and match[27][1].bit_count() in lengths else None


def test_the_capability_is_found_out_by_trying(network, controller) -> None:
    for number, way in ((A, "known"), (B, "refused"), (C, "ignored")):
        network.make(number).faults.bundles = way
    for fake in network.switches:
        fake.start()
    controller.await_switches(dpid(A), dpid(B), dpid(C))
    found = capabilities(controller)
    assert [name for name, messages in found.items() if "bundles" in messages] == [dpid(A)]
    entries = [WIDE, NARROW]
    results = controller.change(*({"dpid": dpid(n), "add": entries} for n in (A, B, C)))
    assert {result["state"] for result in results.values()} == {"confirmed"}
    assert [fake.commits for fake in network.switches] == [[2], [], []]
    assert all(controller.entries(dpid(n)) == entries for n in (A, B, C))


def test_a_step_is_one_bundle_and_a_single_message_needs_none(network, controller) -> None:
    (fake,) = start(network, controller, A)
    entries = many_entries(3000)
    controller.change({"dpid": dpid(A), "add": entries})
    assert fake.commits == [3000]
    controller.change({"dpid": dpid(A), "add": [WIDE], "remove": [key(item) for item in entries]})
    assert fake.commits == [3000, 3000]
    assert controller.entries(dpid(A)) == [WIDE]


def test_what_is_refused_in_the_middle_of_a_bundle_is_named_and_the_rest_is_there(
    network, controller
) -> None:
    (fake,) = start(network, controller, A)
    fake.faults.refuse = refusing(33)
    result = controller.change({"dpid": dpid(A), "add": [WIDE, NARROW, NARROWER]})[dpid(A)]
    assert (result["state"], result["removed"]) == ("failed", False)
    assert [(error["dst"], error["code"]) for error in result["errors"]] == [("ff0e:4:8000::/33", "unknown")]
    assert controller.entries(dpid(A)) == [WIDE, NARROWER]
    assert fake.commits == [2]


def test_many_refusals_end_in_single_flow_mods_and_all_are_named(network, controller) -> None:
    (fake,) = start(network, controller, A)
    entries = many_entries(400)
    last = {int(item["dst"].rpartition(":")[2].partition("/")[0] or "0", 16) for item in entries[::2]}
    fake.faults.refuse = lambda match: (5, 0) if 27 in match and match[27][0] & 0xFFFF in last else None
    result = controller.change({"dpid": dpid(A), "add": entries})[dpid(A)]
    assert len(result["errors"]) == 200
    refused = {error["dst"] for error in result["errors"]}
    assert refused == {item["dst"] for item in entries[::2]}
    assert {item["dst"] for item in controller.entries(dpid(A))} == {item["dst"] for item in entries[1::2]}


def test_an_action_refused_at_staging_fails_alone(network, controller) -> None:
    (fake,) = start(network, controller, A)
    entries = [WIDE, entry("ff0e:5::/32", 18, output(0xFFFFFF00)), NARROW]
    fake.ports = {1: True, 2: True}
    fake._check_instructions = refuse_port(fake, 0xFFFFFF00)
    result = controller.change({"dpid": dpid(A), "add": entries})[dpid(A)]
    assert [(error["dst"], error["code"]) for error in result["errors"]] == [("ff0e:5::/32", "bad_out_port")]
    assert controller.entries(dpid(A)) == [WIDE, NARROW]


def refuse_port(fake: FakeSwitch, port: int):
    def check(match, data: bytes) -> None:
        if port.to_bytes(4, "big") in data:
            raise Refusal(*BAD_OUT_PORT)

    return check


def test_a_full_table_within_a_bundle_names_each_entry_that_found_no_room(network, controller) -> None:
    (fake,) = start(network, controller, A)
    fake.faults.capacity = fake.reserved + 700
    result = controller.change({"dpid": dpid(A), "add": many_entries(1000)})[dpid(A)]
    assert [error["code"] for error in result["errors"]] == ["table_full"] * 300
    refused = {error["dst"] for error in result["errors"]}
    held = {item["dst"] for item in controller.entries(dpid(A))}
    assert (len(held), refused & held) == (700, set())


def test_a_bundle_that_ran_out_of_time_is_sent_again(network, controller) -> None:
    (fake,) = start(network, controller, A)
    fake.faults.expired_bundles = 1
    result = controller.change({"dpid": dpid(A), "add": [WIDE, NARROW]})[dpid(A)]
    assert (result["state"], fake.commits) == ("confirmed", [2])
    assert controller.entries(dpid(A)) == [WIDE, NARROW]


def test_bundles_that_always_fail_give_way_to_single_flow_mods(network, controller) -> None:
    (fake,) = start(network, controller, A)
    fake.faults.expired_bundles = 1000
    result = controller.change({"dpid": dpid(A), "add": [WIDE, NARROW]})[dpid(A)]
    assert (result["state"], fake.commits) == ("confirmed", [])
    assert controller.entries(dpid(A)) == [WIDE, NARROW]


@pytest.mark.parametrize(("moment", "held"), [("before", []), ("after", [WIDE, NARROW])])
def test_a_switch_that_goes_at_the_commit_has_nothing_or_all(network, controller, moment, held) -> None:
    first, _ = start(network, controller, A, B)
    first.faults.cut_at_commit = moment
    results = controller.change(*({"dpid": dpid(n), "add": [WIDE, NARROW]} for n in (A, B)))
    assert (results[dpid(A)]["state"], results[dpid(A)]["errors"]) == ("unreachable", [])
    assert results[dpid(B)]["state"] == "confirmed"
    assert eventually(lambda: dpid(A) not in controller.dpids())
    first.stop()
    first.faults.cut_at_commit = None
    first.start()
    controller.await_switches(dpid(A))
    assert controller.entries(dpid(A)) == held
    again = controller.change({"dpid": dpid(A), "add": [WIDE, NARROW]})[dpid(A)]
    assert (again["state"], again["epoch"] > results[dpid(A)]["epoch"]) == ("confirmed", True)


def test_a_switch_that_goes_between_stage_and_commit_has_nothing(network, controller) -> None:
    """The first switch's commit disconnects the second one, which is already staged."""
    first, second = start(network, controller, A, B)

    def disconnect() -> None:
        assert eventually(lambda: len(_staged(second)) == 2)
        second.stop()

    first.faults.at_commit = disconnect
    results = controller.change(*({"dpid": dpid(n), "add": [WIDE, NARROW]} for n in (A, B)))
    assert (results[dpid(A)]["state"], results[dpid(B)]["state"]) == ("confirmed", "unreachable")
    assert second.own() == []
    assert second._bundles, "it had the messages"
    second._bundles.clear()
    second.start()
    controller.await_switches(dpid(B))
    assert controller.entries(dpid(B)) == []


def test_a_switch_that_comes_again_before_its_turn_takes_its_turn(network, controller) -> None:
    first, second = start(network, controller, A, B)
    before = {switch["dpid"]: switch["epoch"] for switch in controller.get("/v1/switches")}

    def reconnect() -> None:
        second.stop()
        second._bundles.clear()
        second.start()
        assert eventually(lambda: _epoch(controller, B) not in (None, before[dpid(B)]))

    first.faults.at_commit = reconnect
    results = controller.change(*({"dpid": dpid(n), "add": [WIDE, NARROW]} for n in (A, B)))
    assert [result["state"] for result in results.values()] == ["confirmed", "confirmed"]
    assert results[dpid(B)]["epoch"] > before[dpid(B)]
    assert controller.entries(dpid(B)) == [WIDE, NARROW]


def _epoch(controller: Controller, number: int) -> int | None:
    return next((s["epoch"] for s in controller.get("/v1/switches") if s["dpid"] == dpid(number)), None)


def test_all_switches_are_staged_before_the_first_commits_and_commit_in_order(network, controller) -> None:
    fakes = start(network, controller, A, B, C)
    seen: list[bool] = []
    fakes[1].faults.at_commit = lambda: seen.append(
        eventually(lambda: [len(_staged(fake)) for fake in fakes] == [2, 0, 2])
    )
    parts = [{"dpid": dpid(n), "add": [WIDE, NARROW]} for n in (B, C, A)]
    assert {r["state"] for r in controller.change(*parts).values()} == {"confirmed"}
    assert [number for number, _, _ in network.log] == [B, B, C, C, A, A]
    assert seen == [True]


def _staged(fake: FakeSwitch) -> list[object]:
    return [message for _, messages in fake._bundles.values() for message in messages]


def test_without_an_order_no_switch_waits_for_another(network, controller) -> None:
    """The first two commit only when both have started to."""
    fakes = start(network, controller, A, B)
    meeting = threading.Barrier(2, timeout=LIMIT_SECONDS)
    for fake in fakes:
        fake.faults.at_commit = meeting.wait
    body = {
        "id": "any",
        "order": "any",
        "switches": [{"dpid": dpid(n), "add": [WIDE, NARROW]} for n in (A, B)],
    }
    status, answer = controller.call("POST", "/v1/changes", body)
    assert (status, [part["state"] for part in answer["switches"]]) == (200, ["confirmed", "confirmed"])
    assert [part["dpid"] for part in answer["switches"]] == [dpid(A), dpid(B)]
    assert not meeting.broken


def test_a_foreign_entry_in_the_place_of_one_in_a_bundle_stays(network, controller) -> None:
    fake = network.make(A)
    foreign = fake.put(cookie=0x1234, priority=18, dst=0xFF0E0004 << 96, length=32)
    fake.start()
    controller.await_switches(dpid(A))
    result = controller.change({"dpid": dpid(A), "add": [WIDE, NARROW, NARROWER]})[dpid(A)]
    assert [(e["dst"], e["code"]) for e in result["errors"]] == [("ff0e:4::/32", "foreign_entry")]
    assert fake.commits == [2]
    controller.change({"dpid": dpid(A), "remove": [key(WIDE), key(NARROW), key(NARROWER)]})
    assert foreign in fake.table
    assert controller.entries(dpid(A)) == []


def test_echoes_are_answered_while_a_large_change_goes_out(network, controller) -> None:
    """An echo request during the change gets its reply before the end."""
    (fake,) = start(network, controller, A)
    answered: list[int] = []
    asked = threading.Event()
    original = fake._on_message

    def watch(version: int, kind: int, body: bytes, xid: int) -> None:
        if kind == ECHO_REPLY:
            answered.append(fake._flow_mods)
            return
        if fake._flow_mods == 2000 and not asked.is_set():
            asked.set()
            fake._send(ECHO_REQUEST, b"alive?", 77)
        original(version, kind, body, xid)

    fake._on_message = watch
    result = controller.change({"dpid": dpid(A), "add": many_entries(20_000)})[dpid(A)]
    assert result["state"] == "confirmed"
    assert len(answered) == 1 and answered[0] < 20_000
