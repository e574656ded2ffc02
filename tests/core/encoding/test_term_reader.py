"""Texts of few terms, of which the kernel reads a part: the cells and errors are those of plain Python."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercast.encoding.dispatch import dz_of_mixed_text, dz_of_text
from tercast.encoding.encoder import encode_dz
from tercast.encoding.request_encoding import encode_text
from tercast.errors import Refused
from tercast.eventspace.topic import Bool, Enum, Float, Int, String, Topic
from tercast.filters.filter import Filter
from tercast.runtime import jit
from tests.property_profiles import examples
from tests.support.fuzz_spoilt import spoilt
from tests.support.kernel_modes import restored_kernels  # noqa: F401 - fixture

pytest.importorskip("numba")

ATTRIBUTES = (
    Int("x", 0, 1023),
    Int("y", -512, 511),
    Int("z", 0, 7),
    Bool("open"),
    Enum("side", ("buy", "sell", "hold", "none")),
    Float("price", 0.0, 100.0),
    String("symbol"),
)
TOPICS = (
    Topic("all", 1, ATTRIBUTES),
    Topic("some", 1, ATTRIBUTES, ("x", "z", "symbol")),
    Topic("numbers", 1, ATTRIBUTES[:3]),
    Topic("uneven", 1, (Int("x", 0, 999), *ATTRIBUTES[1:])),
)
LIMITS = (1, 2, 4, 7, 16, 50)
WORDS = ("", "IBM", "IB", "GOOGLE", "abcdefghijklmnopq", 'a\\"b', "é")
GAPS = st.sampled_from(("", " ", "  ", "\t\n"))


@st.composite
def factors(draw: st.DrawFn, topic: Topic) -> str:
    row = draw(st.sampled_from(topic.attributes))
    gap, sign = draw(GAPS), draw(st.sampled_from(("=", "==", "!=", "<", "<=", ">", ">=")))
    match row:
        case Int() | Float():
            low, high = int(row.min), int(row.max)
            value = st.integers(low - 3, high + 3).map(str) | st.sampled_from(
                ("1.5", "2e1", "-0", "9" * 30, "1e999")
            )
        case Bool():
            value = st.sampled_from(("true", "false", "True"))
        case Enum():
            value = st.sampled_from(('"buy"', '"sell"', '"gone"'))
        case _:
            value = st.sampled_from(WORDS).map(lambda word: f'"{word}"')
    match draw(st.integers(0, 5)):
        case 0:
            values = draw(st.lists(value, min_size=1, max_size=4))
            return f"{row.name} in{gap}({gap}" + f"{gap},{gap}".join(values) + f"{gap})"
        case 1 if isinstance(row, Int | Float):
            first, last = sorted((draw(value), draw(value)))
            return f"{row.name} IN{gap}[{first}{gap},{gap}{last}{draw(st.sampled_from('])'))}"
        case 2 if isinstance(row, String):
            return f"{row.name} prefix {draw(value)}"
        case _:
            return f"{row.name}{gap}{sign}{gap}{draw(value)}"


@st.composite
def texts(draw: st.DrawFn, topic: Topic) -> str:
    """Terms of few tests, some of them with `not` or in parentheses."""

    def factor() -> str:
        test = draw(factors(topic))
        match draw(st.integers(0, 9)):
            case 0:
                return f"not {test}"
            case 1:
                return f"not ({test})"
            case 2:
                return f"({test} {draw(st.sampled_from(('and', 'or')))} {draw(factors(topic))})"
            case 3:
                return f"not not {test}"
            case _:
                return test

    terms = [
        draw(st.sampled_from((" and ", "  AND ", "\nAnd "))).join(
            factor() for _ in range(draw(st.integers(1, 4)))
        )
        for _ in range(draw(st.sampled_from((1, 1, 1, 2, 2, 3, 10))))
    ]
    return draw(GAPS) + draw(st.sampled_from((" or ", "\tOR "))).join(terms) + draw(GAPS)


def answer(text: str, topic: Topic, depth: int, limit: int, kernels: bool) -> object:
    jit.use(kernels)
    try:
        return encode_text(text, topic, depth, limit)
    except Refused as refused:
        return type(refused), refused.code, str(refused), getattr(refused, "start", None)


@examples(1500)
@given(st.data())
def test_texts_have_the_cells_and_errors_of_plain_python(data: st.DataObject) -> None:
    topic = data.draw(st.sampled_from(TOPICS))
    text = data.draw(texts(topic))
    depth, limit = data.draw(st.sampled_from((1, 9, 30, 48))), data.draw(st.sampled_from(LIMITS))
    assert answer(text, topic, depth, limit, True) == answer(text, topic, depth, limit, False)


SEEDS = (
    b'x in [3, 99] and symbol = "IBM" or y != 4 and not (z in [2, 5])',
    b'x in (1, 2, 3) and side in ("buy", "sell") and open = true',
    b'not x < 5 and symbol prefix "GO" or z = 3 and x >= 7',
)
TOKENS = (
    b"and",
    b"or",
    b"not",
    b"in",
    b"prefix",
    b"(",
    b")",
    b"[",
    b'"',
    b"\\",
    b" ",
    b"x",
    b"1e",
    b"-",
    b"true",
)


@examples(1500)
@given(spoilt(SEEDS, TOKENS))
def test_garbage_has_the_errors_of_plain_python(data: bytes) -> None:
    text = data.decode("utf-8", "replace")
    assert answer(text, TOPICS[0], 48, 4, True) == answer(text, TOPICS[0], 48, 4, False)


READ = [
    'x in [3, 99] and symbol = "IBM"',
    'symbol prefix "IB" and x < 9 and not (z in [2, 5])',
    "x in (1, 2, 900) and y >= 0",
    "x < 100 and y < 3 or x > 200 and y > 9 and y != 30",
    'side in ("buy", "none") and open = false and price < 3.5',
    "x != 5 and x < 90",
]


@pytest.mark.parametrize("text", READ)
def test_these_need_no_syntax_tree_of_the_whole_filter(text: str) -> None:
    jit.use(True)
    topic = TOPICS[0]
    schedule = topic.schedule(48)
    assert dz_of_text(text, topic, schedule, 4) is None
    found = dz_of_mixed_text(text, topic, schedule, 4)
    jit.use(False)
    assert found is not None and found == encode_dz(Filter.parse(text, topic), 48, 4)


LEFT = [
    "x < 5 or x < 9",  # one covers the other
    "x < 5 and y < 3 or x > 9 and y < 3",  # they are joined
    "x < 5 and (y < 3 or z = 1)",
    "x < 5 and x > 7",
    " or ".join(f"x = {n} and y = {2 * n}" for n in range(9)),
    "x < 5 and symbol = 3",
    "é = 3",
    "",
    "true",
]


@pytest.mark.parametrize("text", LEFT)
def test_these_are_left_to_the_parser(text: str) -> None:
    jit.use(True)
    schedule = TOPICS[0].schedule(48)
    assert dz_of_text(text, TOPICS[0], schedule, 4) is None
    assert dz_of_mixed_text(text, TOPICS[0], schedule, 4) is None
    jit.use(False)
    assert dz_of_mixed_text(READ[0], TOPICS[0], schedule, 4) is None
