"""What-if for a budget that only immediate merging meets, not the merges of a method.

The trees of the scenario have different links.
"""

import pytest

from controlplane.aggregation import compute
from tercast.encoding.limits import Limits
from tercast.eventspace.address_plan import AddressPlan
from tercast.eventspace.topic import Topic
from tercast.planner.planner import Planner
from tercast.topology.reader import read_topology

ADDRESS = AddressPlan.from_json({"family": "ipv6", "prefix": "ff0e::/16", "topic_bits": 16}, ())
HEAT = {"name": "heat", "code": 4, "attributes": [{"name": "low", "type": "int", "min": 0, "max": 15}]}
MAC = "02:00:00:00:00:0"
EVENTS = [{"publisher": f"a{low // 4}", "values": {"low": low}} for low in range(16)] * 8


@pytest.fixture
def ring():
    """Four switches in a ring; the regions between the entries of s3 belong to trees with other links."""
    numbers = range(4)
    network = {
        "switches": [{"id": f"s{n}", "dpid": f"{n + 1:016x}"} for n in numbers],
        "links": [{"a": f"s{n}", "a_port": 1, "b": f"s{(n + 1) % 4}", "b_port": 2} for n in numbers],
        "hosts": [
            {
                "id": f"h{n}",
                "switch": f"s{n}",
                "port": 3,
                "ip": f"fd00::{n + 1}",
                "mac": f"02:00:00:00:00:0{n}",
            }
            for n in numbers
        ],
    }
    planner = Planner(ADDRESS, Limits(), read_topology(network, ADDRESS.family), [Topic.from_json(HEAT)])
    rows = [
        ("advertise", "a0", "h3", "low < 4"),
        ("advertise", "a1", "h1", "low in [4, 7]"),
        ("advertise", "a2", "h1", "low in [8, 11]"),
        ("advertise", "a3", "h3", "low >= 12"),
        ("subscribe", "q0", "h3", "low = 5"),
        ("subscribe", "q1", "h3", "low = 0"),
        ("subscribe", "q2", "h2", "low = 2"),
        ("subscribe", "q3", "h3", "low = 11"),
    ]
    for op, name, host, text in rows:
        assert planner.apply({"op": op, "id": name, "host": host, "topic": "heat", "filter": text}).ok
    return planner


@pytest.mark.parametrize("method", ["la", "fa-lb", "fa-pb", "optimal"])
def test_a_budget_that_merging_at_once_holds_is_met_whatever_the_method(ring, method):
    answer = compute.what_if(ring, method, EVENTS, 1.0, {"s3": 3})
    (row,) = (row for row in answer["switches"] if row["switch"] == "s3")
    assert answer["unmet"] == [] and (row["exact"], row["before"], row["after"]) == (4, 4, 3)


@pytest.mark.parametrize("method", ["fa-lb", "fa-pb", "optimal"])
def test_a_curve_has_every_budget_that_holds(ring, method):
    budgets = [4, 0, 2, 3, 5, 3]
    covers = ring.snapshot()
    points = compute.budget_curve(ring, "s3", method, EVENTS, budgets)
    assert [point["budget"] for point in points] == budgets
    for point in points:
        answer = compute.what_if(Planner.restore(covers), method, EVENTS, 1.0, {"s3": point["budget"]})
        (row,) = (row for row in answer["switches"] if row["switch"] == "s3")
        held = not answer["unmet"]
        assert (point["entries"] is not None, point["needless"] is not None) == (held, held)
        assert point["entries"] in (None, row["after"])
    assert next(point["entries"] for point in points if point["budget"] == 3) == 3
