"""Under a limit: never more excess than best-first refinement, and never more with a larger limit."""

from __future__ import annotations

import random
from bisect import bisect_left
from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate

import pytest

from tercast.encoding.cell_selection import PASSING
from tercast.encoding.encoder import encode_dz
from tercast.eventspace import dz
from tercast.eventspace.topic import Int, Topic
from tercast.filters.filter import Filter
from tests.support.kernel_modes import kernels  # noqa: F401 - runs all tests in both modes
from tests.support.space_judge import canonical_texts

ENDLESS = 1 << 18


class Space:
    """The volumes of cells, straight from the definition of a dz."""

    def __init__(self, topic: Topic) -> None:
        self.sizes = [topic.attributes[i].size for i in topic.indexed_positions]
        self.known: dict[str, tuple[list[int], int]] = {"": (self.sizes, 0)}

    def extent(self, text: str) -> tuple[list[int], int]:
        """The number of values of each attribute, and whose turn it is."""
        found = self.known.get(text)
        if found is None:
            sizes, turn = self.extent(text[:-1])
            while sizes[turn] == 1:
                turn = (turn + 1) % len(sizes)
            first = sizes[turn] // 2
            sizes = [*sizes[:turn], (sizes[turn] - first, first)[text[-1] == "0"], *sizes[turn + 1 :]]
            found = self.known[text] = sizes, (turn + 1) % len(sizes)
        return found

    def volume(self, text: str) -> int:
        out = 1
        for size in self.extent(text)[0]:
            out *= size
        return out


class Reference:
    """Best-first on texts: a cell shrinks to what it holds of `exact`, and the worst is split."""

    def __init__(self, space: Space, exact: Sequence[str]) -> None:
        self.volume = space.volume
        self.exact = sorted(exact)
        self.sums = [0, *accumulate(map(space.volume, self.exact))]

    def wanted(self, text: str) -> list[str]:
        start = bisect_left(self.exact, text)
        return self.exact[start : bisect_left(self.exact, text + "2")]

    def excess(self, text: str) -> int:
        start, end = bisect_left(self.exact, text), bisect_left(self.exact, text + "2")
        return self.volume(text) - (self.sums[end] - self.sums[start])

    def shrunk(self, text: str) -> str:
        held = self.wanted(text)
        first, last = held[0], held[-1]
        return first[
            : next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
        ]

    def halves(self, text: str) -> list[str]:
        return [self.shrunk(text + bit) for bit in "01"]

    def open(self, cells: Sequence[str]) -> list[str]:
        """Those that can be split, the worst first; of equal ones the one that was found first."""
        return sorted(filter(self.excess, cells), key=self.excess, reverse=True)

    def plain(self, limit: int) -> int:
        """The volume when the worst is split until there are so many."""
        cells = [self.shrunk("")]
        while len(cells) < limit and self.open(cells):
            worst = self.open(cells)[0]
            cells.remove(worst)
            cells += self.halves(worst)
        return sum(map(self.volume, cells))

    def passing_over(self, limit: int) -> int:
        """The volume when the worst is split of which the halves fit; siblings count as what they make."""
        cells = [self.shrunk("")]
        while True:
            for cell in self.open(cells):
                split = [other for other in cells if other != cell] + self.halves(cell)
                if len(canonical_texts(set(split))) <= limit:
                    cells = split
                    break
            else:
                return sum(map(self.volume, cells))


