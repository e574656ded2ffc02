"""Trees: their start, growth and end, the cells that they own, and the links that they use."""

from collections import Counter
from typing import Any

from tercast.eventspace.dz import text
from tercast.planner.planner import Planner
from tests.support.networks import advertise, host, link, planner_for, subscribe, topology


def line(count: int) -> dict[str, Any]:
    """Switches in a row, each with a host of the same number."""
    links = [link(f"s{i}", 1, f"s{i + 1}", 2) for i in range(1, count)]
    return topology(count, links, [host(f"h{i}", f"s{i}", 9, i) for i in range(1, count + 1)])


def owned(planner: Planner) -> dict[str, list[str]]:
    return {tree.id: [text(dz) for dz in tree.dz] for tree in planner.trees()}


def test_an_advertisement_joins_what_it_overlaps_and_founds_the_rest() -> None:
    planner = planner_for(line(3))
    planner.apply(advertise("a1", "h1", "00"))
    planner.apply(advertise("a2", "h2", "0"))
    assert owned(planner) == {"t1": ["00"], "t2": ["01"]}
    assert [tree.root for tree in planner.trees()] == ["s1", "s2"]
    planner.apply(advertise("a3", "h3", "001", "0110"))
    assert owned(planner) == {"t1": ["00"], "t2": ["01"]}


def test_a_tree_shrinks_to_what_is_still_advertised_and_dissolves() -> None:
    planner = planner_for(line(3))
    planner.apply(advertise("a1", "h1", "0"))
    planner.apply(advertise("a2", "h2", "00"))
    planner.apply({"op": "unadvertise", "id": "a1"})
    assert owned(planner) == {"t1": ["00"]}
    planner.apply({"op": "unadvertise", "id": "a2"})
    assert owned(planner) == {}


def test_a_number_is_never_used_again() -> None:
    planner = planner_for(line(2))
    for i in range(3):
        planner.apply(advertise("a", "h1", "0"))
        assert list(owned(planner)) == [f"t{i + 1}"]
        planner.apply({"op": "unadvertise", "id": "a"})


def test_past_the_most_trees_halves_are_joined() -> None:
    planner = planner_for(line(4), max_trees=2)
    planner.apply(advertise("a2", "h3", "1"))
    planner.apply(advertise("a1", "h1", "0000", "0010"))
    planner.apply(advertise("a3", "h3", "0001", "0011"))
    assert owned(planner) == {"t1": ["1"], "t2": ["00"]}
    planner.apply(advertise("a4", "h4", "01"))
    assert owned(planner) == {"t1": ["1"], "t2": ["0"]}
    planner.apply({"op": "unadvertise", "id": "a1"})
    assert owned(planner) == {"t1": ["1"], "t2": ["0001", "0011", "01"]}


def test_without_halves_the_tree_of_the_own_switch_takes_it() -> None:
    planner = planner_for(line(4), max_trees=2)
    planner.apply(advertise("a1", "h1", "000"))
    planner.apply(advertise("a2", "h2", "011"))
    planner.apply(advertise("a3", "h2", "110"))
    assert owned(planner) == {"t1": ["000"], "t2": ["011", "110"]}


def test_edges_are_those_that_carry_something_with_the_way_to_the_root() -> None:
    planner = planner_for(line(5))
    planner.apply(advertise("a1", "h2", ""))
    assert planner.trees()[0].edges == ()
    planner.apply(subscribe("q1", "h4", "0"))
    assert planner.trees()[0].edges == (("s2", 1, "s3", 2), ("s3", 1, "s4", 2))
    planner.apply(advertise("a2", "h3", ""))
    planner.apply({"op": "unadvertise", "id": "a1"})
    assert planner.trees()[0].edges == (("s2", 1, "s3", 2), ("s3", 1, "s4", 2))
    planner.apply({"op": "unsubscribe", "id": "q1"})
    assert planner.trees()[0].edges == ()


def test_edges_stand_from_the_root_outwards_however_links_were_declared() -> None:
    links = [link("s2", 1, "s1", 1), link("s3", 1, "s2", 2)]
    planner = planner_for(topology(3, links, [host("p", "s1", 9, 1), host("h", "s3", 9, 2)]))
    planner.apply_all([advertise("a", "p", ""), subscribe("q", "h", "0")])
    assert planner.trees()[0].edges == (("s1", 1, "s2", 1), ("s2", 2, "s3", 1))


def test_the_cheaper_way_is_taken() -> None:
    links = [link("s1", 1, "s2", 1, 5), link("s1", 2, "s3", 1), link("s3", 2, "s2", 2, 2.5)]
    planner = planner_for(topology(3, links, [host("p", "s1", 9, 1), host("h", "s2", 9, 2)]))
    planner.apply(advertise("a1", "p", ""))
    planner.apply(subscribe("q1", "h", "0"))
    assert planner.trees()[0].edges == (("s1", 2, "s3", 1), ("s3", 2, "s2", 2))


