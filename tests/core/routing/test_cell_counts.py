"""Counted cells, their tops, and masks over cells, compared with plain definitions."""

from hypothesis import given
from hypothesis import strategies as st

from tercast.eventspace import dz as dzs
from tercast.routing.cell_counts import CellCounts
from tercast.routing.cell_keys import Order
from tercast.routing.cell_layers import Layer
from tests.property_profiles import examples

ORDER = Order(5)
keys = st.text("01", max_size=5).map(lambda text: ORDER.key(dzs.parse(text)))


def tops_of(members: list[int]) -> list[int]:
    return sorted({key for key in members if not any(o != key and ORDER.covers(o, key) for o in members)})


short = st.text("01", max_size=3).map(lambda text: ORDER.key(dzs.parse(text)))


@examples(300)
@given(
    st.lists(short.map(lambda key: (True, key)) | st.integers(0, 9).map(lambda i: (False, i)), max_size=40)
)
def test_tops_are_what_nothing_covers(steps: list[tuple[bool, int]]) -> None:
    cells, members = CellCounts(ORDER), list[int]()
    changed: set[int] = set()
    for adds, value in steps:
        if adds:
            members.append(value)
            came, went = cells.add(value)
        elif members:
            came, went = cells.remove(members.pop(value % len(members)))
        else:
            continue
        assert changed.isdisjoint(came)
        assert changed.issuperset(went)
        changed = (changed | set(came)) - set(went)
        assert list(cells.tops) == tops_of(members) == sorted(changed)
        assert bool(changed) == bool(members)


@given(st.lists(keys, max_size=20), keys)
def test_overlap_is_found_above_and_below(members: list[int], key: int) -> None:
    cells = CellCounts(ORDER)
    for member in members:
        cells.add(member)
    above = any(ORDER.covers(member, key) for member in members)
    below = any(ORDER.covers(key, member) for member in members)
    assert cells.overlaps(key) == (above or below)
    assert bool(cells.covering(key)) == above
    assert cells.below(key) == [top for top in tops_of(members) if ORDER.covers(key, top)]


@examples(300)
@given(st.dictionaries(keys, st.integers(1, 7), max_size=25), keys)
def test_the_mask_over_a_cell_is_that_of_all_cells_above(owners: dict[int, int], key: int) -> None:
    layer = Layer(ORDER)
    for cell in sorted(owners):  # parents first, so that the cells above one are known before it
        layer.insert(cell, owners[cell])
    expected = 0
    for cell, mask in owners.items():
        if cell != key and ORDER.covers(cell, key):
            expected |= mask
    assert layer.over(key) == expected
