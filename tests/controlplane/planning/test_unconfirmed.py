"""Who waits for which switch."""

from hypothesis import given, settings
from hypothesis import strategies as st

from controlplane.common.address_plan import address_plan
from controlplane.planning.unconfirmed import EventRegion, OutstandingChange, Unconfirmed, place_of
from tercast.eventspace import dz
from tercast.tables.entries import Entry
from tests.support.controlplane.former_waits import BothLag


def dst(text: str, code: int = 4) -> str:
    return address_plan().match(code, dz.parse(text))


def region(*texts: str, code: int = 4) -> EventRegion:
    return EventRegion(code, tuple(map(dz.parse, texts)))


def lagging(**debts: OutstandingChange) -> Unconfirmed:
    unconfirmed = Unconfirmed()
    for name, debt in debts.items():
        unconfirmed.put(name, debt)
    return unconfirmed


def test_a_region_is_concerned_by_entries_above_and_below_it_and_by_no_others():
    unconfirmed = lagging(s1=OutstandingChange(missing=frozenset({dst("01")})))
    assert unconfirmed.concerns("s1", region("0"))
    assert unconfirmed.concerns("s1", region("11", "0110"))
    assert not unconfirmed.concerns("s1", region("00", "1"))
    assert not unconfirmed.concerns("s1", region("01", code=6))
    assert unconfirmed.concerns("s1", region("01", code=5))  # the topic's other code
    assert not unconfirmed.concerns("s2", region("01"))


def test_a_request_about_anything_waits_for_every_lagging_switch():
    assert lagging(s1=OutstandingChange(missing=frozenset({dst("01")}))).concerns("s1", None)


def test_entries_that_are_left_over_count_too():
    assert lagging(s1=OutstandingChange(left_over=frozenset({dst("01")}))).concerns("s1", region("011"))


def test_a_debt_grows_and_is_settled():
    unconfirmed = lagging(s1=OutstandingChange(missing=frozenset({dst("00")})))
    unconfirmed.add("s1", OutstandingChange(missing=frozenset({dst("11")})))
    assert unconfirmed.concerns("s1", region("00")) and unconfirmed.concerns("s1", region("11"))
    unconfirmed.settle("s1")
    assert not unconfirmed and not unconfirmed.concerns("s1", region("00"))


def test_removals_are_held_up_by_what_others_miss_there():
    entries = [Entry(dst(text), None, 20, ()) for text in ("00", "01")]
    unconfirmed = lagging(
        s1=OutstandingChange(missing=frozenset({dst("011")})),
        s2=OutstandingChange(left_over=frozenset({dst("00")})),
    )
    assert unconfirmed.held(entries, ["s1", "s2"]) == {dst("01")}
    assert unconfirmed.held(entries, ["s2"]) == frozenset()


@settings(max_examples=50, deadline=None)
@given(st.data())
def test_the_index_answers_as_plain_sets_do(data):
    unconfirmed, cells = BothLag(), st.text("01", max_size=5)
    debts = st.builds(
        OutstandingChange, *[st.frozensets(st.builds(dst, cells, st.sampled_from([4, 5, 6])), max_size=4)] * 2
    )
    names = st.sampled_from(["s1", "s2"])
    for _ in range(data.draw(st.integers(1, 8))):
        name, before = data.draw(names), set(unconfirmed)
        match data.draw(st.sampled_from(["add", "put", "lose", "settle"])):
            case "add":
                unconfirmed.add(name, data.draw(debts))
            case "put":
                unconfirmed.put(name, data.draw(debts))
            case "lose":
                unconfirmed.lose(name, "away")
            case "settle":
                unconfirmed.settle(name)
        assert set(unconfirmed) == set(unconfirmed.debts) and before - set(unconfirmed) <= {name}
    where = data.draw(
        st.builds(EventRegion, st.sampled_from([4, 6]), st.lists(st.builds(dz.parse, cells), max_size=3))
    )
    for region in (where, None):
        expected = [name for name in ("s1", "s2") if unconfirmed.concerns_plainly(name, region)]
        assert unconfirmed.concerned(["s1", "s2", "s3"], region) == expected
        assert [name for name in ("s1", "s2", "s3") if unconfirmed.concerns(name, region)] == expected
    dsts = data.draw(st.lists(st.builds(dst, cells), max_size=5))
    entries = [Entry(one, None, 20, ()) for one in dsts]
    assert unconfirmed.held(entries, ["s1", "s2"]) == unconfirmed.held_plainly(dsts, ["s1", "s2"])
    assert unconfirmed.held_up() == unconfirmed.held_up_plainly()


def test_a_confirmed_change_is_reported_once():
    unconfirmed = lagging(
        s1=OutstandingChange(missing=frozenset({dst("00"), dst("01")}), left_over=frozenset({dst("00")}))
    )
    unconfirmed.add("s1", OutstandingChange(missing=frozenset({dst("11")})))
    assert unconfirmed.take_eased() == {}
    unconfirmed.put("s1", OutstandingChange(missing=frozenset({dst("00"), dst("11")})))
    gone = unconfirmed.take_eased()["s1"]
    assert sorted(gone) == sorted([place_of(dst("01")), place_of(dst("00"))])  # one missing, one left over
    unconfirmed.settle("s1")
    assert unconfirmed.take_eased() == {"s1": None}
    assert unconfirmed.take_eased() == {}
