"""Control messages as bytes: one form for each, and a named error for other bytes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercast.eventspace import dz
from tercast.signalling.codec import decode_answer, decode_message, encode_answer, encode_message
from tercast.signalling.errors import MalformedMessage
from tercast.signalling.messages import (
    MAX_MESSAGE,
    CellsBody,
    ControlMessage,
    ControlReply,
    FilterText,
    MessageType,
    NamedBody,
    ReplyStatus,
)
from tercast.signalling.seal import Seal
from tests.property_profiles import examples
from tests.support import signal_strategies as some

KEY = bytes(range(32))


@given(some.messages, some.seals)
def test_a_message_comes_back_as_it_was(message, seal):
    data = encode_message(message, seal)
    received = decode_message(data)
    assert received.message == message
    assert (received.sealed is None) == (seal is None)
    if seal is not None:
        assert received.sealed.counter == seal.counter and received.sealed.fits(seal.key)


@given(some.answers, some.seals)
def test_an_answer_comes_back_as_it_was(answer, seal):
    received = decode_answer(encode_answer(answer, seal))
    assert received.answer == answer
    if seal is not None:
        assert received.sealed.counter == seal.counter and received.sealed.fits(seal.key)


@examples(400)
@given(st.binary(max_size=80) | st.binary(max_size=60).map(lambda tail: b"T\x12" + tail))
def test_any_bytes_are_a_message_in_its_one_form_or_refused_by_name(data):
    for decode, encode in ((decode_message, encode_message), (decode_answer, encode_answer)):
        try:
            received = decode(data)
        except MalformedMessage as malformed:
            assert malformed.code and 0 <= malformed.position <= len(data)
            assert "\n" not in str(malformed)
        else:
            if received.sealed is None:
                assert encode(getattr(received, "message", None) or received.answer) == data


@examples(300)
@given(some.messages, some.seals, st.data())
def test_a_changed_message_is_another_one_or_none(message, seal, data):
    """Different byte strings have different meanings, and a seal does not match changed bytes."""
    sent = encode_message(message, seal)
    at = data.draw(st.integers(0, len(sent) - 1))
    changed = bytearray(sent)
    changed[at] ^= data.draw(st.integers(1, 255))
    try:
        received = decode_message(bytes(changed))
    except MalformedMessage:
        return
    if seal is None or received.sealed is None:
        assert received.message != message or (received.sealed is None) != (seal is None)
    else:
        assert not received.sealed.fits(seal.key)


@given(some.messages, some.seals, st.data())
def test_a_cut_message_is_none(message, seal, data):
    sent = encode_message(message, seal)
    with pytest.raises(MalformedMessage):
        decode_message(sent[: data.draw(st.integers(0, len(sent) - 1))])
    with pytest.raises(MalformedMessage) as info:
        decode_message(sent + b"\0")
    assert seal is not None or info.value.code == "left_over"


REFUSED = {
    "too_large": b"T" * (MAX_MESSAGE + 1),
    "truncated": b"",
    "not_ours": bytes.fromhex("00120000"),
    "unknown_version": bytes.fromhex("54220000"),
    "unknown_kind": bytes.fromhex("54110000"),
    "unknown_type": bytes.fromhex("54120700"),
    "unknown_flags": bytes.fromhex("54120004"),
    "bad_form": bytes.fromhex("54120200 0000000000000001 02"),
    "bad_count": bytes.fromhex("54120200 0000000000000001 00 0004 00"),
    "bad_cell": bytes.fromhex("54120200 0000000000000001 00 0004 01 01 c0"),
    "not_canonical": bytes.fromhex("54120200 0000000000000001 00 0004 02 0100 0180"),
    "bad_number": bytes.fromhex("54120200 0000000000000001 00 00 8400 01 0100"),
    "bad_text": bytes.fromhex("54120200 0000000000000001 01 0004 0001 ff"),
    "bad_address": bytes.fromhex("54120400 0000000000000001 03 05 0102030405"),
    "left_over": bytes.fromhex("54120200 0000000000000001 01 0004 0000 00"),
}


@pytest.mark.parametrize("code", REFUSED)
def test_each_fault_has_its_code(code):
    with pytest.raises(MalformedMessage) as info:
        decode_message(REFUSED[code])
    assert info.value.code == code


def test_a_counter_beyond_63_bits_is_refused():
    sent = encode_message(ControlMessage(MessageType.SUBSCRIBE, 1, FilterText(4, "")), Seal(KEY, 5))
    bad = sent[:-40] + b"\xff" * 8 + sent[-32:]
    with pytest.raises(MalformedMessage) as info:
        decode_message(bad)
    assert info.value.code == "bad_number"


@pytest.mark.parametrize(
    "message",
    [
        ControlMessage(MessageType.SUBSCRIBE, 1, FilterText(4, "x" * 1300)),
        ControlMessage(MessageType.SUBSCRIBE, 1, FilterText("", "x")),
        ControlMessage(MessageType.SUBSCRIBE, 1, FilterText(4, "a\0")),
        ControlMessage(MessageType.SUBSCRIBE, 1, CellsBody(4, ())),
        ControlMessage(MessageType.SUBSCRIBE, 1, CellsBody(4, (dz.parse("0"), dz.parse("1")))),
        ControlMessage(MessageType.SUBSCRIBE, 1, CellsBody(4, (1 << 113,))),
        ControlMessage(MessageType.UNSUBSCRIBE, 1 << 64, NamedBody("q1")),
    ],
)
def test_what_has_no_room_is_not_sent(message):
    with pytest.raises(ValueError):
        encode_message(message)


def test_a_long_detail_is_cut_and_stays_text():
    answer = ControlReply(ReplyStatus.REFUSED, 1, reason="bad", detail="ä" * 500)
    detail = decode_answer(encode_answer(answer)).answer.detail
    assert detail.endswith("...") and len(detail.encode()) <= 600 and set(detail[:-3]) == {"ä"}


@given(some.keys, some.keys, some.messages)
def test_only_its_key_fits_a_seal(key, other, message):
    sealed = decode_message(encode_message(message, Seal(key, 7))).sealed
    assert sealed.fits(key) and sealed.fits(other) == (key == other)
