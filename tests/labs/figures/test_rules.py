"""A rule decides from literal rows; too few seeds, missing rows and times under load decide nothing."""

import pytest

from mininet_labs.figures.rules import (
    ClaimFinding,
    ClaimVerdict,
    Custom,
    Flat,
    Ordered,
    RatioWithin,
    Rule,
    Trend,
    Within,
    judged,
    worst,
)
from mininet_labs.figures.samples import Row, points, ratio, spearman, spread

NO_TIMES = frozenset[str]()


def rows(series: str, means: dict[float, float], spread: float = 0.1, seeds: int = 5) -> list[Row]:
    """Return rows whose seeds are around the means."""
    return [
        {"seed": seed, "x": x, "series": series, "y": mean + spread * (seed - (seeds + 1) / 2)}
        for seed in range(1, seeds + 1)
        for x, mean in means.items()
    ]


def verdict(rule: Rule, found: list[Row]) -> ClaimVerdict:
    return judged(rule, found, NO_TIMES, False).outcome


FALLING = rows("a", {1: 30, 2: 20, 3: 10})
RISING = rows("a", {1: 10, 2: 20, 3: 30})
LEVEL = rows("a", {1: 10, 2: 10.4, 3: 10.2})


@pytest.mark.parametrize(
    ("rule", "holding", "differing"),
    [
        (Trend("y", ("a",), "falls"), FALLING, RISING),
        (Trend("y", ("a",), "rises"), RISING, FALLING),
        (Trend("y", ("a",), "rises"), RISING, LEVEL),
        (Flat("y", ("a",)), LEVEL, RISING),
        (Within("y", ("a",), 9, 11), LEVEL, RISING),
        (Within("y", ("a",), 0, 12, at=-1), FALLING, RISING),
        (Within("y", ("a",), 19, 21, at=2), FALLING, LEVEL),
        (Ordered("y", ("a", "b")), [*LEVEL, *rows("b", {1: 20, 2: 20, 3: 20})], [*LEVEL, *rows("b", {1: 9})]),
        (
            Ordered("y", ("a", "b"), at=-1),
            [*RISING, *rows("b", {1: 9, 2: 9, 3: 40})],
            [*RISING, *rows("b", {1: 20, 3: 9})],
        ),
        (RatioWithin("y", "a", "b", 0, 1), [*LEVEL, *rows("b", {1: 20})], [*LEVEL, *rows("b", {1: 5})]),
    ],
)
def test_a_rule_holds_or_differs(rule: Rule, holding: list[Row], differing: list[Row]) -> None:
    assert verdict(rule, holding) is ClaimVerdict.HOLDS
    assert verdict(rule, differing) is ClaimVerdict.DIFFERS
    assert rule.text and rule.values == ("y",)


def test_a_difference_within_the_spread_is_none() -> None:
    noisy = rows("a", {1: 30, 2: 29, 3: 28}, spread=5)
    assert verdict(Trend("y", ("a",), "falls"), noisy) is ClaimVerdict.DIFFERS
    assert (
        verdict(Ordered("y", ("a", "b")), [*noisy, *rows("b", {1: 31, 2: 30, 3: 29})]) is ClaimVerdict.DIFFERS
    )


def test_an_order_may_fail_at_one_point_of_five() -> None:
    lower = rows("a", dict.fromkeys((1, 2, 3, 4, 5), 10.0))
    higher = rows("b", {1: 20, 2: 20, 3: 20, 4: 20, 5: 5})
    assert verdict(Ordered("y", ("a", "b")), [*lower, *higher]) is ClaimVerdict.HOLDS
    higher = rows("b", {1: 20, 2: 20, 3: 20, 4: 5, 5: 5})
    assert verdict(Ordered("y", ("a", "b")), [*lower, *higher]) is ClaimVerdict.DIFFERS


def test_four_seeds_decide_nothing() -> None:
    found = judged(Trend("y", ("a",), "falls"), rows("a", {1: 30, 2: 10}, seeds=4), NO_TIMES, False)
    assert found == ClaimFinding(ClaimVerdict.UNDECIDED, "4 of 5 seeds")


def test_times_under_load_decide_nothing_but_other_values_do() -> None:
    rule = Trend("y", ("a",), "falls")
    assert judged(rule, FALLING, frozenset({"y"}), True).outcome is ClaimVerdict.UNDECIDED
    assert judged(rule, FALLING, frozenset({"y"}), False).outcome is ClaimVerdict.HOLDS
    assert judged(rule, FALLING, frozenset({"seconds"}), True).outcome is ClaimVerdict.HOLDS


@pytest.mark.parametrize(
    "rule",
    [
        Trend("y", ("b",), "falls"),
        Flat("y", ("b",)),
        Within("y", ("b",), 0, 1),
        Ordered("y", ("a", "b")),
        RatioWithin("y", "a", "b", 0, 1),
    ],
)
def test_a_series_without_rows_is_not_run(rule: Rule) -> None:
    assert verdict(rule, FALLING) is ClaimVerdict.NOT_RUN
    assert verdict(rule, []) is ClaimVerdict.NOT_RUN


def test_a_figure_is_as_good_as_its_worst_claim() -> None:
    holds, differs, undecided = ClaimVerdict.HOLDS, ClaimVerdict.DIFFERS, ClaimVerdict.UNDECIDED
    assert worst([holds, undecided, differs]) is differs
    assert worst([holds, undecided]) is undecided
    assert worst([holds]) is holds
    assert worst([]) is ClaimVerdict.NOT_RUN


def test_a_rule_of_one_claim_decides_with_its_function() -> None:
    rule = Custom(
        "more than two rows", ("y",), lambda found: ClaimFinding(ClaimVerdict.HOLDS, str(len(found)))
    )
    assert judged(rule, FALLING, NO_TIMES, False).value == "15"


def test_the_last_row_of_a_seed_counts() -> None:
    found = [{"seed": 1, "x": 1, "series": "a", "y": 2}, {"seed": 1, "x": 1, "series": "a", "y": 3}]
    assert points(found, "y", "a") == {1: [3.0]}


def test_statistics() -> None:
    assert spearman([1, 2, 3], [10, 20, 15]) == pytest.approx(0.5)
    assert spearman([1, 2, 3, 4], [1, 1, 2, 2]) == pytest.approx(0.894, abs=1e-3)
    assert spearman([1, 2], [5, 5]) == 0.0
    assert spread([1.0]) == 0.0
    assert (ratio(0, 0), ratio(1, 0), ratio(1, 4)) == (1.0, float("inf"), 0.25)
