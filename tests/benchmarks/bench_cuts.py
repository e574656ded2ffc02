"""Learned cuts: the time to learn them, and to encode filters in their space compared with midpoints.

    .venv/bin/python tests/benchmarks/bench_cuts.py > tests/benchmarks/results/cuts.json

Times are processor time, because other work may share the machine. Both spaces are measured in one process.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from ast import literal_eval
from collections.abc import Sequence
from statistics import median
from time import process_time
from typing import Any

import bench_machine
from bench_child import in_child, log
from encoder_kinds import SPACES, texts_of

from mininet_labs.figures.workloads.synthetic import DOMAIN, Filters
from mininet_labs.figures.workloads.synthetic import topic as zipf_topic
from tercast.dimensions.learned import Learner
from tercast.dimensions.workload import Workload
from tercast.encoding.request_encoding import encode_text
from tercast.eventspace.topic import Enum, Float, Int, String, Topic
from tercast.filters.filter import Filter
from tercast.runtime import jit

DEPTH, LIMIT, RUNS = 96, 16, 3
CUTS = 1_024
TRAINING, TRAINING_EVENTS = 400, 5_000
CONJUNCTIONS = 0.8

MIXED = (
    String("x0"),
    Float("x1", 0.0, 1024.0),
    Int("x2", 0, 999),
    Enum("x3", tuple(f"v{i}" for i in range(100))),
    Int("x4", 0, (1 << 60) - 1),
)
NAMES = ("AMZN", "GE", "GOOG", "IBM", "INTC", "MSFT", "ORCL", "SAP")


def mixed_texts(rng: random.Random) -> dict[str, str]:
    """One filter of each kind over a string, a float, integers and an enum."""
    name, other, third = rng.sample(NAMES, 3)
    first, last = sorted((name, other))
    low, number = rng.uniform(0, 900), rng.randrange(900)
    return {
        "conjunction": f'x0 >= "{first}" and x0 <= "{last}" and x1 in [{low!r}, 950] and x2 > {number}',
        "!=": f'x0 != "{name}"',
        "in, 3 values": f'x0 in ("{name}", "{other}", "{third}")',
        "or of equalities": f'x0 = "{name}" or x2 = {number}',
        "or, 2 boxes": f'x0 = "{name}" and x1 < {low!r} or x0 = "{other}" and x2 in [7, {number + 8}]',
        "not (box)": f'not (x0 >= "{first}" and x1 > {low!r} and x2 < {number + 1})',
        "prefix": f'x0 prefix "{name[:2]}"',
    }


def drawn_texts(space: str, rng: random.Random) -> dict[str, str]:
    """One filter of each kind."""
    if space == "mixed":
        return mixed_texts(rng)
    return {kind: text for kind, (_, text) in texts_of(space, rng, tiny=True).items()}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure learning and encoding, and print JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--filters", type=int, default=25_000, help="filters from which cuts are learned")
    parser.add_argument("--events", type=int, default=100_000, help="events from which cuts are learned")
    parser.add_argument("--cuts", type=int, default=CUTS, help="number of cuts")
    args = parser.parse_args(arguments)
    result: dict[str, Any] = {"format": "bench-cuts/1", "machine": bench_machine.describe()}
    result["learning"] = in_child(measure_learning, args.filters, args.events, args.cuts)
    log(f"learning: {result['learning']}")
    result["encoding"] = []
    for space in (*SPACES, "mixed"):
        result["encoding"] += in_child(measure_space, space, args.cuts)
    print(json.dumps(result, indent=1))
    return 0


def measure_learning(filters: int, events: int, cuts: int) -> dict[str, Any]:
    """Learn cuts from Zipf filters of 300 hosts, and events around the same hot spots."""
    topic, drawn, rng = Topic.from_json(zipf_topic(5)), Filters("zipf", 5, 1), random.Random(2)
    subscriptions = tuple(
        (f"h{rng.randrange(300)}", Filter.parse(drawn.draw(), topic)) for _ in range(filters)
    )
    made = [
        {f"x{i}": min(DOMAIN - 1, max(0, round(rng.gauss(centre, 60)))) for i, centre in enumerate(spot)}
        for spot in rng.choices(drawn.spots, k=events)
    ]
    start = process_time()
    learner = Learner(Workload(topic, subscriptions, tuple(made)))
    learner.grow(cuts)
    seconds = round(process_time() - start, 2)
    return {"filters": filters, "events": events, "cuts": learner.cuts, "seconds": seconds}


def measure_space(space: str, cuts: int) -> list[dict[str, Any]]:
    """Return the time of each kind of filter with midpoints and with learned cuts."""
    jit.use(True)
    plain, texts = _space(space)
    cut, rows = _with_learned_cuts(space, plain, cuts), []
    for kind in texts[0]:
        some = [one[kind] for one in texts]
        midpoints, learned = (_time(some, topic) for topic in (plain, cut))
        row = {"space": space, "cuts": cut.cuts.count, "kind": kind}
        row |= {"midpoints_us": round(midpoints), "cuts_us": round(learned)}
        rows.append({**row, "ratio": round(learned / midpoints, 1)})
        log(f"{rows[-1]}")
    return rows


def _space(space: str) -> tuple[Topic, list[dict[str, str]]]:
    rng = random.Random(19)
    texts = [drawn_texts(space, rng) for _ in range(8)]
    rows = MIXED if space == "mixed" else tuple(SPACES[space][0](f"x{i}") for i in range(5))
    return Topic("t", 1, rows), texts


def _with_learned_cuts(space: str, topic: Topic, cuts: int) -> Topic:
    """The topic with cuts learned from random filters, a fifth of them not conjunctions."""
    rng = random.Random(5)
    texts, events = [], []
    for _ in range(TRAINING):
        kinds = drawn_texts(space, rng)
        texts.append(kinds["conjunction" if rng.random() < CONJUNCTIONS else rng.choice([*kinds])])
    for _ in range(TRAINING_EVENTS):
        events.append({row.name: _value(space, row, rng) for row in topic.attributes})
    subscriptions = tuple((f"h{n % 20}", Filter.parse(text, topic)) for n, text in enumerate(texts))
    learner = Learner(Workload(topic, subscriptions, tuple(events)))
    learner.grow(cuts)
    return topic.with_cuts(learner.nodes())


def _value(space: str, row: Any, rng: random.Random) -> Any:
    match row:
        case Float():
            return rng.uniform(row.min, row.max)
        case Int() if space == "mixed":
            return rng.randint(row.min, row.max)
        case String() if space == "mixed":
            return rng.choice(NAMES)
        case Enum():
            return rng.choice(row.values)
        case _:
            return literal_eval(SPACES[space][2](rng))


def _time(texts: Sequence[str], topic: Topic) -> float:
    """Return the median of the texts' best times in µs."""
    best = []
    for text in texts:
        times = []
        for _ in range(RUNS + 1):
            start = process_time()
            encode_text(text, topic, DEPTH, LIMIT)
            times.append(process_time() - start)
        best.append(min(times[1:]))
    return 1e6 * median(best)


if __name__ == "__main__":
    sys.exit(main())
