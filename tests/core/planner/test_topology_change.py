"""Switches, links, hosts and topics that are added, removed and moved during live requests."""

from typing import Any

import pytest

from tercast.planner.planner import Planner
from tercast.topology.elements import Attachment
from tests.support.kernel_modes import kernels  # noqa: F401 - runs all tests in both modes
from tests.support.networks import (
    advertise,
    example,
    host,
    link,
    planner_for,
    planner_of,
    subscribe,
    topology,
)


def ring() -> Planner:
    """Three switches in a ring, a publisher at the first, a subscriber with a standby at the others."""
    links = [link("s1", 1, "s2", 2), link("s2", 1, "s3", 2), link("s3", 1, "s1", 2)]
    hosts = [host("p", "s1", 9, 1), host("h", "s2", 9, 2, [("s3", 9), ("s1", 8)])]
    return planner_for(topology(3, links, hosts))


def served_at(planner: Planner) -> list[str]:
    """The switches that deliver events to host h."""
    return [
        f"{switch}:{port}"
        for switch, table in planner.tables().items()
        for entry in table
        for port in [entry.to_json()["actions"][-1]["output"]]  # type: ignore[index]
        if "set_dst" in str(entry.to_json())
    ]


def test_standby_attachments_take_over_in_their_order() -> None:
    planner = ring()
    planner.apply_all([advertise("a", "p", ""), subscribe("q", "h", "0")])
    assert served_at(planner) == ["s2:9"]
    planner.apply({"op": "switch_down", "switch": "s2"})
    assert served_at(planner) == ["s3:9"]
    planner.apply({"op": "link_down", "switch": "s3", "port": 9})
    assert served_at(planner) == ["s1:8"]
    planner.apply({"op": "link_down", "switch": "s1", "port": 8})
    assert planner.tables() == {}
    assert planner.unreachable() == [("a", "q")]
    planner.apply({"op": "switch_up", "switch": "s2"})
    assert served_at(planner) == ["s2:9"]
    assert planner.unreachable() == []


def test_a_host_moves_and_takes_its_requests_along() -> None:
    planner = ring()
    planner.apply_all([advertise("a", "p", ""), subscribe("q", "h", "0")])
    planner.apply({"op": "host_move", "host": "h", "switch": "s3", "port": 7})
    assert served_at(planner) == ["s3:7"]
    planner.apply(
        {"op": "host_move", "host": "h", "switch": "s3", "port": 9}
    )  # at the place of its former standby
    assert served_at(planner) == ["s3:9"]
    assert [place.port for place in planner.topology.hosts["h"].attachments] == [9, 8]
    planner.apply({"op": "host_move", "host": "p", "switch": "s3", "port": 6})
    assert list(planner.tables()) == ["s3"]


@pytest.mark.parametrize("index", [0, 1])
def test_a_standby_stays_when_the_host_moves_to_it_and_away(index: int) -> None:
    planner = ring()
    planner.apply_all([advertise("a", "p", ""), subscribe("q", "h", "0")])
    standby = [("s3", 9), ("s1", 8)]
    switch, port = standby[index]
    planner.apply({"op": "host_move", "host": "h", "switch": switch, "port": port})
    restored = Planner.restore(planner.snapshot())
    assert restored.snapshot() == planner.snapshot()
    move = {"op": "host_move", "host": "h", "switch": "s2", "port": 7}
    down = {"op": "link_down", "switch": "s2", "port": 7}
    tried = planner.dry_run([move, down])
    assert [outcome.ok for outcome in tried.outcomes] == [True, True]
    for one in (planner, restored):
        refused = one.apply({"op": "add_link", "link": link("s2", 30, switch, port)})
        assert refused.reason is not None and refused.reason.code == "port_in_use"
        one.apply(move)
        assert served_at(one) == ["s2:7"]
        one.apply(down)
        assert served_at(one) == ["s3:9"]
        one.apply({"op": "switch_down", "switch": "s3"})
        assert served_at(one) == ["s1:8"]
        assert list(planner.topology.hosts["h"].standby) == [Attachment(*place) for place in standby]
    assert restored.snapshot() == planner.snapshot()


def test_a_standby_that_the_host_is_at_is_one_attachment() -> None:
    planner = ring()
    planner.apply_all([advertise("a", "p", ""), subscribe("q", "h", "0")])
    planner.apply({"op": "host_move", "host": "h", "switch": "s3", "port": 9})
    planner.apply({"op": "link_down", "switch": "s3", "port": 9})
    assert served_at(planner) == ["s1:8"]
    planner.apply_all([{"op": "unsubscribe", "id": "q"}, {"op": "remove_host", "host": "h"}])
    assert set(planner.topology.attached) == {("s1", 9)}


