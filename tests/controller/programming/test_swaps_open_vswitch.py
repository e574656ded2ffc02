"""Bundles and replacements on real Open vSwitch, and single flow-mods: equal tables, no event lost."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mininet_labs.fabric import Fabric, FrameSocket
from tests.support.controller.controller_harness import (
    Controller,
    dpid,
    entry,
    eventually,
    key,
    many_entries,
    ordered,
    output,
    running,
)
from tests.waiting import LIMIT_SECONDS

pytestmark = [
    pytest.mark.fabric,
    pytest.mark.parametrize("way", ["bundles", "single flow-mods"], scope="module"),
]

CONTENT = "cookie=0x7ec0a57e00000001/-1"
RESERVED = 6
"""Two drop entries, the entry for discovery probes, and the three entries of the host's port."""
TOPOLOGY: dict[str, Any] = {
    "switches": [{"id": f"s{n}", "dpid": dpid(n)} for n in (1, 2)],
    "links": [{"a": "s1", "a_port": 1, "b": "s2", "b_port": 1}],
    "hosts": [
        {"id": "h1", "switch": "s1", "port": 3, "ip": "fd00::1", "mac": "02:00:00:00:00:01"},
        {"id": "h2", "switch": "s2", "port": 3, "ip": "fd00::2", "mac": "02:00:00:00:00:02"},
    ],
}
OLD = [entry("ff0e:4::/32", 18, output(3)), *(entry(f"ff0e:5:{n}::/48", 34, output(3)) for n in range(1, 20))]
NEW = [entry("ff0e:4::/40", 26, output(3)), *(entry(f"ff0e:6:{n}::/48", 34, output(3)) for n in range(1, 20))]


@pytest.fixture(scope="module")
def controller(run_dir: Path, way: str) -> Iterator[Controller]:
    with running(run_dir, *(() if way == "bundles" else ("--no-bundles",))) as started:
        yield started


@pytest.fixture(scope="module")
def fabric(run_dir: Path, controller: Controller) -> Iterator[Fabric]:
    with Fabric(
        run_dir / f"f{controller.openflow}", TOPOLOGY, [controller.target], links="joined"
    ) as started:
        link = [dpid(1), 1, dpid(2), 1]
        controller.call("PUT", "/v1/topology", {"id": "declared", "links": [link], "edges": []})
        yield started


@pytest.fixture(autouse=True)
def clean(fabric: Fabric, controller: Controller) -> Iterator[None]:
    controller.await_switches(dpid(1), dpid(2))
    for n in (1, 2):
        address = f"/v1/switches/{dpid(n)}/entries"
        assert eventually(lambda address=address: controller.get(address)["reserved"] == RESERVED)
    yield
    for name in ("s1", "s2"):
        fabric.ofctl(name, "del-flows", CONTENT)
        fabric.ofctl(name, "del-flows", "cookie=0x99/-1")
        fabric.set_capacity(name, None)
    # The next test adds the same entries: the controller must know that no foreign entry is left.
    assert eventually(lambda: [row["foreign"] for row in controller.get("/v1/counters")["tables"]] == [0, 0])


def test_open_vswitch_has_bundles(controller: Controller, way: str) -> None:
    supported = {"bundles" in switch["capabilities"] for switch in controller.get("/v1/switches")}
    assert supported == {way == "bundles"}


def test_large_changes_lead_to_the_same_tables(fabric: Fabric, controller: Controller) -> None:
    entries = many_entries(5000)
    body = {"id": "a", "order": "any", "switches": [{"dpid": dpid(n), "add": entries} for n in (1, 2)]}
    _, answer = controller.call("POST", "/v1/changes", body)
    assert [part["state"] for part in answer["switches"]] == ["confirmed", "confirmed"]
    assert controller.entries(dpid(1)) == controller.entries(dpid(2)) == ordered(entries)
    parts = [{"dpid": dpid(n), "add": NEW, "remove": [key(item) for item in entries]} for n in (1, 2)]
    assert all(result["removed"] for result in controller.change(*parts).values())
    assert controller.entries(dpid(1)) == controller.entries(dpid(2)) == ordered(NEW)


