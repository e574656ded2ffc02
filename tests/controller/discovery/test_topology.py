"""The confirmed topology, as the northbound accepts it."""

from __future__ import annotations

import pytest

from controller_app.discovery.confirmed_topology import ConfirmedTopology, parse_topology
from tercast.errors import Refused
from tests.support.controller.controller_harness import dpid

A, B = dpid(1), dpid(2)
GOOD = {"id": "x", "links": [[B, 2, A, 1]], "edges": [[A, 3], [A, 3]]}


def test_a_topology_is_read_with_each_link_in_one_order_of_its_ends() -> None:
    topology = parse_topology(GOOD)
    assert topology == ConfirmedTopology("x", frozenset({((1, 1), (2, 2))}), frozenset({(1, 3)}))
    assert topology.to_json() == {"id": "x", "links": 1, "edges": 1}


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"id": None}, ("id",)),
        ({"id": ""}, ("id",)),
        ({"id": "x" * 101}, ("id",)),
        ({"links": {}}, ("links",)),
        ({"links": [[A, 1, B]]}, ("links", 0)),
        ({"links": [[A, 1, A, 1]]}, ("links", 0)),
        ({"links": [[A, 1, "2", 1]]}, ("links", 0, 2)),
        ({"links": [[A, 0, B, 1]]}, ("links", 0, 1)),
        ({"edges": [[A, 1 << 32]]}, ("edges", 0, 1)),
        ({"edges": [[A]]}, ("edges", 0)),
        ({"edges": [A]}, ("edges", 0)),
        ({"more": 1}, ("more",)),
    ],
)
def test_anything_else_is_refused_with_its_place(change, path) -> None:
    with pytest.raises(Refused) as refusal:
        parse_topology({**GOOD, **change})
    assert refusal.value.path == path


def test_there_is_a_limit_of_rows(monkeypatch) -> None:
    monkeypatch.setattr("controller_app.discovery.confirmed_topology.MOST_ROWS", 2)
    with pytest.raises(Refused, match="at most 2"):
        parse_topology({**GOOD, "edges": [[A, 1]] * 3})
