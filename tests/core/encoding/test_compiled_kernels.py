"""Compiled kernels answer what plain Python answers, or leave the question to it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tercast.encoding.encoder import encode, encode_dz
from tercast.encoding.request_encoding import encode_text
from tercast.errors import Refused
from tercast.eventspace.topic import Float, Int, Topic
from tercast.filters.filter import Filter
from tercast.runtime import jit, kernel_cache
from tests.property_profiles import examples
from tests.support.kernel_modes import restored_kernels  # noqa: F401 - fixture

pytest.importorskip("numba")

LIMITS = (1, 2, 3, 4, 5, 7, 16, 33, 50, 256)
BLANKS = st.sampled_from(("", " ", "  ", "\t", "\n "))


@st.composite
def grids(draw: st.DrawFn) -> Topic:
    bits = draw(st.lists(st.integers(0, 12), min_size=1, max_size=5))
    assume(sum(bits))
    starts = [draw(st.integers(-3_000, 3_000)) for _ in bits]
    rows = [
        Int(f"x{n}", low, low + (1 << b) - 1) for n, (low, b) in enumerate(zip(starts, bits, strict=True))
    ]
    chosen = tuple(row.name for row in rows if draw(st.booleans())) or (rows[0].name,)
    return Topic("t", 1, tuple(rows), chosen)


@st.composite
def texts(draw: st.DrawFn, topic: Topic) -> str:
    """Conjunctions as people write them, now and then with something that only the parser knows."""
    tests = []
    for _ in range(draw(st.integers(1, 6))):
        row = draw(st.sampled_from(topic.attributes))
        low, high = row.domain
        value = st.integers(low - 2, high + 2).map(str) | st.sampled_from(
            ("007", "-0", "1.5", "2e3", "9" * 30)
        )
        gap = draw(BLANKS)
        if draw(st.booleans()):
            word, end = draw(st.sampled_from(("in", "IN", "In"))), draw(st.sampled_from("])"))
            first, last = draw(value), draw(value)
            tests.append(f"{row.name} {word}{gap}[{gap}{first}{gap},{gap}{last}{gap}{end}")
        else:
            sign = draw(st.sampled_from(("=", "==", "<", "<=", ">", ">=", "!=")))
            tests.append(f"{row.name}{gap}{sign}{gap}{draw(value)}")
    return (
        draw(BLANKS) + draw(st.sampled_from((" and ", " AND ", "\tAnd\n", " or "))).join(tests) + draw(BLANKS)
    )


def answer(text: str, topic: Topic, depth: int, limit: int, kernels: bool) -> object:
    jit.use(kernels)
    try:
        return encode_text(text, topic, depth, limit)
    except Refused as refused:
        return str(refused)


@examples(400)
@given(st.data())
def test_texts_come_to_the_same(data: st.DataObject) -> None:
    topic = data.draw(grids())
    text = data.draw(texts(topic))
    depth, limit = data.draw(st.integers(1, 60)), data.draw(st.sampled_from(LIMITS))
    assert answer(text, topic, depth, limit, True) == answer(text, topic, depth, limit, False)


@examples(300)
@given(st.data())
def test_boxes_come_to_the_same_dz_and_excess(data: st.DataObject) -> None:
    topic = data.draw(grids())
    ranges = []
    for row in topic.attributes:
        low, high = row.domain
        first = data.draw(st.integers(low, high - 1))
        ranges.append(f"{row.name} in [{first}, {data.draw(st.integers(first, high - 1))}]")
    drawn = Filter.parse(" and ".join(ranges), topic)
    depth, limit = data.draw(st.integers(1, 60)), data.draw(st.sampled_from(LIMITS))
    jit.use(True)
    quick = encode(drawn, depth, limit)
    assert encode_dz(drawn, depth, limit) == quick.dz
    jit.use(False)
    assert encode(drawn, depth, limit) == quick


@pytest.mark.parametrize(
    "text",
    [
        "a",
        "a <",
        "a < 5 and",
        "a < 5 and and b < 2",
        "a < 5 andb < 2",
        "a < 5and b < 2",
        "a<5andb",
        "a in [1, 2",
        "a in [2, 1]",
        "a in 1, 2]",
        "a in (1, 2]",
        "c < 5",
        "a =< 5",
        "a < - 5",
        "a < +5",
        "A < 5",
        "a < 5 or b < 2",
        "a < 5 and b < 2.0",
        "a < 5 and b < 2 ;",
        "a < 5 and b < 5é",
        "not a < 5",
        "(a < 5)",
        "a < 123456789012345678901234567890",
        "a > 5000",
        "ab < 5",
        "a-b < 5",
        "f < 5",
        "f < 5 and a < 3",
        "",
        " ",
    ],
)
def test_odd_texts_come_to_the_same(text: str) -> None:
    topic = Topic("t", 1, (Int("a", 0, 1023), Int("b", 0, 15), Float("f", 0.0, 8.0)), ("a", "b"))
    assert answer(text, topic, 14, 8, True) == answer(text, topic, 14, 8, False)


def test_kernels_are_used_from_some_work_on(monkeypatch: pytest.MonkeyPatch) -> None:
    topic = Topic("t", 1, (Int("a", 0, 1023), Int("b", 0, 1023)))
    monkeypatch.setattr(jit, "is_ready", lambda: True)
    jit.use(None)
    limit = 50
    for _ in range(jit.WORTH_CELLS // limit // 4):
        encode_text("a < 77 and b > 3", topic, 20, limit)
    assert topic.schedule(20).box_encoder is None
    for _ in range(jit.WORTH_CELLS // limit):
        encode_text("a < 77 and b > 3", topic, 20, limit)
    assert topic.schedule(20).box_encoder


@pytest.mark.parametrize("missing", ["numba", "room", "compiled"])
def test_without_them_plain_python_answers(
    missing: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    topic = Topic("t", 1, (Int("a", 0, 1023), Int("b", 0, 1023)))
    text = "a in [3, 77] and b > 900"
    jit.use(False)
    wanted = encode_text(text, topic, 20, 4)
    match missing:
        case "numba":
            monkeypatch.setitem(sys.modules, "numba", None)
        case "room":
            (tmp_path / "file").write_text("")
            monkeypatch.setattr(kernel_cache, "_folder", lambda: tmp_path / "file" / "below")
        case _:
            monkeypatch.setattr(kernel_cache, "_folder", lambda: tmp_path)
    jit.use(None if missing == "compiled" else True)
    fresh = Topic("t", 1, topic.attributes)
    for _ in range(jit.WORTH_CELLS // 4 + 1):
        found = encode_text(text, fresh, 20, 4)
    assert found == wanted
    assert not fresh.schedule(20).box_encoder


def test_the_variable_turns_them_off() -> None:
    code = "from tercast.runtime import jit; print(jit._RuntimeChoice.wanted)"
    for value, wanted in (("0", "False"), ("1", "True"), ("", "None")):
        environment = {**os.environ, "TERCAST_COMPILED": value}
        done = subprocess.run(
            [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
        )
        assert done.stdout.strip() == wanted


def test_the_set_up_compiles_each_kernel_that_planning_calls() -> None:
    script = """
from tercast.runtime.kernel_cache import prepare
prepare()
from numba.core.registry import CPUDispatcher
from tercast.routing.kernels import compiled_topic as web
from tercast.routing.kernels import table_changes as changes
from tercast.cli.precompile import compile_all
compile_all()
called = {**vars(web), "net": changes.net}
kernels = {name: one for name, one in called.items() if isinstance(one, CPUDispatcher)}
assert len(kernels) > 4, kernels
print([name for name, kernel in kernels.items() if not kernel.signatures])
"""
    path = str(Path(jit.__file__).parents[2])
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
        check=False,
    )
    assert (done.stdout, done.returncode) == ("[]\n", 0), done.stderr
