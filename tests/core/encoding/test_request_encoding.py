"""A filter is encoded once: a request that has the cells of its filter is only checked."""

from __future__ import annotations

import pytest

from tercast.encoding import request_encoding
from tercast.encoding.encoder import encode_dz
from tercast.encoding.request_encoding import encoding_of
from tercast.errors import Refused
from tercast.eventspace.dz import DzSet
from tercast.eventspace.topic import Int, Topic
from tercast.filters.filter import Filter
from tercast.requests.model import Subscribe

PLAIN = Topic("t", 1, (Int("a", 0, 1023), Int("b", 0, 99)))
TOPICS = [PLAIN, PLAIN.with_cuts([["a", 100], 1, 1])]
TEXT = "a < 70 or b != 3"


def subscribe(text: str, cells: DzSet | None) -> Subscribe:
    return Subscribe(id="s", host="h1", topic="t", filter=text, dz=cells)


@pytest.mark.parametrize("topic", TOPICS)
def test_cells_of_a_request_are_not_computed_again(topic: Topic, monkeypatch: pytest.MonkeyPatch) -> None:
    cells = encode_dz(Filter.parse(TEXT, topic), 20, 16)
    assert encoding_of(subscribe(TEXT, None), topic, 20, 16) == cells

    def encode_again(*_: object) -> DzSet:
        raise AssertionError

    monkeypatch.setattr(request_encoding, "encode_dz", encode_again)
    assert encoding_of(subscribe(TEXT, cells), topic, 20, 16) == cells


@pytest.mark.parametrize("topic", TOPICS)
def test_the_filter_of_a_request_with_cells_is_checked(topic: Topic) -> None:
    """The log decides alone whether a request is valid, since a later event space needs the filter."""
    with pytest.raises(Refused):
        encoding_of(subscribe("a < 70 or c = 3", (1,)), topic, 20, 16)