def test_trees_spread_over_parallel_links() -> None:
    links = [link("s1", i, "s2", i) for i in range(1, 5)]
    planner = planner_for(topology(2, links, [host("p", "s1", 9, 1), host("h", "s2", 9, 2)]))
    for i, dz in enumerate(("00", "01", "10", "11")):
        planner.apply(advertise(f"a{i}", "p", dz))
    planner.apply(subscribe("q", "h", ""))
    assert sorted(tree.edges[0][1] for tree in planner.trees()) == [1, 2, 3, 4]


def fat_tree() -> dict[str, Any]:
    """Ten switches: s1, s2 are the core, s3 to s6 join it with s7 to s10, which have two hosts each."""
    links = []
    for i in range(4):
        links += [link(f"s{3 + i}", 1 + core, f"s{1 + core}", 1 + i) for core in range(2)]
    for i in range(4):
        links += [link(f"s{7 + i}", 1 + j, f"s{3 + i // 2 * 2 + j}", 3 + i % 2) for j in range(2)]
    return topology(10, links, [host(f"h{i}", f"s{7 + i // 2}", 11 + i % 2, i + 1) for i in range(8)])


def highest_to_mean(planner: Planner) -> float:
    """Entries that send over the busiest link of the network, relative to the mean of all links."""
    load: Counter[tuple[str, int]] = Counter()
    links = [(item.a, item.a_port) for item in planner.topology.all_links()]
    for switch, table in planner.tables().items():
        for entry in table:
            for action in entry.actions:
                here = planner.topology.links.get((switch, getattr(action, "port", 0)))
                if here is not None:
                    load[here.a, here.a_port] += 1
    return max(load.values()) * len(links) / load.total()


def test_trees_of_different_dz_spread_load_over_equal_links() -> None:
    def run(max_trees: int) -> float:
        planner = planner_for(fat_tree(), max_trees)
        for i in range(8):
            planner.apply(advertise(f"a{i}", f"h{i}", f"{i:03b}"))
        for i in range(8):
            planner.apply(subscribe(f"q{i}", f"h{i}", ""))
        return highest_to_mean(planner)

    spread, single = run(64), run(1)
    assert spread <= 1.6
    assert single >= 1.5 * spread


def test_a_link_that_no_tree_uses_changes_nothing() -> None:
    planner = planner_for(fat_tree())
    planner.apply(advertise("a", "h0", ""))
    planner.apply(subscribe("q", "h7", "0"))
    planner.take_diff()
    (tree,) = planner.network.topology and list(next(iter(planner.plans)).trees())
    unused = next(item for item in planner.topology.all_links() if item not in tree.links)
    used = next(item for item in planner.topology.all_links() if item in tree.links)
    for op in ("link_down", "link_up"):
        planner.apply({"op": op, "switch": unused.a, "port": unused.a_port})
        assert len(planner.take_diff()) == 0
    links = tree.links
    planner.apply({"op": "link_down", "switch": used.b, "port": used.b_port})
    assert tree.links != links
    assert owned(planner) == {"t1": [""]}


def test_a_tree_is_repaired_with_the_fewest_other_links() -> None:
    links = [link(f"s{i}", 1, f"s{i % 6 + 1}", 2) for i in range(1, 7)]
    planner = planner_for(topology(6, links, [host(f"h{i}", f"s{i}", 9, i) for i in range(1, 7)]))
    planner.apply(advertise("a", "h1", ""))
    for i in range(2, 7):
        planner.apply(subscribe(f"q{i}", f"h{i}", "0"))
    tree = next(next(iter(planner.plans)).trees())
    before = tree.links
    planner.apply({"op": "link_down", "switch": "s2", "port": 1})
    assert len(before - tree.links) == len(tree.links - before) == 1
    assert {change.switch for change in planner.take_diff()} <= {f"s{i}" for i in range(1, 7)}
    planner.apply({"op": "switch_down", "switch": "s1"})
    assert planner.trees() == []
    assert planner.unreachable() == [("a", f"q{i}") for i in range(2, 7)]


def test_a_stub_that_comes_and_goes_leaves_trees_as_they_are() -> None:
    planner = planner_for(line(4))
    planner.apply(advertise("a", "h1", "0"))
    planner.apply(subscribe("q", "h2", "0"))
    before = planner.trees(), planner.tables()
    planner.apply({"op": "switch_down", "switch": "s4"})
    assert (planner.trees(), planner.tables()) == before
    planner.apply({"op": "switch_up", "switch": "s4"})
    assert (planner.trees(), planner.tables()) == before


def test_parts_that_come_apart_plan_on_their_own_and_meet_again() -> None:
    planner = planner_for(line(4))
    planner.apply(advertise("a1", "h1", ""))
    planner.apply(advertise("a4", "h4", "1"))
    planner.apply(subscribe("q1", "h1", "1"))
    planner.apply(subscribe("q3", "h3", "1"))
    planner.apply({"op": "link_down", "switch": "s2", "port": 1})
    assert owned(planner) == {"t1": [""], "t2": ["1"]}
    assert planner.unreachable() == [("a1", "q3"), ("a4", "q1")]
    planner.apply({"op": "link_up", "switch": "s3", "port": 2})
    assert owned(planner) == {"t1": [""]}
    assert planner.unreachable() == []
