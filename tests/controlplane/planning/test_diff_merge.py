"""Several changes as one."""

import random
from itertools import pairwise

from controlplane.planning.diff_merge import Merged
from tercast.tables.entries import Diff, Entry, Output, difference


def table(rng: random.Random) -> tuple[Entry, ...]:
    keys = [(f"ff0e:{n}::/32", port) for n in range(4) for port in (None, 3)]
    return tuple(
        Entry(dst, port, 18 if port is None else 1018, (Output(rng.randint(1, 3)),))
        for dst, port in rng.sample(keys, rng.randint(0, len(keys)))
    )


def test_the_merged_change_leads_where_the_single_ones_lead():
    rng = random.Random(5)
    for _ in range(300):
        tables = [table(rng) for _ in range(rng.randint(2, 6))]
        merged = Merged()
        for before, after in pairwise(tables):
            merged.append(difference("s1", before, after))
        result = Diff(tuple(merged.diffs())).apply({"s1": tables[0]}).get("s1", ())
        assert set(result) == set(tables[-1])


def test_what_comes_and_goes_is_nothing():
    (entry,) = (Entry("ff0e:4::/32", None, 18, (Output(1),)),)
    merged = Merged()
    merged.append(difference("s1", (), (entry,)))
    merged.append(difference("s1", (entry,), ()))
    assert merged.diffs() == []


def test_what_goes_and_comes_back_unchanged_is_nothing():
    entry = Entry("ff0e:4::/32", None, 18, (Output(1),))
    merged = Merged()
    merged.append(difference("s1", (entry,), ()))
    merged.append(difference("s1", (), (entry,)))
    assert merged.diffs() == []


def test_switches_stand_in_the_order_in_which_they_came():
    entry = Entry("ff0e:4::/32", None, 18, (Output(1),))
    merged = Merged()
    for name in ("s3", "s1", "s2", "s1"):
        merged.append(difference(name, (), (entry,)))
    assert [diff.switch for diff in merged.diffs()] == ["s3", "s1", "s2"]
