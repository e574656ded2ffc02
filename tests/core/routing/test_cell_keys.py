"""Sort keys of cells and sorted sets of them, compared with plain lists and texts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercast.eventspace import dz as dzs
from tercast.routing import cell_keys as keys_module
from tercast.routing.cell_keys import FAR, NONE, Order, SortedKeys

ORDER = Order(6)
texts = st.text("01", max_size=6)
key_sets = st.sets(texts.map(lambda text: ORDER.key(dzs.parse(text))), max_size=40)


@given(texts, texts)
def test_keys_sort_like_texts_and_know_what_they_cover(a: str, b: str) -> None:
    x, y = ORDER.key(dzs.parse(a)), ORDER.key(dzs.parse(b))
    assert dzs.text(ORDER.dz(x)) == a
    assert (x < y) == (a < b)
    assert ORDER.covers(x, y) == b.startswith(a)
    assert (x <= y < ORDER.end(x)) == b.startswith(a)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keys_module, "_BLOCK", 2)


@given(st.lists(st.tuples(st.booleans(), texts.map(lambda text: ORDER.key(dzs.parse(text))))), key_sets)
def test_sorted_keys_are_a_sorted_list(steps: list[tuple[bool, int]], start: set[int]) -> None:
    keys_module._BLOCK = 2
    found, plain = SortedKeys(start), sorted(start)
    for adds, key in steps:
        if adds and key not in plain:
            below = max((other for other in plain if other < key), default=NONE)
            above = min((other for other in plain if other > key), default=FAR)
            assert found.around(key) == (below, above)
            assert found.add(key) == (below, above)
            plain = sorted([*plain, key])
        elif not adds and key in plain:
            found.remove(key)
            plain.remove(key)
        assert list(found) == plain
        assert len(found) == len(plain)
        assert found.floor(key) == max((other for other in plain if other <= key), default=NONE)
        assert found.ceil(key) == min((other for other in plain if other >= key), default=FAR)


@given(key_sets, texts, texts)
def test_ranges_and_scans_return_the_keys_between(members: set[int], a: str, b: str) -> None:
    keys_module._BLOCK = 2
    low, high = ORDER.key(dzs.parse(a)), ORDER.end(ORDER.key(dzs.parse(b)))
    found = SortedKeys(members)
    inside = [key for key in sorted(members) if low <= key < high]
    assert found.range(low, high) == inside
    assert list(found.scan(low, high)) == inside


@given(key_sets, texts)
def test_a_scan_passes_over_what_a_cell_covers(members: set[int], a: str) -> None:
    keys_module._BLOCK = 2
    found = SortedKeys(members)
    top = ORDER.key(dzs.parse(a))
    seen = []
    scan = found.scan(1, FAR)
    try:
        key = next(scan)
        while True:
            seen.append(key)
            key = scan.send(ORDER.end(key) if key == top else None)
    except StopIteration:
        pass
    assert seen == [
        key for key in sorted(members) if key == top or top not in members or not ORDER.covers(top, key)
    ]
