"""Publishers and subscribers on one port: one copy back to each subscriber, none to others."""

from typing import Any

from tercast.planner.planner import Planner
from tests.support.networks import advertise, host, link, planner_for, subscribe, topology


def shared_port() -> Planner:
    """Hosts x, y, z on one port of s1, one host at another port, one beyond a link."""
    hosts = [host(name, "s1", 5, i) for i, name in enumerate("xyz", 1)]
    hosts += [host("near", "s1", 6, 4), host("far", "s2", 5, 5)]
    return planner_for(topology(2, [link("s1", 1, "s2", 1)], hosts))


def entries(planner: Planner, switch: str) -> list[tuple[str, Any, list[Any]]]:
    return [
        (entry.dst, entry.in_port, [next(iter(action.to_json().values())) for action in entry.actions])
        for entry in planner.table(switch)
    ]


def test_a_publisher_gets_its_own_matching_events_back() -> None:
    planner = shared_port()
    planner.apply_all([advertise("a", "x", "0"), subscribe("q", "x", "00")])
    assert entries(planner, "s1") == [("ff0e:4::/34", 5, ["x", "in_port"])]


def test_each_subscriber_on_the_port_gets_one_copy() -> None:
    planner = shared_port()
    planner.apply_all([advertise("a", "x", ""), subscribe("q1", "y", "0"), subscribe("q2", "x", "00")])
    assert entries(planner, "s1") == [
        ("ff0e:4::/33", 5, ["y", "in_port"]),
        ("ff0e:4::/34", 5, ["x", "in_port", "y", "in_port"]),
    ]


def test_entries_with_an_in_port_also_say_what_the_plain_ones_say() -> None:
    planner = shared_port()
    planner.apply_all(
        [
            advertise("a", "x", "0"),
            subscribe("q1", "y", "0"),
            subscribe("q2", "far", "00"),
            subscribe("q3", "near", "000"),
        ]
    )
    alone = [
        ("ff0e:4::/33", 5, ["y", "in_port"]),
        ("ff0e:4::/34", 5, [1, "y", "in_port"]),
        ("ff0e:4::/35", 5, [1, "near", 6, "y", "in_port"]),
    ]
    assert entries(planner, "s1") == alone
    planner.apply(advertise("b", "far", "0"))
    assert entries(planner, "s1") == [
        ("ff0e:4::/33", None, ["y", 5]),
        ("ff0e:4::/35", None, ["y", 5, "near", 6]),
        *alone,
    ]
    plain = [entry.priority for entry in planner.table("s1") if entry.in_port is None]
    above = [entry.priority for entry in planner.table("s1") if entry.in_port is not None]
    assert max(plain) < min(above)
    planner.apply({"op": "unadvertise", "id": "b"})
    assert entries(planner, "s1") == alone


def test_plain_entries_stand_beside_where_nobody_on_the_port_subscribes() -> None:
    planner = shared_port()
    planner.apply_all([advertise("a", "x", ""), subscribe("q1", "y", "00"), subscribe("q2", "far", "0")])
    assert entries(planner, "s1") == [
        ("ff0e:4::/33", None, [1]),
        ("ff0e:4::/34", 5, [1, "y", "in_port"]),
    ]


def test_no_plain_output_to_a_port_where_all_publishers_are() -> None:
    planner = shared_port()
    planner.apply_all([advertise("a1", "x", ""), advertise("a2", "z", ""), subscribe("q1", "y", "1")])
    assert [in_port for _, in_port, _ in entries(planner, "s1")] == [5]
    planner.apply(advertise("a3", "far", "11"))
    assert entries(planner, "s1") == [
        ("ff0e:4:c000::/34", None, ["y", 5]),
        ("ff0e:4:8000::/33", 5, ["y", "in_port"]),
    ]


def test_in_port_appears_nowhere_else() -> None:
    planner = shared_port()
    planner.apply_all([advertise("a", "near", ""), *(subscribe(f"q{h}", h, "") for h in ("x", "y", "far"))])
    assert [in_port for _, in_port, _ in entries(planner, "s1")] == [None]
    planner.apply({"op": "host_move", "host": "near", "switch": "s1", "port": 5})
    assert [in_port for _, in_port, _ in entries(planner, "s1")] == [5]
    planner.apply({"op": "host_move", "host": "near", "switch": "s2", "port": 6})
    assert [in_port for _, in_port, _ in entries(planner, "s1")] == [None]
