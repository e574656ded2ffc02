"""Table 5.1 of Mishra's thesis 3450: the values of the message types."""

import re
from pathlib import Path

from tercast.signalling.messages import MessageType

TABLE_5_1 = {
    0: MessageType.ADVERTISE,
    1: MessageType.UNADVERTISE,
    2: MessageType.SUBSCRIBE,
    3: MessageType.UNSUBSCRIBE,
    4: MessageType.ADDRESS,  # "IP address at which the subscriber is listening"
}


def test_the_first_five_types_are_those_of_the_thesis() -> None:
    assert {value: MessageType(value) for value in range(5)} == TABLE_5_1


def test_the_page_lists_the_same_values() -> None:
    page = (Path(__file__).parents[3] / "docs" / "signalling.md").read_text(encoding="utf-8")
    assert re.search(r"0 advertise, 1 unadvertise, 2 subscribe, 3 unsubscribe, 4 my address", page)
