"""Who waits for which switch."""

from controlplane.config.planning import address_plan
from controlplane.control.lag import Debt, Lag, Region
from tercast import dz
from tercast.tables import Entry


def dst(text: str, code: int = 4) -> str:
    return address_plan().match(code, dz.parse(text))


def region(*texts: str, code: int = 4) -> Region:
    return Region(code, tuple(map(dz.parse, texts)))


def lagging(**debts: Debt) -> Lag:
    lag = Lag()
    for name, debt in debts.items():
        lag.put(name, debt)
    return lag


def test_a_region_is_concerned_by_entries_above_and_below_it_and_by_no_others():
    lag = lagging(s1=Debt(missing=frozenset({dst("01")})))
    assert lag.concerns("s1", region("0"))
    assert lag.concerns("s1", region("11", "0110"))
    assert not lag.concerns("s1", region("00", "1"))
    assert not lag.concerns("s1", region("01", code=6))
    assert lag.concerns("s1", region("01", code=5))  # the topic's other code
    assert not lag.concerns("s2", region("01"))


def test_a_request_about_anything_waits_for_every_lagging_switch():
    assert lagging(s1=Debt(missing=frozenset({dst("01")}))).concerns("s1", None)


def test_entries_that_are_left_over_count_too():
    assert lagging(s1=Debt(left_over=frozenset({dst("01")}))).concerns("s1", region("011"))


def test_a_debt_grows_and_is_settled():
    lag = lagging(s1=Debt(missing=frozenset({dst("00")})))
    lag.add("s1", Debt(missing=frozenset({dst("11")})))
    assert lag.concerns("s1", region("00")) and lag.concerns("s1", region("11"))
    lag.settle("s1")
    assert not lag and not lag.concerns("s1", region("00"))


def test_removals_are_held_up_by_what_others_miss_there():
    entries = [Entry(dst(text), None, 20, ()) for text in ("00", "01")]
    lag = lagging(s1=Debt(missing=frozenset({dst("011")})), s2=Debt(left_over=frozenset({dst("00")})))
    assert lag.held(entries, ["s1", "s2"]) == {dst("01")}
    assert lag.held(entries, ["s2"]) == frozenset()
