"""Cuts as bytes: reading returns the same cuts, and malformed bytes are refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercast.eventspace.cut_tree import CutTree
from tercast.eventspace.topic import Float, Int, String
from tercast.signalling.cut_bytes import read_cuts, write_cuts
from tercast.signalling.errors import MalformedMessage
from tests.property_profiles import examples
from tests.support import space_strategies as some

ATTRIBUTES = (Int("low", 0, 1023), Float("close", 0.0, 9.0), String("symbol"))


@examples(200)
@given(some.cut_topics())
def test_cuts_come_back_as_they_were(topic):
    data = write_cuts(topic.cuts, topic.attributes)
    assert read_cuts(data, topic.attributes) == topic.cuts
    assert bool(data) == bool(topic.cuts)


def test_integers_of_any_size_keep_every_digit():
    attributes = (Int("a", -(10**40), 10**40),)
    tree = CutTree.from_json([["a", str(-(10**39))], 0, ["a", str(10**30)], 2**31 - 1, 5], attributes)
    assert read_cuts(write_cuts(tree, attributes), attributes) == tree


@examples(400)
@given(some.cut_topics(), st.data())
def test_changed_bytes_are_other_cuts_or_refused(topic, data):
    sent = write_cuts(topic.cuts, topic.attributes) or b"\0\1"
    at = data.draw(st.integers(0, len(sent) - 1))
    changed = bytes([*sent[:at], sent[at] ^ data.draw(st.integers(1, 255)), *sent[at + 1 :]])
    for other in (changed, sent[:at]):
        try:
            read = read_cuts(other, topic.attributes)
        except MalformedMessage as malformed:
            assert malformed.code == "bad_cuts" and 0 <= malformed.position <= len(other)
        else:
            assert write_cuts(read, topic.attributes) in (other, b"")
            assert read != topic.cuts or not topic.cuts


WRONG = {
    "no leaf": "01 04",
    "an attribute that the topic does not have": "04 04 00 00 00 00",
    "a value outside the domain": "01 ff7f 00 00 00 00",
    "a cut that divides nothing": "01 00 00 00 00 00",
    "a weight of more than 31 bits": "01 04 00 8080808008 00 00",
    "a node after the last leaf": "01 04 00 00 00 00 00 00",
    "NaN": "02 7ff8000000000000 00 00 00 00",
    "a text of more than 16 bytes": "03 11" + "61" * 17 + "00 00 00 00",
    "a text that is not UTF-8": "03 01 ff 00 00 00 00",
}


@pytest.mark.parametrize("fault", WRONG)
def test_each_fault_is_refused(fault):
    with pytest.raises(MalformedMessage) as info:
        read_cuts(bytes.fromhex(WRONG[fault]), ATTRIBUTES)
    assert info.value.code == "bad_cuts" and "\n" not in str(info.value)
