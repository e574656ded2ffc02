"""Sets with versions: diffs, digests, supersets, and the newest state that waits."""

from hypothesis import given
from hypothesis import strategies as st

from tercast.eventspace.dz import DzSet, canonical, parse, set_covers
from tercast.federation.exchange.exchanged_sets import IncomingSet, OutgoingSet, coarsened, digest_of
from tests.property_profiles import examples

cells = st.lists(st.text("01", max_size=6).map(parse), max_size=12).map(canonical)


@examples(200)
@given(states=st.lists(st.tuples(cells, st.booleans()), max_size=12))
def test_the_neighbour_has_the_newest_state_after_the_last_exchange(
    states: list[tuple[DzSet, bool]],
) -> None:
    here, there = OutgoingSet(), IncomingSet()
    flying = None

    def arrive() -> None:
        nonlocal flying
        if flying is not None:
            assert flying.from_version == there.version
            assert there.apply(flying.added, flying.removed, flying.to_version) == flying.digest
            here.acknowledge(flying.to_version)
            flying = None

    for state, arrives in states:
        here.wanted = frozenset(state)
        change = here.next_change()
        assert change is None or flying is None, "only one exchange is in transit"
        flying = change or flying
        if arrives:
            arrive()
    while flying or here.wanted != here.cells:
        arrive()
        flying = here.next_change()
    assert there.cells == here.wanted == frozenset(states[-1][0] if states else ())
    assert there.digest == digest_of(there.cells) and there.version == here.version


@examples(200)
@given(some=cells, limit=st.integers(1, 6))
def test_a_coarser_set_is_a_superset_within_its_limit(some: DzSet, limit: int) -> None:
    coarse = coarsened(some, limit)
    assert len(coarse) <= limit and set_covers(coarse, some)
    assert coarse == some or len(some) > limit


def test_digests_differ_for_cells_of_different_length() -> None:
    assert digest_of([parse("0")]) != digest_of([parse("00")])
    assert digest_of([parse("0"), parse("11")]) == digest_of([parse("11"), parse("0")])
