"""The ledger distinguishes lost events, duplicates and false positives."""

from mininet_labs.demo.ledger import EventLedger, Percentiles

EVENT = ("a1", 7)


def arrive(ledger: EventLedger, host: str, *, wanted: bool = True, doubled: bool = False) -> None:
    ledger.arrived(EVENT, host, 2.0, wanted=wanted, doubled=doubled)


def test_what_arrives_everywhere_is_neither_lost_nor_doubled():
    ledger = EventLedger()
    ledger.sent(EVENT, 1.0, {}, {"h1", "h2"})
    arrive(ledger, "h1")
    arrive(ledger, "h2")
    assert (ledger.published, ledger.wanted, ledger.delivered) == (1, 2, 2)
    assert (ledger.lost(), ledger.doubled, ledger.unwanted) == (0, 0, 0)


def test_what_does_not_arrive_is_lost_and_a_second_copy_makes_up_for_nothing():
    ledger = EventLedger()
    ledger.sent(EVENT, 1.0, {}, {"h1", "h2"})
    arrive(ledger, "h1")
    arrive(ledger, "h1", doubled=True)
    assert (ledger.lost(), ledger.doubled, ledger.delivered) == (1, 1, 1)


def test_a_false_positive_does_not_hide_a_lost_event():
    ledger = EventLedger()
    ledger.sent(EVENT, 1.0, {}, {"h1"})
    arrive(ledger, "h3", wanted=False)
    assert (ledger.lost(), ledger.unwanted, ledger.delivered) == (1, 1, 1)


def test_an_event_under_way_is_not_yet_lost():
    ledger = EventLedger()
    ledger.sent(EVENT, 10.0, {}, {"h1"})
    assert ledger.lost(before=9.5) == 0
    assert ledger.lost(before=10.5) == 1


def test_old_losses_are_kept_as_a_count_only():
    ledger = EventLedger(patience=5.0)
    for seq in range(100):
        ledger.sent(("a1", seq), float(seq), {}, {"h1"})
    assert ledger.outstanding <= 6
    assert ledger.lost() == 100


def test_a_withdrawal_that_becomes_known_later_takes_back_what_was_wanted():
    ledger = EventLedger()
    ledger.sent(EVENT, 10.0, {"x": 1}, {"h1", "h2"})
    ledger.sent(("a1", 8), 11.0, {"x": 2}, {"h1"})
    ledger.revise(lambda publisher, values, at: {"h2"} if at < 10.5 else set())
    assert (ledger.wanted, ledger.lost()) == (1, 1)
    arrive(ledger, "h2")
    assert ledger.lost() == 0


def test_percentiles_are_within_a_class():
    values = Percentiles()
    assert values.at(0.5) is None
    for number in range(1, 1001):
        values.add(number / 10)
    assert abs(values.at(0.5) - 50.0) / 50.0 < 0.012
    assert abs(values.at(0.99) - 99.0) / 99.0 < 0.012
    assert abs(values.at(1.0) - 100.0) / 100.0 < 0.012
