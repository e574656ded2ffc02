"""The messages of the live stream, without a stream."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controlplane.live.protocol import (
    Close,
    Ended,
    Ping,
    ResumePoint,
    StreamBounds,
    answer_resume,
    error,
    event_text,
    parse,
)

ID = st.integers(0, (1 << 63) - 1)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(ID)
def test_from_names_an_id(id_):
    assert parse(json.dumps({"type": "from", "id": id_})) == ResumePoint(id_)


@pytest.mark.parametrize("text", ['{"type": "from"}', '{"type": "from", "id": null}'])
def test_from_may_name_none(text):
    assert parse(text) == ResumePoint(None)


def test_what_is_not_known_beside_the_type_is_left_alone():
    assert parse('{"type": "ping", "of": "the next version"}') == Ping()


@given(st.text() | VALUES.map(json.dumps))
def test_any_text_is_understood_or_refused(text):
    try:
        assert isinstance(parse(text), ResumePoint | Ping)
    except Ended as ended:
        assert ended.close == Close.BAD_MESSAGE
        assert len(ended.reason.encode()) <= 123


@given(VALUES)
def test_an_event_is_ascii_whatever_it_holds(payload):
    text = event_text(7, "alarm", payload, "2026-01-01T00:00:00Z")
    assert text.isascii() and json.loads(text)["payload"] == payload


@given(st.integers(0, 50), st.integers(0, 50), st.integers(0, 60))
def test_going_on_is_promised_exactly_when_nothing_is_missing(oldest, kept, id_):
    bounds = StreamBounds(oldest, oldest + kept) if oldest else StreamBounds(0, 0)
    served, text = answer_resume(bounds, id_)
    missing = id_ > bounds.newest or (id_ < bounds.newest and id_ + 1 < bounds.oldest)
    assert served == (not missing)
    kind = json.loads(text)["type"]
    assert kind == ("reload" if missing else "up-to-date" if id_ == bounds.newest else "replayed")


def test_a_long_reason_is_cut_to_a_close_frame_between_characters():
    ended = Ended(Close.FAILED, "ü" * 100)
    assert ended.reason == "ü" * 61
    assert json.loads(error(ended)) == {"type": "error", "code": 1011, "detail": "ü" * 100}
