"""The stream between two peers: complete, in order, once, and bounded while the other end is silent."""

from hypothesis import given
from hypothesis import strategies as st

from tercast.federation.messages.peer_messages import SetDone
from tercast.federation.messages.set_name import SetName
from tercast.federation.messages.sliding_window import FIRST_RETRY, LAST_RETRY, WINDOW, SlidingWindow
from tests.property_profiles import examples

NAME = SetName("a", "subscription")


def message(number: int) -> SetDone:
    return SetDone((1, 1), NAME, number)


@examples(60)
@given(data=st.data(), count=st.integers(0, 70))
def test_messages_arrive_once_and_in_order(data: st.DataObject, count: int) -> None:
    here, there = SlidingWindow(), SlidingWindow()
    here.add(iter([message(i) for i in range(count)]))
    channel: list[tuple[int, SetDone]] = []
    received: list[int] = []
    now = 0.0
    for step in range(160):
        channel += here.due(now)
        assert here.in_flight <= WINDOW
        fair = step > 60
        while channel and (fair or data.draw(st.booleans())):
            index = 0 if fair else data.draw(st.integers(0, min(5, len(channel) - 1)))
            number, one = (
                channel[index] if not fair and data.draw(st.integers(0, 3)) == 0 else channel.pop(index)
            )
            if fair or data.draw(st.integers(0, 4)):
                received += [each.version for each in there.receive(number, one)]
        if fair or data.draw(st.booleans()):
            here.acknowledge(there.received)
        if len(received) == count and not here.in_flight and not channel:
            break
        now += 1.0
    assert received == list(range(count))
    assert not there._early, "repeated messages are not kept"


def test_a_silent_neighbour_costs_one_window_and_fewer_and_fewer_repetitions() -> None:
    taken = 0

    def source():
        nonlocal taken
        for i in range(100_000):
            taken += 1
            yield message(i)

    window = SlidingWindow()
    window.add(source())
    sent = [len(window.due(quarter / 4)) for quarter in range(400)]
    assert taken == window.in_flight == WINDOW
    assert sum(sent) < WINDOW * (2 + 100 / LAST_RETRY + 5)
    assert window.due(0.0) == [] and FIRST_RETRY < LAST_RETRY


def test_an_acknowledgement_of_what_was_never_sent_is_ignored() -> None:
    window = SlidingWindow()
    window.add(iter([message(1)]))
    window.due(0.0)
    assert window.acknowledge(7) == [] and window.in_flight == 1
    assert window.acknowledge(1) == [message(1)] and window.acknowledge(1) == []
