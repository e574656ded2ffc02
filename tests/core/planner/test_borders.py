"""Borders: stub switches that are verified and not deployed, and the cells of neighbours."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercast.planner.planner import Planner
from tercast.tables.entries import Diff, SwitchDiff
from tercast.topology.borders import add_border
from tercast.topology.topology import Topology
from tercast.verification.verifier import Verifier, verify
from tests.property_profiles import examples
from tests.support.networks import advertise, host, link, planner_for, subscribe, topology

BORDERS = [("s1", 9), ("s2", 9)]
NETWORK = topology(2, [link("s1", 1, "s2", 1)], [host("h1", "s1", 2, 1), host("h2", "s2", 2, 2)])


def external(
    kind: str, add: list[str], remove: tuple[str, ...] = (), border: str = "border:s1:9"
) -> dict[str, Any]:
    return {
        "op": "external",
        "border": border,
        "topic": "a",
        "kind": kind,
        "add": add,
        "remove": list(remove),
    }


def planner(budget: int | None = None, **options: Any) -> Planner:
    found = planner_for(NETWORK, **options)
    for switch, port in BORDERS:
        assert found.apply({"op": "add_border", "switch": switch, "port": port}).ok
    if budget is not None:
        assert found.apply({"op": "set_budget", "switch": "s1", "tcam_budget": budget}).ok
    return found


def problems(found: Planner) -> list[str]:
    registry = found.registry
    tables = found.verified_tables()
    return [
        str(one)
        for one in verify(
            found.topology,
            found.topics.values(),
            registry.advertisements(),
            registry.subscriptions(),
            tables,
            address=found.address,
        )
    ]


def test_a_stub_is_verified_and_neither_deployed_nor_counted() -> None:
    found = planner()
    found.apply(advertise("a1", "h1", "0"))
    found.take_diff()
    found.apply(external("subscription", ["00"]))
    diff = found.take_diff()
    assert [change.switch for change in diff] == ["s1"]
    assert [change.switch for change in diff.crossings] == ["border:s1:9"]
    assert set(found.tables()) == {"s1"} and set(found.verified_tables()) == {"s1", "border:s1:9"}
    assert found.counts() == found.exact_counts() == {"s1": 1, "s2": 0}
    (entry,) = found.tables()["s1"]
    assert entry.to_json()["actions"] == [{"output": 9}], "the next partition must match the destination"
    assert problems(found) == []
    assert found.encodings() == {"a1": (2,)} and found.pending() == []


def test_events_of_a_neighbour_reach_subscribers_and_other_neighbours() -> None:
    found = planner()
    found.apply(external("advertisement", ["1"]))
    assert found.apply(subscribe("q1", "h2", "10")).matched
    found.apply(external("subscription", ["11"], border="border:s2:9"))
    assert problems(found) == []
    assert [entry.to_json()["actions"] for entry in found.tables()["s2"]] == [
        [{"set_dst": "h2"}, {"output": 2}],
        [{"output": 9}],
    ]
    found.apply(external("subscription", ["1"]))
    assert problems(found) == []
    outputs = {entry.actions for entry in found.tables().get("s1", ())}
    assert not any(action.to_json() == {"output": 9} for actions in outputs for action in actions)


cells = st.lists(st.text("01", min_size=1, max_size=4), max_size=3)


@examples(120)
@given(
    steps=st.lists(
        st.tuples(st.sampled_from(BORDERS), st.sampled_from(["advertisement", "subscription"]), cells, cells),
        max_size=8,
    ),
    data=st.data(),
)
def test_any_sets_are_planned_exactly_and_a_snapshot_continues(steps: list[Any], data: st.DataObject) -> None:
    found = planner(max_trees=data.draw(st.sampled_from([1, 3, 64])))
    whole = Verifier.of(found.registry, found.verified_tables())
    for (switch, port), kind, add, remove in steps:
        border = f"border:{switch}:{port}"
        known = {one.dz[0] for one in found.registry.live.values() if (one.host, one.kind) == (border, kind)}
        new = sorted({text for text in add if int("1" + text, 2) not in known})
        old = sorted({text for text in remove if int("1" + text, 2) in known})
        request = external(kind, new, tuple(old), border)
        outcome = found.apply(request)
        if not outcome.ok:  # the reader joins cells that are siblings or covered
            assert outcome.reason is not None and outcome.reason.code in ("duplicate", "unknown_id")
        found.apply(subscribe(f"q{found.applied}", "h1", "0"))
        assert [str(one) for one in whole.step(found.registry, found.take_diff())] == []
        if data.draw(st.booleans()):
            found = found.copy()
            whole = Verifier.of(found.registry, found.verified_tables())
    assert problems(found) == []
    trees = [tree.root for tree in found.trees() if tree.root.startswith("border:")]
    assert len(trees) == len(set(trees)), "a border has one tree for each topic"


def test_a_request_that_exceeds_a_budget_changes_nothing() -> None:
    found = planner(budget=2)
    found.apply(advertise("a1", "h1", ""))
    assert found.apply(external("subscription", ["00"])).ok
    before = found.snapshot()
    outcome = found.apply(external("subscription", ["010", "1001", "111"], ("00",)))
    assert not outcome.ok and outcome.failed_switches == ("s1",)
    after = found.snapshot()
    assert {**after, "applied": 0} == {**before, "applied": 0}
    assert problems(found) == []
    dry = found.dry_run([external("subscription", ["01"], ("00",))])
    assert dry.outcomes[0].ok and found.snapshot()["live"] == before["live"]


@pytest.mark.parametrize(
    ("request_", "code", "words"),
    [
        (
            {"op": "add_border", "switch": "s3", "port": 9},
            "unknown_switch",
            'unknown switch "s3"; use',
        ),
        ({"op": "add_border", "switch": "s1", "port": 1}, "port_in_use", "in use by a link to"),
        ({"op": "add_border", "switch": "s1", "port": 2}, "port_in_use", "host"),
        ({"op": "add_border", "switch": "s1", "port": 9}, "duplicate", "there is already a border"),
        (
            {"op": "add_border", "switch": "border:s1:9", "port": 7},
            "unknown_switch",
            "represents a neighbour",
        ),
        ({"op": "remove_border", "switch": "s1", "port": 8}, "unknown_port", "use one of"),
        (external("advertisement", ["0"], border="x"), "unknown_port", "unknown border"),
        (external("wrong", ["0"]), "wrong_kind", "use advertisement or subscription"),
        (external("subscription", ["01010"]), "dz_too_long", "at most 4"),
        (external("subscription", [], ("0",)), "unknown_id", "is not registered at this border"),
    ],
)
def test_refusals_name_the_rule(request_: dict[str, Any], code: str, words: str) -> None:
    found = planner()
    before = found.snapshot()
    outcome = found.apply(request_)
    assert outcome.reason is not None and outcome.reason.code == code
    assert words in outcome.reason.detail
    assert {**found.snapshot(), "applied": 0} == {**before, "applied": 0}


def test_a_border_with_cells_is_in_use_and_then_leaves_nothing() -> None:
    found = planner()
    clean = planner_for(NETWORK).snapshot()
    found.apply(external("advertisement", ["0"]))
    outcome = found.apply({"op": "remove_border", "switch": "s1", "port": 9})
    assert outcome.reason is not None and outcome.reason.code == "in_use"
    found.apply(external("advertisement", [], ("0",)))
    for switch, port in BORDERS:
        assert found.apply({"op": "remove_border", "switch": switch, "port": port}).ok
    same = {"applied": 0, "next_seq": 0, "next_tree": 0}
    assert {**found.snapshot(), **same} == {**clean, **same}


def test_the_changes_of_a_removed_stub_are_not_deployed_either() -> None:
    found = planner()
    found.apply(external("subscription", ["0"]))
    found.apply(advertise("a1", "h1", "0"))
    found.take_diff()
    found.apply(external("subscription", [], ("0",)))
    assert found.apply({"op": "remove_border", "switch": "s1", "port": 9}).ok
    diff = found.take_diff()
    assert [change.switch for change in diff.switches] == ["s1"]
    assert [change.switch for change in diff.crossings] == ["border:s1:9"]


def test_a_topic_with_cells_of_a_neighbour_does_not_move_to_its_other_code() -> None:
    links = [link("s1", 1, "s2", 1), link("s2", 2, "s3", 1), link("s1", 3, "s3", 2)]
    found = planner_for(topology(3, links, [host("h3", "s3", 5, 3)]), hitless=True)
    found.apply({"op": "add_border", "switch": "s1", "port": 9})
    for name, code in (("shared", 8), ("local", 10)):
        attributes = [{"name": "x", "type": "int", "min": 0, "max": 15}]
        assert found.apply(
            {"op": "add_topic", "topic": {"name": name, "code": code, "attributes": attributes}}
        ).ok
        found.apply(advertise(f"{name}-ad", "h3", "0", topic=name))
    assert found.apply({**external("advertisement", ["0"]), "topic": "shared"}).ok
    outcome = found.apply({"op": "link_down", "switch": "s1", "port": 3, "planned": True})
    assert outcome.ok and outcome.moved == ("local",)
    assert problems(found) == []


def test_the_addresses_of_a_stub_avoid_those_in_use() -> None:
    first = planner_for(NETWORK)
    first.apply({"op": "add_border", "switch": "s1", "port": 9})
    stub = first.topology.hosts["border:s1:9"]
    taken = {**host("h9", "s1", 8, 9), "ip": stub.ip, "mac": stub.mac}
    second = planner_for({**NETWORK, "hosts": [*NETWORK["hosts"], taken]})
    assert second.apply({"op": "add_border", "switch": "s1", "port": 9}).ok
    other = second.topology.hosts["border:s1:9"]
    assert (other.ip, other.mac) != (stub.ip, stub.mac)


def test_borders_of_ipv4_networks_have_addresses_too() -> None:
    network = Topology("ipv4")
    network.add_switch({"id": "s1", "dpid": "0000000000000001"})
    name = add_border(network, "s1", 1, 1)
    assert int(network.hosts[name].ip.split(".")[0]) >= 240


def test_crossings_of_a_diff_are_verified() -> None:
    found = planner()
    found.apply(advertise("a1", "h1", "0"))
    judge = Verifier.of(found.registry, found.verified_tables())
    found.take_diff()
    found.apply(external("subscription", ["00"]))
    diff = found.take_diff()
    without = Diff(diff.switches, tuple(SwitchDiff(change.switch) for change in diff.crossings))
    assert any(
        "lost" in str(one) or "receives none" in str(one) for one in judge.step(found.registry, without)
    )
