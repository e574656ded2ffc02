"""Loading an empty network part by part does not process the whole network for each part."""

import pytest

from tercast.eventspace.address_plan import AddressPlan
from tercast.planner.planner import Planner
from tercast.topology.importers import read_topology
from tercast.topology.topology import Topology

TOPIC = {"name": "t", "code": 0, "attributes": [{"name": "x", "type": "int", "min": 0, "max": 7}]}


@pytest.fixture
def looks(monkeypatch):
    calls = []
    edges = Topology.edges
    monkeypatch.setattr(Topology, "edges", lambda self: calls.append(1) or edges(self))
    return calls


def requests():
    file = b"".join(b"s%d s%d 1\n" % (n, n + 1) for n in range(40))
    topology = read_topology(file, hosts_per_switch=1).topology
    for part, kind in (("switches", "switch"), ("links", "link"), ("hosts", "host")):
        for row in topology[part]:
            row = {key: row[key] for key in row if key not in ("name", "lat", "lon")}
            yield {"op": f"add_{kind}", kind: row}


def test_loading_looks_once_and_gives_the_same_tables(looks):
    planner = Planner(AddressPlan.default("ipv6"))
    looks.clear()
    assert planner.apply({"op": "add_switch", "switch": {"id": "first", "dpid": f"{1 << 60:016x}"}}).ok
    assert planner.counts() == {"first": 0}  # one pass
    for request in requests():
        outcome = planner.apply(request)
        assert outcome.ok and not outcome.failed_switches
        assert not planner.take_diff()
    assert planner.apply({"op": "add_topic", "topic": TOPIC}).ok
    assert len(looks) == 1
    assert planner.apply({"op": "advertise", "id": "a1", "host": "h-s0-1", "topic": "t", "filter": "true"}).ok
    assert planner.apply(
        {"op": "subscribe", "id": "q1", "host": "h-s40-1", "topic": "t", "filter": "true"}
    ).ok
    assert len(looks) == 2
    assert set(planner.counts().values()) == {0, 1}


def test_a_dry_run_of_a_whole_network_looks_a_few_times(looks):
    planner = Planner(AddressPlan.default("ipv6"))
    looks.clear()
    run = planner.dry_run(list(requests()))
    assert all(outcome.ok for outcome in run.outcomes) and len(run.outcomes) == 122
    assert len(looks) <= 4


def test_exceeded_budgets_are_reported_as_soon_as_entries_exist():
    planner = Planner(AddressPlan.default("ipv6"))
    planner.apply_all(requests())
    planner.apply({"op": "add_topic", "topic": TOPIC})
    planner.apply({"op": "advertise", "id": "a1", "host": "h-s0-1", "topic": "t", "filter": "true"})
    planner.apply({"op": "subscribe", "id": "q1", "host": "h-s9-1", "topic": "t", "filter": "true"})
    planner.enforce_budgets = False
    assert planner.apply({"op": "set_budget", "switch": "s5", "tcam_budget": 0}).failed_switches == ("s5",)
    planner.enforce_budgets = True
    outcome = planner.apply({"op": "link_down", "switch": "s20", "port": 1})
    assert outcome.ok and outcome.failed_switches == ("s5",)
