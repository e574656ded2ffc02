"""Hypothesis profiles: `ci` (the everyday suite) and `full` (`make test-full`).

`ci` runs a fifth of the examples, and the same ones in each run: a failure is always a change of the code.
`full` runs all examples, and draws new ones in each run.
"""

from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

FULL_EXAMPLES = 100
CI_EXAMPLES = 20
LEAST_EXAMPLES = 8


def register() -> None:
    """Register both profiles and load `ci`; `--hypothesis-profile full` loads the other one.

    No example has a deadline: on a busy machine its time says nothing about the code.
    """
    untimed = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.register_profile("full", untimed, max_examples=FULL_EXAMPLES)
    settings.register_profile("ci", untimed, max_examples=CI_EXAMPLES, derandomize=True, database=None)
    settings.load_profile("ci")


def examples(count: int) -> settings:
    """Return the settings of a property that runs `count` examples in the `full` profile.

    Other profiles run proportionally fewer, but at least `LEAST_EXAMPLES` (or `count`, if that is smaller).
    """
    scaled = count * settings.default.max_examples // FULL_EXAMPLES
    return settings(max_examples=max(scaled, min(count, LEAST_EXAMPLES)))


def some(cases: Iterable[Any], everyday: int) -> list[Any]:
    """Return parameters of a test: the first `everyday` cases as they are, the others marked `full`."""
    return [
        case if number < everyday else pytest.param(case, marks=pytest.mark.full)
        for number, case in enumerate(cases)
    ]
