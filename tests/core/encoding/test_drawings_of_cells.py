"""Cells that the papers draw for two attributes, from the text of their examples."""

from fractions import Fraction

import pytest

from tercast.encoding.encoder import encode_dz
from tercast.eventspace import dz as dzs
from tercast.eventspace.topic import Topic
from tercast.filters.filter import Filter


def topic(*names: str) -> Topic:
    rows = [{"name": name, "type": "float", "min": 0.0, "max": 100.0} for name in names]
    return Topic.from_json({"name": "t", "code": 2, "attributes": rows})


def cells(text: str, names: tuple[str, ...], depth: int) -> set[str]:
    return {dzs.text(dz) for dz in encode_dz(Filter.parse(text, topic(*names)), depth, 50)}


@pytest.mark.parametrize(
    ("names", "depth", "text", "expected"),
    [
        # Mishra 3.3: s1 = {Pressure = [25,50], Area = [0,100]}, s2 = {Pressure = [25,50], Area = [0,50]}
        (("Pressure", "Area"), 3, "Pressure >= 25 and Pressure < 50", {"001", "011"}),
        (("Pressure", "Area"), 3, "Pressure >= 25 and Pressure < 50 and Area < 50", {"001"}),
        # PLEROMA 2: the advertisement needs two dz
        (("A", "B"), 3, "A >= 50 and A < 75", {"100", "110"}),
        # DEBS 1: sub1, sub2, and sub3 with two bits
        (("T", "P"), 2, "T in [50, 100] and P in [50, 100]", {"11"}),
        (("T", "P"), 2, "T >= 50 and P < 50", {"10"}),
        (("T", "P"), 2, "T >= 25 and T < 75 and P >= 50", {"01", "11"}),
    ],
)
def test_a_subscription_has_the_cells_of_the_drawing(
    names: tuple[str, ...], depth: int, text: str, expected: set[str]
) -> None:
    found = {dz for cell in cells(text, names, depth) for dz in _of_length(cell, depth)}
    assert found == {dz for cell in expected for dz in _of_length(cell, depth)}


def _of_length(cell: str, depth: int) -> list[str]:
    rest = depth - len(cell)
    return [cell + format(number, f"0{rest}b") for number in range(1 << rest)] if rest else [cell]


def test_kicherer_1_1_and_1_2_events_get_longer_dz_with_each_cut() -> None:
    space = topic("A", "B")
    e1, e2 = space.check({"A": 20.0, "B": 50.0}), space.check({"A": 75.0, "B": 65.0})
    assert [dzs.text(space.event_dz(e1, depth)) for depth in (1, 2, 3, 4)] == ["0", "01", "010", "0100"]
    assert [dzs.text(space.event_dz(e2, depth)) for depth in (1, 2, 3, 4)] == ["1", "11", "111", "1110"]


def test_pleroma_the_rest_of_a_cell_needs_several() -> None:
    """The non-overlapping part of 0 and 000 contains 001, 010 and 011."""
    rest = dzs.difference(dzs.canonical([dzs.parse("0")]), dzs.canonical([dzs.parse("000")]))
    assert {dzs.text(dz) for dz in rest} == {"001", "01"}


def test_debs_4_false_positive_space_of_port_2_is_three_sixteenths() -> None:
    finest = dzs.canonical(map(dzs.parse, ("001", "010")))
    port_2 = dzs.canonical([dzs.parse("0100")])
    assert dzs.volume(finest) == Fraction(1, 4)
    assert dzs.volume(port_2) == Fraction(1, 16)
    assert dzs.volume(dzs.difference(finest, port_2)) == Fraction(3, 16)