def test_a_full_table_names_what_found_no_room(fabric: Fabric, controller: Controller) -> None:
    fabric.set_capacity("s1", RESERVED + 700)
    result = controller.change({"dpid": dpid(1), "add": many_entries(1000)})[dpid(1)]
    assert [error["code"] for error in result["errors"]] == ["table_full"] * 300
    held = {item["dst"] for item in controller.entries(dpid(1))}
    assert (len(held), held & {error["dst"] for error in result["errors"]}) == (700, set())


def test_a_port_that_cannot_be_fails_alone(fabric: Fabric, controller: Controller) -> None:
    bad = entry("ff0e:7::/32", 18, output(0xFFFFFF00))
    result = controller.change({"dpid": dpid(1), "add": [*OLD, bad]})[dpid(1)]
    assert [(error["dst"], error["code"]) for error in result["errors"]] == [("ff0e:7::/32", "bad_out_port")]
    assert controller.entries(dpid(1)) == ordered(OLD)


def test_a_port_that_cannot_be_undoes_a_swap_or_ends_it(
    fabric: Fabric, controller: Controller, way: str
) -> None:
    controller.change({"dpid": dpid(1), "add": OLD})
    bad = entry("ff0e:7::/32", 18, output(0xFFFFFF00))
    part = {"dpid": dpid(1), "atomic": True, "add": [*NEW, bad], "remove": [key(item) for item in OLD]}
    result = controller.change(part)[dpid(1)]
    assert (result["state"], result["removed"]) == ("failed", False)
    assert (result["errors"][0]["dst"], result["errors"][0]["code"]) == ("ff0e:7::/32", "bad_out_port")
    undone = NEW if way == "bundles" else []
    assert {error["dst"] for error in result["errors"][1:]} == {item["dst"] for item in undone}
    assert controller.entries(dpid(1)) == ordered(OLD if way == "bundles" else [*OLD, *NEW])


def test_a_foreign_entry_among_many_stays(fabric: Fabric, controller: Controller) -> None:
    fabric.ofctl("s1", "add-flow", "cookie=0x99,priority=34,ipv6,ipv6_dst=ff0e:5:7::/48,actions=output:1")
    assert eventually(lambda: [row["foreign"] for row in controller.get("/v1/counters")["tables"]] == [1, 0])
    result = controller.change({"dpid": dpid(1), "add": OLD})[dpid(1)]
    assert [(error["dst"], error["code"]) for error in result["errors"]] == [
        ("ff0e:5:7::/48", "foreign_entry")
    ]
    assert len(controller.entries(dpid(1))) == len(OLD) - 1
    refused = controller.change({"dpid": dpid(1), "atomic": True, "add": [OLD[7]], "remove": [key(OLD[0])]})
    assert refused[dpid(1)]["state"] == "failed"
    assert OLD[0] in controller.entries(dpid(1))
    foreign = [flow for flow in fabric.dump_flows("s1") if flow.cookie == 0x99]
    assert [flow.actions for flow in foreign] == ["output:1"]


def test_a_table_as_large_as_its_limit_is_swapped_under_traffic(
    fabric: Fabric, controller: Controller, way: str
) -> None:
    """A change and its reversal, twenty times each, while events flow: no loss, and no refused entry."""
    controller.change({"dpid": dpid(2), "add": OLD})
    controller.change({"dpid": dpid(1), "add": [entry("ff0e:4::/32", 18, output(1))]})
    fabric.set_capacity("s2", RESERVED + len(OLD))
    _lose_nothing(fabric, controller, [_swap(old, new, way) for old, new in ((OLD, NEW), (NEW, OLD)) * 20])
    assert controller.entries(dpid(2)) == ordered(OLD)


HALVES = [entry("ff0e:4::/33", 19, output(3)), entry("ff0e:4:8000::/33", 19, output(3))]
WHOLE = [entry("ff0e:4::/32", 18, output(3))]


