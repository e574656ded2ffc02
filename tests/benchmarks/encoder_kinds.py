"""Time of one call of the encoder, from a filter's text to its dz set, by operator and by type.

Times are processor time, because the machine may be busy. Each kind is compared with a conjunction of ranges
of the same topic from the same run.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from statistics import median
from time import process_time
from typing import Any

from tercast.encoding.request_encoding import encode_text
from tercast.eventspace.topic import Enum, Int, String, Topic
from tercast.runtime import jit

DEPTH, LIMIT = 50, 16
RUNS = 3
PLAIN_BOXES = 100
"""Kinds with more boxes are not measured in plain Python, which takes seconds."""

LETTERS = "abcdefghijklmnopqrstuvwxyz"
Draw = Callable[[random.Random, int], str]


def range_of(values: int) -> Draw:
    """Draw a range of numbers below `values`."""

    def draw(rng: random.Random, i: int) -> str:
        low, high = sorted(rng.sample(range(values), 2))
        return f"x{i} in [{low}, {high}]"

    return draw


def range_of_texts(rng: random.Random, i: int) -> str:
    """Draw a range of texts."""
    low, high = sorted("".join(rng.choices(LETTERS, k=3)) for _ in range(2))
    return f'x{i} >= "{low}" and x{i} <= "{high}"'


def range_of_members(rng: random.Random, i: int) -> str:
    """Draw a range of an enum."""
    low, high = sorted(rng.sample(range(100), 2))
    return f'x{i} >= "v{low}" and x{i} <= "v{high}"'


SPACES: dict[str, tuple[Callable[[str], Any], Draw, Callable[[random.Random], str]]] = {
    "int": (lambda name: Int(name, 0, 1023), range_of(1024), lambda rng: str(rng.randrange(1024))),
    "uneven int": (lambda name: Int(name, 0, 999), range_of(1000), lambda rng: str(rng.randrange(1000))),
    "enum": (
        lambda name: Enum(name, tuple(f"v{i}" for i in range(100))),
        range_of_members,
        lambda rng: f'"v{rng.randrange(100)}"',
    ),
    "string": (String, range_of_texts, lambda rng: '"' + "".join(rng.choices(LETTERS, k=3)) + '"'),
    "big int": (
        lambda name: Int(name, 0, (1 << 100) - 1),
        range_of(1 << 62),
        lambda rng: str(rng.randrange(1 << 100)),
    ),
}


def texts_of(space: str, rng: random.Random, tiny: bool) -> dict[str, tuple[int, str]]:
    """One filter of each kind, with its number of boxes."""
    _, test, value = SPACES[space]

    def box(tests: int = 5) -> str:
        return " and ".join(test(rng, i) for i in sorted(rng.sample(range(5), tests)))

    def boxes(count: int, tests: int = 5) -> str:
        return " or ".join(box(tests) for _ in range(count))

    kinds = {
        "conjunction": (1, box()),
        "!=": (1, f"x0 != {value(rng)}"),
        "in, 3 values": (1, f"x0 in ({', '.join(value(rng) for _ in range(3))})"),
        "in, 100 values": (1, f"x0 in ({', '.join(value(rng) for _ in range(100))})"),
        "or of equalities": (2, f"x0 = {value(rng)} or x1 = {value(rng)}"),
        "or, 2 boxes": (2, boxes(2)),
        "or, 8 boxes": (8, boxes(8)),
        "not (box)": (5, f"not ({box()})"),
    }
    if space == "string":
        kinds["prefix"] = (1, 'x0 prefix "ab"')
    if not tiny:
        kinds |= {
            f"or, {count} boxes": (count, boxes(count, 2))
            for count in (250, 500, 1_000)[: 2 if space == "big int" else 3]
        }
    return kinds


def measure_space(space: str, filters: int, tiny: bool) -> list[dict[str, Any]]:
    """Return a row for each kind of filter of one topic."""
    topic = Topic("t", 1, tuple(SPACES[space][0](f"x{i}") for i in range(5)))
    rng = random.Random(19)
    drawn = [texts_of(space, rng, tiny) for _ in range(filters)]
    rows: list[dict[str, Any]] = []
    for kind, (boxes, _) in drawn[0].items():
        texts = [one[kind][1] for one in drawn][: 1 if boxes > PLAIN_BOXES else filters]
        fast, cells = _times(texts, topic, kernels=True)
        row = {"space": space, "kind": kind, "boxes": boxes, "compiled_us": round(fast)}
        if boxes <= PLAIN_BOXES:
            plain, same = _times(texts, topic, kernels=False)
            assert same == cells
            row["plain_us"] = round(plain)
        conjunction = rows[0]["compiled_us"] if rows else row["compiled_us"]
        rows.append({**row, "per_box_to_conjunction": round(fast / boxes / conjunction, 2)})
    return rows


def _times(texts: list[str], topic: Topic, kernels: bool) -> tuple[float, list[tuple[int, ...]]]:
    """Return the median of the filters' best times in µs, and their dz sets."""
    jit.use(kernels)
    cells = [encode_text(text, topic, DEPTH, LIMIT) for text in texts]
    best = []
    for text in texts:
        times = []
        for _ in range(RUNS):
            start = process_time()
            encode_text(text, topic, DEPTH, LIMIT)
            times.append(process_time() - start)
        best.append(min(times))
    return 1e6 * median(best), cells
