"""Own entries that have no northbound form, and reserved ones that were removed by others."""

from __future__ import annotations

import pytest

from tests.support.controller.controller_harness import dpid, entry, many_entries, ordered, output

A = 0xA1
WIDE = 0xFF0E << 112


def look(controller) -> dict:
    return controller.get(f"/v1/switches/{dpid(A)}/entries")


def repair(controller) -> dict:
    status, body = controller.call("POST", f"/v1/switches/{dpid(A)}/repair")
    assert status == 200, body
    return body


def test_a_table_as_it_should_be_is_sent_nothing(network, controller) -> None:
    fake = network.add(A)
    controller.await_switches(dpid(A))
    entries = many_entries(20)
    controller.change({"dpid": dpid(A), "add": entries})
    before = fake.flow_mods
    found = look(controller)
    assert (found["missing"], found["unreadable"]) == ([], [])
    assert found["epoch"] == controller.get("/v1/switches")[0]["epoch"]
    done = repair(controller)
    assert (done["restored"], done["removed"], done["refused"]) == ([], [], [])
    assert fake.flow_mods == before
    assert controller.entries(dpid(A)) == ordered(entries)


def test_reserved_entries_that_are_gone_or_changed_are_named_and_put_back(network, controller) -> None:
    fake = network.add(A)
    controller.await_switches(dpid(A))
    (punt,) = fake.own(kind=4)
    good, punt.instructions = punt.instructions, b""
    (drop,) = [flow for flow in fake.own(kind=2) if 27 in flow.match]
    fake.take(drop)
    names = ["the drop entry for ff0e::/16", "the entry that sends discovery probes to the controller"]
    assert look(controller)["missing"] == names
    before = fake.flow_mods
    assert repair(controller)["restored"] == names
    assert fake.flow_mods == before + 2
    assert look(controller)["missing"] == []
    assert [flow.instructions for flow in fake.own(kind=4)] == [good]
    assert len(fake.own(kind=2)) == 2


def test_an_own_entry_that_no_key_says_is_removed_and_foreign_ones_stay(network, controller) -> None:
    fake = network.add(A)
    controller.await_switches(dpid(A))
    kept = entry("ff0e:4::/32", 18, output(1))
    controller.change({"dpid": dpid(A), "add": [kept]})
    foreign = fake.put(cookie=0x99, priority=40, dst=WIDE, length=16)
    strange = fake.put(cookie=0x7EC0A57E00000001, priority=41, dst=WIDE, length=16)
    strange.match_bytes = bytes.fromhex("0001000a80000a0286dd") + bytes(6)  # any IPv6 packet
    fake.take(strange)
    fake.insert(strange, {5: (0x86DD, 0xFFFF)})
    found = look(controller)
    assert found["unreadable"] == [{"table": 0, "priority": 41, "match": "0001000a80000a0286dd"}]
    assert found["strange"] == 1
    assert repair(controller)["removed"] == ["an entry with priority 41 in table 0"]
    assert look(controller)["unreadable"] == []
    assert foreign in fake.table
    assert controller.entries(dpid(A)) == [kept]


def test_what_is_refused_is_reported(network, controller) -> None:
    fake = network.add(A)
    controller.await_switches(dpid(A))
    for drop in fake.own(kind=2):
        fake.take(drop)
    fake.faults.refuse = lambda match: (5, 1) if 12 in match else None
    done = repair(controller)
    assert done["restored"] == ["the drop entry for ff0e::/16"]
    assert done["refused"] == ["the drop entry for 225.128.0.0/9: flow_mod_failed/table_full"]


def test_a_switch_that_is_not_there_cannot_be_repaired(controller) -> None:
    status, body = controller.call("POST", f"/v1/switches/{dpid(A)}/repair")
    assert (status, body["code"]) == (503, "switch_unreachable")


def test_a_switch_that_cannot_check_sources_drops_nothing_and_says_so(network, controller):
    """Without Open vSwitch's registers it refuses the entries; content and other reserved entries stay."""
    fake = network.add(A)
    controller.await_switches(dpid(A))
    before = fake.reserved
    source = {"port": 2, "ip": "fd00::1", "mac": "02:00:00:00:00:01"}
    check = {"dpid": dpid(A), "version": "v1", "check": True, "links": [1], "sources": [source]}
    for body in ({"switches": [check], "widen": True}, {"switches": [check]}):
        _, answer = controller.call("POST", "/v1/sources", body)
        (row,) = answer["switches"]
        assert row["state"] == "failed" and "source entry of fd00::1" in row["detail"]
    assert fake.reserved == before and fake.complaint is None
    (switch,) = [one for one in controller.get("/v1/switches") if one["dpid"] == dpid(A)]
    assert switch["sources"] == "v1"
    (problem,) = [text for text in switch["problems"] if "source check" in text]
    assert "ports 2, 3, 4" in problem and "bad_field" in problem
    assert "switch_problem" in controller.alarm_names()
    off = {"switches": [{"dpid": dpid(A), "version": "off", "check": False}]}
    assert controller.call("POST", "/v1/sources", off)[1]["switches"][0]["state"] == "confirmed"
    (switch,) = [one for one in controller.get("/v1/switches") if one["dpid"] == dpid(A)]
    assert switch["problems"] == [] and switch["sources"] == "off"
    assert "switch_problem" not in controller.alarm_names()


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"dpid": "1"}, "/switches/0/dpid"),
        ({"version": ""}, "/switches/0/version"),
        ({"check": 1}, "/switches/0/check"),
        ({"links": [0]}, "/switches/0/links/0"),
        ({"sources": [{"port": 1, "ip": "ff0e::1", "mac": "02:00:00:00:00:01"}]}, "/switches/0/sources/0/ip"),
        (
            {"sources": [{"port": 1, "ip": "fd00::1", "mac": "03:00:00:00:00:01"}]},
            "/switches/0/sources/0/mac",
        ),
        ({"widen": True}, "/switches/0/widen"),
    ],
)
def test_a_bad_check_is_refused_by_its_place(controller, change, pointer):
    good = {"dpid": dpid(A), "version": "v", "check": True, "links": [], "sources": []}
    status, body = controller.call("POST", "/v1/sources", {"switches": [{**good, **change}]})
    assert (status, body["errors"][0]["pointer"]) == (400, pointer)
