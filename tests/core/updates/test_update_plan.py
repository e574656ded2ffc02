"""Changes of a table entry by entry; every table in between is checked point by point."""

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercast.updates.update_plan import nowhere, steps
from tests.property_profiles import examples
from tests.support.update_judge import (
    BITS,
    HOSTS,
    LINKS,
    QUARTERS,
    SMALL,
    dz_of,
    entry,
    judge,
    owned,
    permit_of,
    said,
    some_way,
)

cells = st.text("01", max_size=BITS)
outputs = st.frozensets(st.sampled_from((*LINKS, *HOSTS)), max_size=3)
keys = st.tuples(cells, st.sampled_from((None, None, None, 3, 4)))
tables = st.dictionaries(keys, outputs, max_size=9).map(
    lambda rows: tuple(entry(dz, said, port) for (dz, port), said in rows.items())
)
forests = st.fixed_dictionaries(
    {cell: st.frozensets(st.sampled_from(LINKS)) for cell in ("00", "01", "10", "11")}
)


@examples(400)
@given(tables, tables, st.integers(0, 4), st.none() | forests)
def test_every_table_on_the_way_is_safe_and_within_the_limit(before, after, more, trees):
    limit = max(len(before), len(after)) + more
    found = steps(before, after, limit, permit_of(trees)) if trees else steps(before, after, limit)
    if found is not None:
        judge(before, after, limit, found, trees)


@examples(300)
@given(tables, tables, forests, st.booleans())
def test_what_meets_no_entry_serves_a_full_table_on_the_way(before, after, trees, coarser):
    limit = max(len(before), len(after))
    found = steps(before, after, limit, permit_of(trees) if coarser else nowhere, owned(trees))
    if found is not None:
        judge(before, after, limit, found, trees, rest=True)
    one_tree = all(links == {*LINKS} for links in trees.values())
    assert found is not None or not one_tree, "on one tree there is always a way"


def small_table(rng: random.Random, size: int, trees):
    """Entries that keep trees apart."""
    rows = {}
    while len(rows) < size:
        dz = rng.choice(SMALL)
        allowed = frozenset.intersection(*(links for cell, links in trees.items() if cell.startswith(dz)))
        rows[dz] = frozenset(one for one in (*sorted(allowed), "a") if rng.random() < 0.7)
    return rows


@pytest.mark.parametrize("free", [0, 1])
def test_where_none_are_found_there_are_none(free):
    """On a small domain, with different trees; some changes are impossible."""
    rng = random.Random(free)
    stuck = 0
    for _ in range(400):
        trees = {cell: frozenset(link for link in LINKS if rng.random() < 0.6) for cell in QUARTERS}
        size = rng.randint(1, 2)
        old, new = small_table(rng, size, trees), small_table(rng, rng.randint(1, size), trees)
        before, after = (tuple(entry(dz, said) for dz, said in rows.items()) for rows in (old, new))
        if steps(before, after, size + free, permit_of(trees), owned(trees)) is None:
            assert not some_way(old, new, size + free, trees), (old, new, trees)
            stuck += 1
    assert free or stuck


MERGED_PAIR = (entry("00", {1, "a"}), entry("01", {1, "b"})), (entry("0", {1, "a", "b"}),)
REPLACED = (entry("00", {1, "a"}),), (entry("0", {1, "a"}),)


@pytest.mark.parametrize(("before", "after"), [MERGED_PAIR, REPLACED, MERGED_PAIR[::-1], REPLACED[::-1]])
def test_a_full_table_of_entries_side_by_side_passes_through_what_meets_none(before, after):
    limit = max(len(before), len(after))
    assert steps(before, after, limit, permit_of(ONE_TREE)) is None or len(after) > 1
    found = steps(before, after, limit, permit_of(ONE_TREE), owned(ONE_TREE))
    assert found is not None
    judge(before, after, limit, found, ONE_TREE, rest=True)
    assert next(step.rest for step in reversed(found) if step.rest is not None) == (), "and it drops again"


def test_one_entry_that_may_go_that_way_is_enough():
    """The links of the other are not those of all trees."""
    before = (entry("00", {1}), entry("10", {2}))
    after = (entry("0", {1}), entry("10", {2}))
    trees = {"00": frozenset({1}), "01": frozenset({1}), "10": frozenset({1, 2}), "11": frozenset({1, 2})}
    assert steps(before, after, 2, permit_of(trees)) is None
    found = steps(before, after, 2, permit_of(trees), owned(trees))
    assert found is not None
    judge(before, after, 2, found, trees, rest=True)


