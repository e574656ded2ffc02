"""Where the limit bites: a canonical superset within it, with little excess, by the same cells either way."""

from __future__ import annotations

import heapq
import random
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercast.encoding.cell_node import dz_of
from tercast.encoding.encoder import encode, encode_dz
from tercast.encoding.grid_boxes import cut
from tercast.encoding.refinement import refine
from tercast.encoding.single_box import box_of, refine_box
from tercast.errors import Refused
from tercast.eventspace import dz
from tercast.eventspace.event_encoder import event_dz_batch
from tercast.eventspace.topic import Float, Int, Topic
from tercast.filters.filter import Filter
from tests.property_profiles import examples
from tests.support.kernel_modes import kernels  # noqa: F401 - runs all tests in both modes
from tests.support.space_strategies import filters, topics

GRID = Topic("t", 0, (Int("a", 0, 1023), Int("b", 0, 1023), Int("c", 0, 1023)))


@examples(300)
@given(st.data())
def test_a_canonical_superset_within_the_limit(data: st.DataObject) -> None:
    topic = data.draw(topics())
    drawn = data.draw(filters(topic))
    depth = data.draw(st.integers(1, 12))
    exact = encode_dz(drawn, depth, 4_096)
    excess = float("inf")
    for limit in (1, 2, 3, 5, 8, 50):
        made = encode(drawn, depth, limit)
        assert len(made.dz) <= limit
        assert dz.canonical(made.dz) == made.dz
        assert dz.set_covers(made.dz, exact)
        assert all(dz.length(cell) <= depth for cell in made.dz)
        assert made.excess <= excess + 1e-9
        excess = made.excess
        if len(exact) <= limit:
            assert made.dz == exact


def boxes(seed: int, count: int, attributes: int) -> list[str]:
    rng = random.Random(seed)
    out = []
    for _ in range(count):
        ranges = []
        for name in "abc"[:attributes]:
            low, high = sorted(rng.sample(range(1024), 2))
            ranges.append(f"{name} in [{low}, {high}]")
        out.append(" and ".join(ranges))
    return out


@pytest.mark.parametrize("limit", [1, 4, 16, 50])
def test_the_fast_way_for_boxes_gives_the_same_cells(limit: int) -> None:
    for text in boxes(limit, 30, 3):
        parsed = Filter.parse(text, GRID)
        schedule = GRID.schedule(30)
        box = box_of(parsed, schedule)
        assert box is not None
        fast = [dz_of(schedule, cell) for cell in refine_box(schedule, box, limit)]
        plain = [dz_of(schedule, cell) for cell in refine(schedule, [box], limit)]
        assert fast == plain


def plain_best_first(text: str, limit: int) -> int:
    """Excess volume of: shrink, split the cell of most excess, until the limit. On 1024 x 1024."""
    ranges = [tuple(map(int, part.split("[")[1].rstrip("]").split(","))) for part in text.split(" and ")]

    def shrunk(part: list[tuple[int, int]]) -> tuple[int, list[int], int]:
        bits = [(low ^ high).bit_length() for low, high in part]
        # bit 10 of a is split first, then bit 10 of b: a cell is cut at the first place where a part is wider
        turn = max(range(2), key=lambda i: (bits[i], -i))
        free = (
            [bits[turn] if i >= turn else max(bits[turn] - 1, 0) for i in range(2)] if bits[turn] else [0, 0]
        )
        volume = (part[0][1] - part[0][0] + 1) * (part[1][1] - part[1][0] + 1)
        return (1 << sum(free)) - volume, free, turn

    part = [(low, high) for low, high in ranges]
    excess, _, turn = shrunk(part)
    heap = [(-excess, 0, part, turn)]
    count = 1
    while len(heap) < limit and heap[0][0]:
        _, _, part, turn = heapq.heappop(heap)
        low, high = part[turn]
        place = (low ^ high).bit_length() - 1
        middle = high >> place << place
        for half in ((low, middle - 1), (middle, high)):
            child = [half if i == turn else part[i] for i in range(2)]
            count += 1
            excess, _, next_turn = shrunk(child)
            heapq.heappush(heap, (-excess, count, child, next_turn))
    return -sum(item[0] for item in heap)


def taken(cells: dz.DzSet) -> int:
    return int(dz.volume(cells) * (1 << 30))


def volume(text: str) -> int:
    out = 1
    for part in text.split(" and "):
        low, high = map(int, part.split("[")[1].rstrip("]").split(","))
        out *= high - low + 1
    return out


PLANE = Topic("t", 0, (Int("a", 0, 1023), Int("b", 0, 1023)))


@pytest.mark.parametrize("limit", [2, 4, 7, 16, 50])
def test_never_worse_than_plain_best_first_and_better_in_sum(limit: int) -> None:
    ours = plain = 0
    for text in boxes(limit, 60, 2):
        made = (taken(encode_dz(Filter.parse(text, PLANE), 20, limit)) >> 10) - volume(text)
        other = plain_best_first(text, limit)
        assert made <= other
        ours, plain = ours + made, plain + other
    assert ours <= plain * (1 if limit == 2 else 0.97)


