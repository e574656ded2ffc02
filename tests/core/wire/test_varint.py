"""Numbers of any size, each in its only form."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercast.wire import varint
from tercast.wire.errors import WireError


@given(st.integers(min_value=0, max_value=1 << 600), st.binary(max_size=3))
def test_numbers_read_back_and_leave_the_rest(number, rest):
    data = b"x" + varint.encode(number) + rest
    assert varint.decode(data, 1, 100) == (number, len(data) - len(rest))
    assert len(varint.encode(number)) == varint.size(number)


@given(st.integers())
def test_zigzag_turns_signed_numbers_and_back(number):
    assert varint.unzigzag(varint.zigzag(number)) == number
    assert varint.zigzag(number) in (2 * abs(number), 2 * abs(number) - 1)


@pytest.mark.parametrize(
    ("number", "data"), [(0, "00"), (127, "7f"), (128, "8001"), (300, "ac02"), (2**64 - 1, "ff" * 9 + "01")]
)
def test_known_numbers(number, data):
    assert varint.encode(number).hex() == data


@pytest.mark.parametrize(
    ("data", "position", "rule"),
    [
        ("", 0, "ends within"),
        ("80", 1, "ends within"),
        ("8080", 2, "ends within"),
        ("8000", 1, "shortest"),
        ("ff8000", 2, "shortest"),
        ("80808001", 0, "more than 3 bytes"),
        ("808080", 0, "more than 3 bytes"),
    ],
)
def test_other_forms_are_refused(data, position, rule):
    most = 3
    if data == "808080":
        data += "80"
    with pytest.raises(WireError, match=rule) as caught:
        varint.decode(bytes.fromhex(data), 0, most)
    assert caught.value.position == position