def random_filter(rng: random.Random, topic: Topic, alternatives: int) -> Filter:
    def box() -> str:
        tests = []
        for attribute in topic.attributes:
            assert isinstance(attribute, Int)
            if rng.random() < 0.8 or not tests:
                low, high = sorted(rng.randint(0, attribute.max) for _ in range(2))
                if rng.random() < 0.3:
                    high = min(high, low + attribute.max // 6)
                tests.append(f"{attribute.name} in [{low}, {high}]")
        return " and ".join(tests)

    return Filter.parse(" or ".join(box() for _ in range(alternatives)), topic)


def topic_of(*sizes: int) -> Topic:
    return Topic("t", 0, tuple(Int(f"x{i}", 0, size - 1) for i, size in enumerate(sizes)))


def results(drawn: Filter, depth: int, limits: Sequence[int]) -> tuple[Space, list[str], list[int]]:
    space = Space(drawn.topic)
    exact = [dz.text(cell) for cell in encode_dz(drawn, depth, ENDLESS)]
    volumes = []
    for limit in limits:
        made = encode_dz(drawn, depth, limit)
        assert len(made) <= limit
        assert dz.canonical(made) == made
        assert dz.set_covers(made, encode_dz(drawn, depth, ENDLESS))
        volumes.append(sum(space.volume(dz.text(cell)) for cell in made))
    return space, exact, volumes


def test_the_case_where_free_cells_were_left_unused() -> None:
    topic = topic_of(12, 16)
    text = (
        "x0 in [4, 10] and x1 in [0, 12] or x0 in [8, 11] and x1 in [4, 6] or x0 in [0, 6] and x1 in [11, 15]"
    )
    for limit in (4, 5, 6):
        made = encode_dz(Filter.parse(text, topic), 8, limit)
        assert [dz.text(cell) for cell in made] == ["00101", "00111", "01", "1"]


SMALL = [(16,), (12, 16), (7, 11), (8, 16), (5, 6, 7), (4, 8, 8), (3, 12, 9), (16, 16)]


@pytest.mark.parametrize("filters", [12, pytest.param(150, marks=pytest.mark.full)])
@pytest.mark.parametrize("seed", range(len(SMALL)))
def test_small_spaces_with_every_limit(seed: int, filters: int) -> None:
    rng = random.Random(seed)
    topic = topic_of(*SMALL[seed])
    for _ in range(filters):
        drawn = random_filter(rng, topic, rng.choice([1, 1, 2, 3, 4]))
        limits = range(1, 14)
        space, exact, volumes = results(drawn, rng.choice([5, 8, 9]), limits)
        assert volumes == sorted(volumes, reverse=True), str(drawn)
        reference = Reference(space, exact)
        for limit in rng.sample(limits, 2):
            assert volumes[limit - 1] <= reference.plain(limit), (str(drawn), limit)
            assert volumes[limit - 1] <= reference.passing_over(limit), (str(drawn), limit)


LARGE = [(256, 256), (250, 100), (64, 64, 64), (60, 50, 40), (32, 32, 32, 32)]


@pytest.mark.parametrize("filters", [4, pytest.param(25, marks=pytest.mark.full)])
@pytest.mark.parametrize("seed", range(len(LARGE)))
def test_large_spaces(seed: int, filters: int) -> None:
    rng = random.Random(seed)
    topic = topic_of(*LARGE[seed])
    for _ in range(filters):
        drawn = random_filter(rng, topic, rng.choice([1, 1, 2, 3]))
        limits = sorted(rng.sample(range(1, 40), 8))
        space, exact, volumes = results(drawn, 14, limits)
        assert volumes == sorted(volumes, reverse=True), str(drawn)
        reference = Reference(space, exact)
        for limit, volume in zip(limits, volumes, strict=True):
            assert volume <= reference.plain(limit), (str(drawn), limit)
        for limit in [limit for limit in limits if limit <= PASSING][:1]:
            assert volumes[limits.index(limit)] <= reference.passing_over(limit), (str(drawn), limit)


def test_limits_past_the_exact_choice_do_not_do_worse_than_smaller_ones() -> None:
    rng = random.Random(5)
    topic = topic_of(1024, 1024, 1024)
    for _ in range(3):
        drawn = random_filter(rng, topic, 1)
        taken = [
            Fraction(dz.volume(encode_dz(drawn, 30, limit)))
            for limit in (250, 255, 256, 257, 300, 511, 512, 513, 600, 1100)
        ]
        assert taken == sorted(taken, reverse=True)
