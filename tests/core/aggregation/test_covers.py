"""What covers make of a table, against a brute force that looks at every point of a small space."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercast.aggregation.definition import ALL, ExactTable, apply_covers, satisfies_tree_rule
from tercast.errors import Refused
from tercast.eventspace.dz import covers, parse, text
from tercast.routing.cell_keys import Order
from tercast.tables.covers import Cover, TableCovers, network_covers_json, read_network_covers
from tests.property_profiles import examples

DEPTH = 4
ORDER = Order(DEPTH)
LINKS = 0b00111
MATES = 0b11000
PORT = 9
POINTS = range(1 << DEPTH, 2 << DEPTH)

cell = st.integers(1, (2 << DEPTH) - 1)
masks = st.integers(1, 31)


def disjoint(cells: list[int]) -> list[int]:
    out: list[int] = []
    for dz in sorted(set(cells), key=bin):
        if not any(covers(other, dz) for other in out):
            out.append(dz)
    return out


@st.composite
def grounds(draw: st.DrawFn) -> ExactTable:
    plain = draw(st.dictionaries(cell, masks, max_size=8))
    inner = draw(
        st.dictionaries(cell, st.tuples(st.integers(0, 7), st.sampled_from([8, 16, 24])), max_size=3)
    )
    trees = {dz: draw(st.integers(0, 7)) for dz in disjoint(draw(st.lists(cell, max_size=4)))}
    return ExactTable(
        ORDER,
        {ORDER.key(dz): mask for dz, mask in plain.items()},
        {(PORT, ORDER.key(dz)): found for dz, found in inner.items()},
        trees={ORDER.key(dz): mask for dz, mask in trees.items()},
        links=LINKS,
        mates={PORT: MATES},
    )


@st.composite
def covers_of(draw: st.DrawFn) -> tuple[Cover, ...]:
    found = []
    for dz in disjoint(draw(st.lists(cell, max_size=3))):
        below = [other for other in range(2, 2 << DEPTH) if other != dz and covers(dz, other)]
        kept = draw(st.lists(st.sampled_from(below), max_size=4)) if below else []
        found.append(Cover.of(dz, kept))
    return tuple(found)


def longest(table: dict[int, Any], point: int) -> int | None:
    return max((dz for dz in table if covers(dz, point)), default=None)


def exact(ground: ExactTable, point: int, port: int | None) -> tuple[int, int]:
    inner = {ORDER.dz(key): found for key, found in ground.in_port(PORT).items()} if port else {}
    hit = longest(inner, point)
    if hit is not None:
        return inner[hit]
    plain = {ORDER.dz(key): mask for key, mask in ground.plain.items()}
    hit = longest(plain, point)
    outputs = 0 if hit is None else plain[hit]
    return (outputs & ~MATES if port else outputs), 0


def expected(
    ground: ExactTable, found: tuple[Cover, ...], port: int | None
) -> dict[int, tuple[int, int, int]]:
    """Of every cell under a cover: outputs, outputs back, allowed links, by its points."""
    trees = {ORDER.dz(key): mask for key, mask in ground.trees.items()}
    out = {}
    for cover in found:
        under = {dz: [0, 0, ALL] for dz in (cover.dz, *cover.kept)}
        for point in POINTS:
            hit = longest(under, point)
            if hit is not None:
                outputs, back = exact(ground, point, port)
                under[hit][0] |= outputs
                under[hit][1] |= back
                tree = longest(trees, point)
                under[hit][2] &= ALL if tree is None else trees[tree]
        out.update({dz: (a, b, c) for dz, (a, b, c) in under.items()})
    return out


@given(grounds(), covers_of(), covers_of())
@examples(300)
def test_entries_are_the_union_of_what_resolves_to_them(
    ground: ExactTable, plain: tuple[Cover, ...], inner: tuple[Cover, ...]
) -> None:
    installed = apply_covers(ground, TableCovers(plain, {PORT: inner}))
    masks = {ORDER.dz(key): mask for key, mask in installed.plain.items()}
    assert {dz: mask for dz, mask in masks.items() if any(covers(cover.dz, dz) for cover in plain)} == {
        dz: found[0] for dz, found in expected(ground, plain, None).items()
    }
    assert {dz: mask for dz, mask in masks.items() if not any(covers(cover.dz, dz) for cover in plain)} == {
        ORDER.dz(key): mask
        for key, mask in ground.plain.items()
        if not any(covers(cover.dz, ORDER.dz(key)) for cover in plain)
    }
    assert {
        ORDER.dz(key): found
        for (_, key), found in installed.in_port.items()
        if any(covers(cover.dz, ORDER.dz(key)) for cover in inner)
    } == {dz: found[:2] for dz, found in expected(ground, inner, PORT).items()}


@given(grounds(), covers_of(), st.sampled_from([None, PORT]))
@examples(300)
def test_outputs_are_edges_of_every_tree_in_the_region(
    ground: ExactTable, found: tuple[Cover, ...], port: int | None
) -> None:
    for cover in found:
        points = expected(ground, (cover,), port).values()
        assert satisfies_tree_rule(ground, cover, port) == all(
            not out & LINKS & ~edges for out, _, edges in points
        )


@given(grounds(), covers_of(), covers_of())
def test_nothing_is_lost(ground: ExactTable, plain: tuple[Cover, ...], inner: tuple[Cover, ...]) -> None:
    installed = apply_covers(ground, TableCovers(plain, {PORT: inner}))
    for point in POINTS:
        hit = longest({ORDER.dz(key): 0 for key in installed.plain}, point)
        outputs = 0 if hit is None else installed.plain[ORDER.key(hit)]
        assert not exact(ground, point, None)[0] & ~outputs
        hit = longest({ORDER.dz(key): 0 for _, key in installed.in_port}, point)
        if hit is not None:
            there = installed.in_port[PORT, ORDER.key(hit)]
            wanted = exact(ground, point, PORT)
            assert not wanted[0] & ~there[0]
            assert not wanted[1] & ~there[1]


def test_a_merge_and_an_exception_worked_by_hand() -> None:
    table = {parse("00"): 1, parse("010"): 2, parse("0111"): 7}
    ground = ExactTable(
        ORDER, {ORDER.key(dz): mask for dz, mask in table.items()}, {}, trees={}, links=LINKS, mates={}
    )
    merged = apply_covers(ground, TableCovers((Cover(parse("0")),)))
    assert {text(ORDER.dz(key)): mask for key, mask in merged.plain.items()} == {"0": 7}
    kept = apply_covers(ground, TableCovers((Cover.of(parse("0"), [parse("011")]),)))
    assert {text(ORDER.dz(key)): mask for key, mask in kept.plain.items()} == {"0": 3, "011": 7}
    drops = apply_covers(ground, TableCovers((Cover.of(parse("0"), [parse("0110")]),)))
    assert {text(ORDER.dz(key)): mask for key, mask in drops.plain.items()} == {"0": 7, "0110": 0}


@given(covers_of(), covers_of())
def test_json_there_and_back(plain: tuple[Cover, ...], inner: tuple[Cover, ...]) -> None:
    found = {"s1": {"a": TableCovers(plain, {3: inner} if inner else {})}, "s2": {}}
    read = read_network_covers(network_covers_json(found))
    assert read == {"s1": {"a": found["s1"]["a"]} if found["s1"]["a"] else {}, "s2": {}}


@pytest.mark.parametrize(
    ("obj", "where", "code"),
    [
        ({"plain": [{"dz": "0", "kept": ["0"]}]}, "plain[0].kept[0]", "not_below"),
        ({"plain": [{"dz": "0", "kept": ["10"]}]}, "plain[0].kept[0]", "not_below"),
        ({"plain": [{"dz": "0", "kept": ["01", "00"]}]}, "plain[0].kept[1]", "not_in_order"),
        ({"plain": [{"dz": "0", "kept": ["01", "01"]}]}, "plain[0].kept[1]", "not_in_order"),
        ({"plain": [{"dz": "0", "kept": ["2"]}]}, "plain[0].kept[0]", "not_a_dz"),
        ({"plain": [{"dz": "0", "kept": []}, {"dz": "01", "kept": []}]}, "plain[1]", "overlap"),
        ({"plain": [{"dz": 0, "kept": []}]}, "plain[0].dz", "wrong_type"),
        ({"plain": [{"dz": "0"}]}, "plain[0].kept", "missing_key"),
        ({"in_port": {"x": []}}, "in_port.x", "wrong_type"),
        ({"in_port": {"0": []}}, 'in_port["0"]', "out_of_range"),
        ({"other": []}, "other", "unknown_key"),
    ],
)
def test_refused(obj: dict[str, object], where: str, code: str) -> None:
    with pytest.raises(Refused) as caught:
        TableCovers.from_json(obj)
    assert (str(caught.value).split(": ")[0], caught.value.code) == (where, code)