def test_close_to_the_best_that_any_choice_of_cells_gives() -> None:
    topic = Topic("t", 0, (Int("a", 0, 31), Int("b", 0, 31)))
    rng = random.Random(1)
    ours = best = 0
    for _ in range(40):
        (a, b), (c, d) = sorted(rng.sample(range(32), 2)), sorted(rng.sample(range(32), 2))
        text = f"a in [{a}, {b}] and b in [{c}, {d}]"
        wanted = {dz.parse(format(p, "010b")) for p in range(1024) if _inside(p, a, b, c, d)}
        for limit in (3, 6, 10):
            ours += int(dz.volume(encode_dz(Filter.parse(text, topic), 10, limit)) * 1024)
            best += _least_volume(wanted, limit)
    assert best <= ours <= best * 1.01


def _inside(p: int, a: int, b: int, c: int, d: int) -> bool:
    x = sum((p >> 2 * i + 1 & 1) << i for i in range(5))
    y = sum((p >> 2 * i & 1) << i for i in range(5))
    return a <= x <= b and c <= y <= d


def _least_volume(wanted: set[int], limit: int) -> int:
    """The least volume of `limit` cells that hold all wanted points, by dynamic programming on all cells."""

    @cache
    def count(cell: int) -> int:
        if cell.bit_length() == 11:
            return int(cell in wanted)
        return count(cell << 1) + count(cell << 1 | 1)

    @cache
    def least(cell: int, cells: int) -> int:
        if not count(cell):
            return 0
        if not cells:
            return 1 << 30
        if cell.bit_length() == 11:
            return 1
        whole = 1 << 11 - cell.bit_length()
        return min(
            [whole, *(least(cell << 1, n) + least(cell << 1 | 1, cells - n) for n in range(cells + 1))]
        )

    return least(1, limit)


def test_large_filters_with_a_small_limit() -> None:
    topic = Topic("t", 0, tuple(Int(f"a{i}", 0, (1 << 20) - 1) for i in range(4)))
    text = " and ".join(f"a{i} > {i + 1} and a{i} != 77777" for i in range(4))
    made = encode_dz(Filter.parse(text, topic), 80, 50)
    assert 1 <= len(made) <= 50
    floats = Topic("t", 0, (Float("x", 0.0, 1.0), Float("y", 0.0, 1.0), Int("n", 0, 6)))
    assert (
        len(encode_dz(Filter.parse("x + y".replace("x + y", "x <= 0.3 and y > 0.1"), floats), 66, 50)) <= 50
    )


@pytest.mark.parametrize("limit", [256, 257, 3_000])
def test_large_limits(limit: int) -> None:
    text = "a in [3, 1000] and b in [7, 1013] and c in [100, 901]"
    made = encode_dz(Filter.parse(text, GRID), 30, limit)
    assert limit * 0.8 < len(made) <= limit
    assert dz.canonical(made) == made
    assert taken(made) <= taken(encode_dz(Filter.parse(text, GRID), 30, 200))
    rng = random.Random(limit)
    inside = [
        {"a": rng.randint(3, 1000), "b": rng.randint(7, 1013), "c": rng.randint(100, 901)} for _ in range(300)
    ]
    assert dz.set_covers(made, dz.canonical(event_dz_batch(GRID, inside, 30)))


def test_many_overlapping_alternatives() -> None:
    rng = random.Random(3)
    text = " or ".join(f"a < {rng.randrange(900)} and b > {rng.randrange(900)}" for _ in range(300))
    parsed = Filter.parse(text, PLANE)
    made = encode_dz(parsed, 20, 50)
    assert len(made) <= 50
    for _ in range(300):
        values = {"a": rng.randrange(1024), "b": rng.randrange(1024)}
        if parsed.matches(values):
            assert dz.set_covers(made, (PLANE.event_dz(values, 20),))


@pytest.mark.parametrize(
    ("depth", "limit"), [(0, 5), (5, 0), (-1, 5), (5, -1), (5, 1 << 40), (True, 5), (5, True)]
)
def test_depth_and_limit_of_zero_are_refused(depth: int, limit: int) -> None:
    with pytest.raises(Refused):
        encode(Filter.parse("a < 5", GRID), depth, limit)


MANY_CLAUSES = (
    "(o > 94 or h in [879, 911] or l < 758 or k in [307, 438]) and (j > 299 or d > 436 or a in [98, 102] or"
    " m in [405, 851]) and (m < 90 or m > 367 or e in [393, 824] or p in [795, 861]) and (n in [288, 575] or"
    " i in [515, 959] or b > 923 or h in [344, 682]) and (e < 561 or a > 660 or d > 826 or n > 661)"
)


def test_filters_of_many_alternatives_tire_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hundreds of parts that fill nearly everything: cells collapse again and again, for nothing."""
    cuts = 0

    def counted(*args: Any) -> Any:
        nonlocal cuts
        cuts += 1
        return cut(*args)

    monkeypatch.setattr("tercast.encoding.refinement.cut", counted)
    topic = Topic("t", 0, tuple(Int(name, 0, 1000) for name in "abcdefghijklmnop"))
    made = encode(Filter.parse(MANY_CLAUSES, topic), 112, 50)
    assert len(made.dz) <= 50
    assert cuts < 60_000
