"""Places for temporary coarse entries: within a topic, over links that all trees there have."""

from tercast.updates.tree_permissions import permit_at, trees_at
from tests.support.networks import advertise, host, link, planner_for, subscribe, topology

LINE = topology(
    3,
    [link("s1", 1, "s2", 1), link("s2", 2, "s3", 1)],
    [host("p", "s1", 9, 1), host("q", "s3", 9, 2), host("h", "s2", 9, 3)],
)
RING = topology(
    3,
    [link("s1", 1, "s2", 1), link("s2", 2, "s3", 1), link("s3", 2, "s1", 2)],
    [host("p", "s1", 9, 1), host("q", "s3", 9, 2), host("h", "s2", 9, 3)],
)


def test_links_of_the_tree_that_owns_the_region() -> None:
    planner = planner_for(LINE)
    planner.apply_all([advertise("a", "p", "0"), subscribe("s", "q", "00")])
    (entry,) = planner.table("s2")
    assert permit_at(planner, "s2")(entry.dst) == {1, 2}
    assert permit_at(planner, "nowhere")(entry.dst) is None
    code, address = next(iter(planner.topics.values())).code, planner.registry.address
    assert trees_at(planner, "s2") == {address.match(code, 0b10): {1, 2}}
    assert trees_at(planner, "nowhere") is None


def test_only_what_all_trees_have_where_several_own_some_of_it() -> None:
    planner = planner_for(RING)
    planner.apply_all([advertise("a", "p", "0"), advertise("b", "q", "1")])
    planner.apply_all([subscribe("s0", "h", "0"), subscribe("s1", "h", "1")])
    assert len(planner.trees()) == 2
    permit = permit_at(planner, "s1")
    code, address = next(iter(planner.topics.values())).code, planner.registry.address
    both, left, right = (permit(address.match(code, dz)) for dz in (0b1, 0b10, 0b11))
    assert both is not None and left is not None and right is not None
    assert both == left & right
    assert left != right
    assert trees_at(planner, "s1") == {address.match(code, 0b10): left, address.match(code, 0b11): right}


def test_nowhere_beyond_a_topic() -> None:
    planner = planner_for(LINE)
    permit = permit_at(planner, "s2")
    assert permit("ff0e::/16") is None and permit("ff0e:ffff::/32") is None and permit("fd00::/64") is None
