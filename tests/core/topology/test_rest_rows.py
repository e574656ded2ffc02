"""Entries of a topology file as rows of the REST API: no field is lost."""

from dataclasses import fields

import pytest

from tercast.topology.elements import Host, Link, Switch
from tercast.topology.reader import read_topology
from tercast.topology.rest_rows import LEARNT, api_row

FULL = {
    "switches": [
        {
            **{"id": "s1", "dpid": f"{1:016x}", "tcam_budget": 600, "name": "Seattle", "lat": 47.6},
            **{"lon": -122.3, "reserve": 1, "capacity": 600, "declared": 900},
        },
        {"id": "s2", "dpid": f"{2:016x}", "tcam_budget": None},
    ],
    "links": [{"a": "s1", "a_port": 1, "b": "s2", "b_port": 2, "cost": 7}],
    "hosts": [
        {
            **{"id": "h1", "switch": "s1", "port": 3, "ip": "fd00::1", "mac": "02:00:00:00:00:01"},
            "standby": [{"switch": "s2", "port": 4}, {"switch": "s1", "port": 5}],
        }
    ],
}


def test_the_example_has_every_field_of_the_format():
    """A new field of the format must be added to this test, and so to the rows."""
    read_topology(FULL, "ipv6")
    assert FULL["switches"][0].keys() == {field.name for field in fields(Switch)} | {"name", "lat", "lon"}
    assert FULL["links"][0].keys() == {field.name for field in fields(Link)}
    place = {"primary": {"switch", "port"}}
    assert FULL["hosts"][0].keys() == {
        key for field in fields(Host) for key in place.get(field.name, {field.name})
    }


def test_every_field_is_kept():
    assert api_row("switches", FULL["switches"][0]) == {
        **{"name": "s1", "dpid": f"{1:016x}", "tcam_budget": 900, "label": "Seattle"},
        **{"latitude": 47.6, "longitude": -122.3},
    }
    assert api_row("switches", FULL["switches"][1]) == {"name": "s2", "dpid": f"{2:016x}"}
    assert api_row("links", FULL["links"][0]) == FULL["links"][0]
    host = dict(FULL["hosts"][0])
    assert api_row("hosts", FULL["hosts"][0]) == {"name": host.pop("id"), **host}


@pytest.mark.parametrize("part", ["switches", "links", "hosts"])
def test_a_field_that_nobody_knows_is_not_dropped(part):
    """The API refuses an unknown field by name, which is better than losing it."""
    row = {**FULL[part][0], "colour": "red"}
    assert api_row(part, row)["colour"] == "red"
    assert LEARNT.isdisjoint(api_row(part, row))
