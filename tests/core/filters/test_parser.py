"""The language of filters: what each text means, its canonical text, and precedence."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercast.eventspace.topic import Bool, Enum, Float, Int, String, Topic
from tercast.filters.filter import Filter
from tercast.filters.syntax_tree import EVERYTHING, And, Begins, Between, Compare, Not, OneOf, Or, Tree
from tests.property_profiles import examples
from tests.support.space_strategies import filters, topics

TOPIC = Topic(
    "t",
    1,
    (
        Int("a", 0, 1023),
        Float("x", 0.0, 100.0),
        Bool("ok"),
        Enum("day", ("mon", "tue", "wed")),
        String("sym"),
        Int("a-5", 0, 9),
    ),
)
A_LOW, X_LOW, OK = Compare(0, "<", 5), Compare(1, "<", 5), Compare(2, "=", True)


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("", EVERYTHING),
        (" \t\r\n", EVERYTHING),
        ("true", EVERYTHING),
        (" TRUE ", EVERYTHING),
        ("a=5", Compare(0, "=", 5)),
        ("a==5", Compare(0, "=", 5)),
        ("a != 5", Compare(0, "!=", 5)),
        ("a<=5", Compare(0, "<=", 5)),
        ("a >=-5", Compare(0, ">=", -5)),
        ("a<007", Compare(0, "<", 7)),
        ("a-5 = 5", Compare(5, "=", 5)),
        ("x > 1e1", Compare(1, ">", 10.0)),
        ("x > 1.5E-3", Compare(1, ">", 0.0015)),
        ("x > 2E+1", Compare(1, ">", 20.0)),
        ("x = 31.333846775201351", Compare(1, "=", 31.333846775201351)),
        ("x = 1e-310", Compare(1, "=", 1e-310)),
        ("a In [1 , 2]", Between(0, 1, 2, True)),
        ("a in[1,2)", Between(0, 1, 2, False)),
        ("x in [0.5, 2]", Between(1, 0.5, 2, True)),
        ("a in (1, 2.0, 3)", OneOf(0, (1, 2.0, 3))),
        ('day in ("mon")', OneOf(3, ("mon",))),
        ("ok in (true, FALSE)", OneOf(2, (True, False))),
        ("ok = True", OK),
        ("ok < true", Compare(2, "<", True)),
        ('day >= "tue"', Compare(3, ">=", "tue")),
        ('sym PREFIX "ab"', Begins(4, "ab")),
        (r'sym = "a\"b\\"', Compare(4, "=", 'a"b\\')),
        (r'sym = "\\\""', Compare(4, "=", '\\"')),
        ('sym = "or ) and"', Compare(4, "=", "or ) and")),
        ('sym = "é\n"', Compare(4, "=", "é\n")),
        ("not a<5", Not(A_LOW)),
        ("not not a<5", A_LOW),
        ("NOT NOT not a<5", Not(A_LOW)),
        ("not(a<5)", Not(A_LOW)),
        ("not (not a<5)", A_LOW),
        ("((a<5))", A_LOW),
        ("not a<5 and x<5", And((Not(A_LOW), X_LOW))),
        ("not (a<5) and x<5", And((Not(A_LOW), X_LOW))),
        ("not (a<5 and x<5)", Not(And((A_LOW, X_LOW)))),
        ("not a<5 or x<5", Or((Not(A_LOW), X_LOW))),
        ("a<5 or x<5 and ok=true", Or((A_LOW, And((X_LOW, OK))))),
        ("(a<5 or x<5) and ok=true", And((Or((A_LOW, X_LOW)), OK))),
        ("a<5 and (x<5 and ok=true)", And((A_LOW, X_LOW, OK))),
        ('sym="a"and(a<5)', And((Compare(4, "=", "a"), A_LOW))),
        ("a<5and ok=true", And((A_LOW, OK))),
        ("a<5AND x<5", And((A_LOW, X_LOW))),
        ("a<5or x<5", Or((A_LOW, X_LOW))),
        ("a>-1and ok=true", And((Compare(0, ">", -1), OK))),
        ("x>1.5e1and a<5", And((Compare(1, ">", 15.0), A_LOW))),
        ("x>1e5or a<5", Or((Compare(1, ">", 1e5), A_LOW))),
        ("x<5and a-5=1and a<5", And((X_LOW, Compare(5, "=", 1), A_LOW))),
        ("not a<5and x<5", And((Not(A_LOW), X_LOW))),
    ],
)
def test_meaning(text: str, tree: Tree) -> None:
    parsed = Filter.parse(text, TOPIC)
    assert parsed.tree == tree
    assert Filter.parse(str(parsed), TOPIC) == parsed


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("", "true"),
        ("a==5", "a = 5"),
        ("(a<5 or  x<5)and not(ok=true or a in[1,2))", "(a < 5 or x < 5) and not (ok = true or a in [1, 2))"),
        (r'sym in ("\\","\"")', r'sym in ("\\", "\"")'),
        ("x = 1e1 or x = -0.0 or x=1e-310", "x = 10.0 or x = -0.0 or x = 1e-310"),
        ("not not not a<5", "not a < 5"),
    ],
)
def test_canonical_text(text: str, canonical: str) -> None:
    assert str(Filter.parse(text, TOPIC)) == canonical


@examples(300)
@given(st.data())
def test_canonical_text_parses_to_an_equal_filter(data: st.DataObject) -> None:
    topic = data.draw(topics())
    drawn = data.draw(filters(topic))
    again = Filter.parse(str(drawn), topic)
    assert again == drawn
    assert hash(again) == hash(drawn)
    assert str(again) == str(drawn)
    assert again.terms == drawn.terms


def test_filters_travel_between_processes() -> None:
    parsed = Filter.parse('a < 5 or sym prefix "é"', TOPIC)
    again = pickle.loads(pickle.dumps(parsed))
    assert again == parsed
    assert again.matches({"a": 9, "x": 1.0, "ok": True, "day": "mon", "sym": "été", "a-5": 1})


def test_everything_is_the_empty_filter() -> None:
    assert Filter.everything(TOPIC) == Filter.parse("", TOPIC)
    assert Filter.everything(TOPIC).terms == ((),)


def test_equal_filters_have_equal_topics() -> None:
    assert Filter.parse("a < 5", TOPIC) != Filter.parse("a < 5", TOPIC.with_code(2))


def test_alternatives_are_joined_and_covered_ones_dropped() -> None:
    def terms(text: str) -> int:
        return len(Filter.parse(text, TOPIC).terms)

    assert terms("a < 5 or a > 7 or a = 5") == 1
    assert terms("a < 5 and ok = true or a < 5 and ok = false") == 1
    assert terms("a < 5 or a < 4 and ok = true") == 1
    assert terms("a < 5 or ok = true") == 2
    assert Filter.parse("a < 5 or a >= 5", TOPIC).terms == ((),)