def test_entries_shield_what_other_trees_own_from_what_meets_no_entry():
    """The tree of one quarter has no links: its entry comes first, and then the others can follow."""
    before = (entry("00", {1, "a"}), entry("10", {1, "a"}))
    after = (entry("", {1, "a"}), entry("11", {"a"}))
    trees = {**ONE_TREE, "11": frozenset()}
    assert steps(before, after, 3, permit_of(trees)) is None
    found = steps(before, after, 3, permit_of(trees), owned(trees))
    assert found is not None
    judge(before, after, 3, found, trees, rest=True)
    assert steps(before, after, 2, permit_of(trees), owned(trees)) is None


@examples(150)
@given(tables, tables)
def test_with_room_for_both_there_is_always_a_way(before, after):
    limit = len({one.key for one in (*before, *after)})
    found = steps(before, after, limit)
    assert found is not None
    judge(before, after, limit, found)


def test_nothing_has_to_change():
    table = (entry("0", {1}), entry("01", {1, "a"}))
    assert steps(table, table, 2) == []


def test_tables_that_are_too_large_have_no_way():
    assert steps((entry("0", {1}), entry("1", {1})), (), 1) is None


MERGE = (entry("0", {1, 2, "a"}),)
PARTS = tuple(entry(f"0{cell}", {1 + n % 2, "a"}) for n, cell in enumerate(("00", "01", "10", "11")))


def elsewhere(table):
    """The same in the other half."""
    return tuple(entry("1" + dz_of(one)[1:], said(one)) for one in table)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (MERGE, PARTS),
        (PARTS, MERGE),
        (MERGE + elsewhere(PARTS), PARTS + elsewhere(MERGE)),
        (PARTS + elsewhere(MERGE), MERGE + elsewhere(PARTS)),
    ],
)
def test_one_free_entry_is_enough_for_merges_and_their_parts(before, after):
    limit = max(len(before), len(after)) + 1
    found = steps(before, after, limit)
    assert found is not None
    judge(before, after, limit, found)


ONE_TREE = {cell: frozenset({1}) for cell in ("00", "01", "10", "11")}


STUCK = (entry("", {"a"}), entry("00", {1, "b"})), (entry("", {"b"}), entry("01", {1, "a"}))
"""No entry can be removed or added without a wider entry in the meantime."""


def test_a_full_table_passes_through_a_coarser_entry():
    assert steps(*STUCK, 2) is None
    found = steps(*STUCK, 2, permit_of(ONE_TREE))
    assert found is not None
    judge(*STUCK, 2, found, ONE_TREE)


def test_no_coarser_entry_couples_trees():
    """Then the wider entry sends only to hosts; if that is not enough, there is no wider entry."""
    trees = {**ONE_TREE, "10": frozenset({2})}
    found = steps(*STUCK, 2, permit_of(trees))
    assert found is not None
    judge(*STUCK, 2, found, trees)
    before, after = (entry("", {"a"}), entry("00", {1, "b"})), (entry("", {"b"}), entry("0", {1, "a"}))
    assert steps(before, after, 2, permit_of(ONE_TREE)) is not None
    assert steps(before, after, 2, permit_of(trees)) is None


def test_entries_left_by_another_plan_have_no_way():
    strange = entry("0", {1})._replace(priority=7)
    assert steps((strange, entry("1", {1})), (entry("1", {1}),), 3) is None


def random_table(rng: random.Random, size: int):
    rows = {}
    while len(rows) < size:
        dz = "".join(rng.choice("01") for _ in range(rng.randint(1, BITS)))
        rows[dz] = entry(dz, {1} if rng.random() < 0.5 else {1, rng.choice(HOSTS)})
    return tuple(rows.values())


def shares(pairs: int = 60) -> dict[str, float]:
    """Count how often there is a way between random tables of 8, by free entries and coarse entries."""
    rng = random.Random(4)
    cases = [(random_table(rng, 8), random_table(rng, 8)) for _ in range(pairs)]
    trees = {cell: frozenset({1}) for cell in ("00", "01", "10", "11")}
    found = {}
    for more in (0, 1, 2):
        rest = {"permit": permit_of(trees), "trees": owned(trees)}
        for name, way in (("exact", {}), ("coarser", {"permit": permit_of(trees)}), ("rest", rest)):
            ways = [steps(*case, 8 + more, **way) for case in cases]
            found[f"{name} +{more}"] = sum(way is not None for way in ways) / pairs
    return found


def test_unlike_tables_have_a_way_through_coarser_entries():
    found = shares()
    assert found["coarser +1"] == 1.0 and found["coarser +2"] == 1.0, found
    assert found["rest +0"] == 1.0, found
    assert found["exact +2"] >= found["exact +1"] >= found["exact +0"]


if __name__ == "__main__":
    print(json.dumps(shares(500), indent=2))