def test_a_host_on_a_switch_that_no_link_mentions() -> None:
    planner = planner_for(
        topology(2, [], [host("p", "s1", 9, 1), host("h", "s2", 9, 2), host("x", "s2", 8, 3)])
    )
    planner.apply_all([subscribe("q", "h", "0"), advertise("a", "p", ""), advertise("b", "x", "00")])
    assert list(planner.tables()) == ["s2"]
    assert planner.unreachable() == [("a", "q")]
    assert planner.pending() == []


def test_parts_of_the_network_come_and_go() -> None:
    planner = planner_for({"switches": [], "links": [], "hosts": []})
    switches = [{"id": name, "dpid": f"{i:016x}"} for i, name in enumerate(("s1", "s2"), 1)]
    steps: list[dict[str, Any]] = [{"op": "add_switch", "switch": switch} for switch in switches]
    steps += [
        {"op": "add_host", "host": host("p", "s1", 9, 1)},
        {"op": "add_host", "host": host("h", "s2", 9, 2)},
    ]
    steps += [advertise("a", "p", ""), subscribe("q", "h", "0")]
    assert all(outcome.ok for outcome in planner.apply_all(steps))
    assert planner.unreachable() == [("a", "q")]
    assert planner.apply({"op": "add_link", "link": link("s1", 1, "s2", 1)}).ok
    assert served_at(planner) == ["s2:9"]
    assert planner.apply({"op": "remove_link", "switch": "s2", "port": 1}).ok
    assert planner.unreachable() == [("a", "q")]
    for op, name, needle in (
        ("remove_host", {"host": "h"}, "q"),
        ("remove_switch", {"switch": "s2"}, "h"),
        ("remove_topic", {"topic": "a"}, "a"),
    ):
        before = planner.snapshot()
        outcome = planner.apply({"op": op, **name})
        assert outcome.reason is not None
        assert outcome.reason.code == "in_use"
        assert f'"{needle}"' in outcome.reason.detail
        assert {**planner.snapshot(), "applied": 0} == {**before, "applied": 0}
    steps = [{"op": "unsubscribe", "id": "q"}, {"op": "unadvertise", "id": "a"}]
    steps += [{"op": "remove_host", "host": name} for name in ("h", "p")]
    steps += [{"op": "remove_switch", "switch": name} for name in ("s1", "s2")]
    steps += [{"op": "remove_topic", "topic": name} for name in ("a", "b")]
    assert all(outcome.ok for outcome in planner.apply_all(steps))
    assert planner.counts() == {}
    assert planner.snapshot()["topology"] == {"switches": [], "links": [], "hosts": []}


def test_a_port_serves_another_purpose_after_its_link_has_gone() -> None:
    planner = ring()
    planner.apply_all([advertise("a", "p", ""), subscribe("q", "h", "0")])
    planner.apply_all(
        [
            {"op": "remove_link", "switch": "s1", "port": 1},
            {"op": "host_move", "host": "h", "switch": "s1", "port": 1},
        ]
    )
    assert served_at(planner) == ["s1:1"]
    assert 1 not in planner.network.sites["s1"].link_bits
    planner.take_diff()
    planner.apply(
        {"op": "add_topic", "topic": {"name": "c", "code": 9, "attributes": [{"name": "x", "type": "bool"}]}}
    )
    planner.apply_all([advertise("a2", "p", "", topic="c"), subscribe("q2", "h", "1", topic="c")])
    assert [entry.dst for entry in planner.table("s1")] == ["ff0e:4::/33", "ff0e:9:8000::/33"]


def two_attributes() -> Planner:
    """The example with a second attribute."""
    scenario = example()
    scenario["topics"][0]["attributes"].append({"name": "high", "type": "int", "min": 0, "max": 1023})
    planner = planner_of(scenario)
    planner.apply_all(scenario["requests"])
    return planner


def test_indexed_attributes_change_on_a_live_topic() -> None:
    planner = two_attributes()
    before = planner.tables()
    planner.take_diff()
    assert planner.apply({"op": "set_indexed", "topic": "quotes", "indexed": ["high"]}).ok
    assert [entry.dst for entry in planner.table("s1")] == ["ff0e:4::/32"]
    assert planner.take_diff().apply(before) == planner.tables()
    assert planner.apply({"op": "set_indexed", "topic": "quotes", "indexed": ["low"]}).ok
    assert planner.tables() == before
    assert planner.topics["quotes"].indexed == ("low",)
    assert planner.apply({"op": "unsubscribe", "id": "q1"}).ok
    assert planner.tables() == {}


def test_what_came_as_dz_alone_cannot_be_encoded_again() -> None:
    planner = two_attributes()
    planner.apply(subscribe("q2", "h2", "01", topic="quotes"))
    before = planner.snapshot()
    outcome = planner.apply({"op": "set_indexed", "topic": "quotes", "indexed": ["high"]})
    assert outcome.reason is not None
    assert '"q2"' in outcome.reason.detail
    assert {**planner.snapshot(), "applied": 0} == {**before, "applied": 0}