def test_a_full_table_of_entries_side_by_side_passes_through_the_drop_entry_under_traffic(
    fabric: Fabric, controller: Controller
) -> None:
    """The table is too full for the new entry or a wider one, and the old entry may not be removed first."""
    controller.change({"dpid": dpid(2), "add": WHOLE})
    controller.change({"dpid": dpid(1), "add": [entry("ff0e:4::/32", 18, output(1))]})
    fabric.set_capacity("s2", RESERVED + 1)
    places = ((WHOLE, HALVES[:1]), (HALVES[:1], WHOLE))
    _lose_nothing(fabric, controller, [_by_the_drop_entry(*place) for place in places * 20])
    table = controller.get(f"/v1/switches/{dpid(2)}/entries")
    assert (len(table["entries"]), table["missing"]) == (1, [])
    (drop,) = [flow for flow in fabric.dump_flows("s2") if flow.priority == 1 and "ipv6" in flow.match]
    assert drop.actions == "drop"


def _by_the_drop_entry(old: list[dict[str, Any]], new: list[dict[str, Any]]) -> dict[str, Any]:
    def rest(*actions: dict[str, Any]) -> dict[str, Any]:
        return {"rest": {"family": "ipv6", "actions": list(actions)}}

    steps = [{**rest(output(3)), "remove": [key(item) for item in old]}, {"add": new, **rest()}]
    return {"dpid": dpid(2), "limit": 1, "steps": steps}


def _lose_nothing(fabric: Fabric, controller: Controller, swaps: list[dict[str, Any]]) -> None:
    """Carry out changes of the second switch while events cross it: all arrive, once and in order."""
    ended = threading.Event()
    sending = threading.Semaphore(0)
    results: list[dict[str, Any]] = []

    def run() -> None:
        try:
            for part in swaps:
                assert sending.acquire(timeout=LIMIT_SECONDS), "no event in transit"
                results.append(controller.change(part)[dpid(2)])
        finally:
            ended.set()

    with FrameSocket(fabric.host_socket("h1")) as sender, FrameSocket(fabric.host_socket("h2")) as receiver:
        changing = threading.Thread(target=run)
        changing.start()
        sent = 0
        received: list[int] = []
        while not ended.is_set() or sent < 300:
            sender.send(_event(sent))
            sent += 1
            sending.release()
            received += _events(receiver, 0.002)
        changing.join()
        assert eventually(lambda: received.extend(_events(receiver, 0.1)) or len(received) >= sent)
    assert {(result["state"], result["removed"], result["detail"]) for result in results} == {
        ("confirmed", True, None)
    }
    assert len(results) == len(swaps)
    assert received == list(range(sent))


def _swap(old: list[dict[str, Any]], new: list[dict[str, Any]], way: str) -> dict[str, Any]:
    """Return one step with bundles; otherwise first the other entries, then the one that events match.

    The entry that all events match can be replaced only by adding before removing. So another entry is
    removed first and added again last.
    """
    part: dict[str, Any] = {"dpid": dpid(2), "atomic": True, "limit": len(old)}
    if way == "bundles":
        return {**part, "add": new, "remove": [key(item) for item in old]}
    steps: list[dict[str, Any]] = [{"remove": [key(old[-1])]}, {"add": [new[0]], "remove": [key(old[0])]}]
    for before, after in zip(old[1:-1], new[1:-1], strict=True):
        steps.append({"add": [after], "remove": [key(before)]})
    return {**part, "steps": [*steps, {"add": [new[-1]]}]}


def _event(number: int) -> bytes:
    """Return a frame with an IPv6 packet to a pub/sub address; its last four bytes are `number`."""
    ethernet = bytes.fromhex("33330000000702000000000186dd")
    ip = bytes.fromhex("60000000000c1140fd000000000000000000000000000001")
    udp = bytes.fromhex("ff0e00040000000000000000000000071ccd1ccd000c0000")
    return ethernet + ip + udp + number.to_bytes(4, "big")


def _events(receiver: FrameSocket, seconds: float) -> list[int]:
    """Return the numbers of the events that arrive within a time, without discovery frames."""
    found = []
    while (frame := receiver.recv(seconds)) is not None:
        if frame[12:14] == b"\x86\xdd":
            found.append(int.from_bytes(frame[-4:], "big"))
    return found
