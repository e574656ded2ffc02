"""`/metrics` of the controller: events of switches and changes, in the format of Prometheus."""

from __future__ import annotations

from tests.support.controller.controller_harness import (
    Controller,
    dpid,
    entry,
    eventually,
    key,
    output,
)
from tests.support.controller.fake_switch import TABLE_FULL, FakeNetwork
from tests.support.controller.scraped_metrics import Samples, scrape, value

A, B = 0xA1, 0xB2
GOOD = entry("ff0e:4::/32", 18, output(1))
BAD = entry("ff0e:5::/32", 18, output(1))


def more(before: Samples, after: Samples, name: str, **labels: str) -> float:
    """Return the growth of a counter."""
    return (value(after, name, **labels) or 0) - (value(before, name, **labels) or 0)


def test_it_asks_for_the_token(controller: Controller) -> None:
    assert controller.call("GET", "/metrics", token=None)[0] == 401
    assert controller.call("GET", "/metrics?x=1")[0] == 400


def test_changes_refusals_and_reconnects_are_counted(network: FakeNetwork, controller: Controller) -> None:
    network.add(A)
    controller.await_switches(dpid(A))
    before = scrape(controller)
    assert value(before, "switches") == 1
    assert value(before, "switch_connections_total", dpid=dpid(A)) == 1
    assert value(before, "switch_reconnects_total", dpid=dpid(A)) is None

    assert controller.change({"dpid": dpid(A), "add": [GOOD]})[dpid(A)]["state"] == "confirmed"
    network.switches[0].faults.refuse = lambda match: TABLE_FULL
    assert controller.change({"dpid": dpid(A), "add": [BAD]})[dpid(A)]["state"] == "failed"
    network.switches[0].faults.refuse = lambda match: None
    assert controller.change({"dpid": dpid(A), "remove": [key(GOOD)]})[dpid(A)]["removed"]
    samples = scrape(controller)
    assert value(samples, "flow_mods_total", dpid=dpid(A), kind="add", state="confirmed") == 1
    assert value(samples, "flow_mods_total", dpid=dpid(A), kind="add", state="failed") == 1
    assert value(samples, "flow_mods_total", dpid=dpid(A), kind="remove", state="confirmed") == 1
    assert value(samples, "refused_entries_total", dpid=dpid(A), code="table_full") == 1
    assert more(before, samples, "changes_total", state="confirmed") == 2
    assert more(before, samples, "changes_total", state="failed") == 1
    assert more(before, samples, "change_seconds_count") == 3
    errors = value(samples, "openflow_errors_total", dpid=dpid(A), type="flow_mod_failed", code="table_full")
    assert (errors or 0) >= 1

    network.switches[0].stop()
    assert eventually(lambda: value(scrape(controller), "switch_disconnects_total", dpid=dpid(A)) == 1)
    assert value(scrape(controller), "switches") == 0
    network.add(A)
    assert eventually(lambda: value(scrape(controller), "switch_reconnects_total", dpid=dpid(A)) == 1)


def test_alarms_and_tables_are_reported(network: FakeNetwork, controller: Controller) -> None:
    network.add(B)
    controller.await_switches(dpid(B))
    controller.change({"dpid": dpid(B), "add": [GOOD]})
    assert eventually(lambda: value(scrape(controller), "table_entries", dpid=dpid(B)) == 1)
    assert value(scrape(controller), "alarms", alarm="duplicate_dpid") is None
    network.add(B)
    assert eventually(lambda: value(scrape(controller), "alarms", alarm="duplicate_dpid") == 1)
