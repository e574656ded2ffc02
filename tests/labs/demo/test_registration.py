"""Every field of a topology file reaches the control plane when the demo registers it."""

from types import SimpleNamespace

from mininet_labs.demo.registration import register
from mininet_labs.topologies import load

STANDBY = [{"switch": "den", "port": 40}, {"switch": "atl", "port": 41}]


def test_register_sends_every_field():
    sent = {}

    def add_missing(path, rows, key):
        sent[path] = rows
        assert all(field in row for row in rows for field in key)

    topology = load("abilene")
    topology["hosts"][0]["standby"] = STANDBY
    topology["links"][0]["cost"] = 3
    register(SimpleNamespace(add_missing=add_missing), topology)
    assert list(sent) == ["/api/v1/switches/", "/api/v1/links/", "/api/v1/hosts/"]
    assert sent["/api/v1/hosts/"][0]["standby"] == STANDBY
    assert sent["/api/v1/links/"] == topology["links"]
    switch = sent["/api/v1/switches/"][0]
    assert switch == {
        **{"name": "sea", "label": "Seattle", "dpid": f"{1:016x}", "tcam_budget": 1000},
        **{"latitude": topology["switches"][0]["lat"], "longitude": topology["switches"][0]["lon"]},
    }
