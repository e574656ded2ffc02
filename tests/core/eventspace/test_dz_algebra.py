"""dz and sets of dz, against sets of plain strings at a fixed depth."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercast.errors import Refused
from tercast.eventspace import dz

DEPTH = 6
texts = st.text("01", max_size=DEPTH)
cell_lists = st.lists(texts, max_size=8)


def points(cells: list[str]) -> frozenset[str]:
    """All strings of full depth in one of the cells."""
    every = [format(i, f"0{DEPTH}b") for i in range(1 << DEPTH)]
    return frozenset(point for point in every if any(point.startswith(cell) for cell in cells))


def as_set(cells: list[str]) -> dz.DzSet:
    return dz.canonical(map(dz.parse, cells))


def points_of(cells: dz.DzSet) -> frozenset[str]:
    return points([dz.text(cell) for cell in cells])


def is_canonical(cells: dz.DzSet) -> bool:
    words = [dz.text(cell) for cell in cells]
    nested = any(a != b and b.startswith(a) for a in words for b in words)
    siblings = any(a[:-1] + "1" in words for a in words if a.endswith("0"))
    return words == sorted(set(words)) and not nested and not siblings


@given(texts)
def test_text_round_trip(word: str) -> None:
    cell = dz.parse(word)
    assert dz.text(cell) == word
    assert dz.length(cell) == len(word)


@pytest.mark.parametrize("word", ["2", "01x", " 01", "-1", "0b1", "٠", None, 5])
def test_what_is_no_dz_is_refused(word: object) -> None:
    with pytest.raises(Refused) as caught:
        dz.parse(word, ("requests", 0, "dz", 3))  # type: ignore[arg-type]
    assert caught.value.code == "not_a_dz"
    assert str(caught.value).startswith("requests[0].dz[3]: ")


@given(texts, texts)
def test_relations_of_two(a: str, b: str) -> None:
    x, y = dz.parse(a), dz.parse(b)
    assert dz.covers(x, y) == b.startswith(a)
    assert dz.overlaps(x, y) == (b.startswith(a) or a.startswith(b))
    expected = (
        dz.Relation.EQUAL
        if a == b
        else dz.Relation.COVERS
        if b.startswith(a)
        else dz.Relation.COVERED
        if a.startswith(b)
        else dz.Relation.DISJOINT
    )
    assert dz.relation(x, y) is expected
    common = dz.text(dz.common_prefix(x, y))
    assert a.startswith(common)
    assert b.startswith(common)
    assert a[len(common) : len(common) + 1] != b[len(common) : len(common) + 1] or common in (a, b)


@given(texts, st.integers(0, DEPTH + 2))
def test_steps_along_a_path(word: str, bits: int) -> None:
    cell = dz.parse(word)
    assert dz.text(dz.child(cell, 0)) == word + "0"
    assert dz.text(dz.child(cell, 1)) == word + "1"
    assert dz.text(dz.prefix(cell, bits)) == word[:bits]
    if word:
        assert dz.text(dz.parent(cell)) == word[:-1]
        assert dz.text(dz.sibling(cell)) == word[:-1] + "10"[int(word[-1])]


def test_the_whole_space_has_no_parent_and_no_sibling() -> None:
    with pytest.raises(ValueError, match="parent"):
        dz.parent(dz.WHOLE)
    with pytest.raises(ValueError, match="sibling"):
        dz.sibling(dz.WHOLE)


@given(cell_lists)
def test_canonical(cells: list[str]) -> None:
    made = as_set(cells)
    assert is_canonical(made)
    assert points_of(made) == points(cells)
    assert dz.volume(made) == Fraction(len(points(cells)), 1 << DEPTH)


@given(cell_lists, cell_lists)
def test_set_algebra(a: list[str], b: list[str]) -> None:
    x, y = as_set(a), as_set(b)
    for made, expected in (
        (dz.union(x, y), points(a) | points(b)),
        (dz.intersection(x, y), points(a) & points(b)),
        (dz.difference(x, y), points(a) - points(b)),
    ):
        assert is_canonical(made)
        assert points_of(made) == expected
    assert dz.set_covers(x, y) == (points(a) >= points(b))
    assert dz.set_overlaps(x, y) == bool(points(a) & points(b))