def test_a_subscription_waits_until_something_overlaps_it() -> None:
    planner = ring()
    assert planner.apply(subscribe("q", "h", "0")).matched is False
    assert planner.pending() == ["q"]
    assert planner.tables() == {}
    planner.apply(advertise("a", "p", "1"))
    assert planner.pending() == ["q"]
    planner.apply(advertise("b", "p", "011"))
    assert planner.pending() == []
    assert [entry.dst for entry in planner.table("s2")] == ["ff0e:4:6000::/35"]
    assert planner.apply(subscribe("q2", "h", "01")).matched is True
    planner.apply({"op": "unadvertise", "id": "b"})
    assert planner.pending() == ["q", "q2"]


BAD: list[tuple[dict[str, Any], str, str]] = [
    ({"op": "subscribe", "id": "q9", "host": "nobody", "topic": "a", "dz": [""]}, "host", "unknown_host"),
    ({"op": "subscribe", "id": "q9", "host": "h", "topic": "z", "dz": [""]}, "topic", "unknown_topic"),
    ({"op": "subscribe", "id": "q", "host": "h", "topic": "a", "dz": [""]}, "id", "duplicate"),
    ({"op": "subscribe", "id": "q9", "host": "h", "topic": "a", "dz": []}, "dz", "bad_count"),
    ({"op": "subscribe", "id": "q9", "host": "h", "topic": "a", "dz": ["0", "2"]}, "dz[1]", "not_a_dz"),
    ({"op": "subscribe", "id": "q9", "host": "h", "topic": "a", "dz": ["00000"]}, "dz[0]", "dz_too_long"),
    ({"op": "subscribe", "id": "q9", "host": "h", "topic": "a", "filter": "y < 3"}, "filter", ""),
    ({"op": "subscribe", "id": "q9", "host": "h", "topic": "a"}, "filter", "missing_key"),
    ({"op": "subscribe", "id": "q9", "host": "h", "topic": "a", "filter": "", "x": 1}, "x", "unknown_key"),
    ({"op": "subscribe", "id": "", "host": "h", "topic": "a", "filter": ""}, "id", "bad_name"),
    ({"op": "unsubscribe", "id": "a"}, "id", "wrong_kind"),
    ({"op": "unadvertise", "id": "nothing"}, "id", "unknown_id"),
    ({"op": "link_down", "switch": "s1", "port": 77}, "port", "unknown_port"),
    ({"op": "link_down", "switch": "s7", "port": 1}, "switch", "unknown_switch"),
    ({"op": "link_down", "switch": "s1", "port": True}, "port", "wrong_type"),
    ({"op": "switch_up", "switch": "s7"}, "switch", "unknown_switch"),
    ({"op": "host_move", "host": "h", "switch": "s1", "port": 1}, "port", "port_in_use"),
    ({"op": "host_move", "host": "g", "switch": "s1", "port": 5}, "host", "unknown_host"),
    ({"op": "set_budget", "switch": "s1", "tcam_budget": -1}, "tcam_budget", "out_of_range"),
    ({"op": "set_budget", "switch": "s1", "tcam_budget": 1.5}, "tcam_budget", "wrong_type"),
    ({"op": "set_indexed", "topic": "a", "indexed": ["y"]}, "indexed[0]", "unknown_attribute"),
    ({"op": "set_indexed", "topic": "a", "indexed": []}, "indexed", "empty"),
    ({"op": "add_switch", "switch": {"id": "s4", "dpid": "1"}}, "switch.dpid", "bad_dpid"),
    ({"op": "add_switch", "switch": {"id": "s4", "dpid": "0000000000000001"}}, "switch.dpid", "duplicate"),
    ({"op": "add_link", "link": link("s1", 4, "s9", 1)}, "link.b", "unknown_switch"),
    ({"op": "add_host", "host": host("g", "s1", 5, 2)}, "host.ip", "duplicate"),
    ({"op": "remove_link", "switch": "s1", "port": 9}, "port", "unknown_port"),
    ({"op": "remove_host", "host": "g"}, "host", "unknown_host"),
    ({"op": "dance"}, "op", "unknown_operation"),
    ({}, "op", "missing_key"),
]


@pytest.mark.parametrize(("request_", "path", "code"), BAD)
def test_what_cannot_be_is_refused_by_name_and_changes_nothing(
    request_: dict[str, Any], path: str, code: str
) -> None:
    planner = ring()
    planner.apply_all([advertise("a", "p", ""), subscribe("q", "h", "0")])
    before = planner.snapshot()
    outcome = planner.apply(request_)
    assert outcome.reason is not None
    assert str(outcome.reason).startswith(f"{path}: ")
    assert code in ("", outcome.reason.code)
    assert {**planner.snapshot(), "applied": 2} == before
