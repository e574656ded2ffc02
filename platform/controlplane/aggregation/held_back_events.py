"""Events that are held back from methods, to measure the covers computed from the others.

The events that covers were computed from underestimate their cost. This module uses only the core library.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from tercast.optimizer.traffic.past_traffic import Traffic
from tercast.optimizer.traffic.traffic_reader import read_traffic
from tercast.planner.planner import Planner

FEWEST = 20
"""Fewest held-back events for a verdict."""

ERRORS = 2.0
"""Number of standard errors by which a saving must exceed zero."""

FEW = "only {events} stored events are available for the test; {fewest} are needed"
LITTLE = (
    "the change would remove {saved:.1%} of redundant copies and false positives; it must remove {gain:.1%}"
)
NOISE = "the saving of {saved:.1%} is not statistically significant in the test with {events} stored events"

_GOLDEN = 0x9E3779B97F4A7C15
_WORD = 1 << 64


def is_held(number: int) -> bool:
    """Whether the event with this number is held back: always the same fifth of all, evenly."""
    return number * _GOLDEN % _WORD < _WORD // 5


def hold_back(
    planner: Planner, events: Sequence[object], numbers: Sequence[int] | None = None
) -> tuple[Traffic, Traffic]:
    """Return the events to learn from, and those to measure with.

    Args:
        numbers: Numbers that stay with the events from run to run (without them, positions). So no event that
            measures covers was used to compute covers in an earlier run.

    Raises:
        Refused: The events are invalid, see `read_traffic`.
    """
    known = read_traffic(planner, events)
    held: dict[str, list[bool]] = {name: [] for name in known.topics}
    for number, event in zip(numbers or range(len(events)), events, strict=True):
        ad = planner.registry.live[cast("Mapping[str, Any]", event)["publisher"]]
        held[ad.topic].append(is_held(number))
    return known.parted({name: np.array(chosen, dtype=np.bool_) for name, chosen in held.items()})


def reason_against(before: float, saved: npt.NDArray[np.float64], gain: float) -> str:
    """Return the reason why a change is not worth it, from its savings; empty if it is.

    Args:
        before: Cost per event of the present tables.
        saved: Savings for each event held back.
    """
    events = len(saved)
    if events < FEWEST:
        return FEW.format(events=events, fewest=FEWEST)
    mean = float(saved.mean())
    share = mean / before if before > 0 else 0.0
    if share <= 0 or share < gain:
        return LITTLE.format(saved=share, gain=gain)
    error = float(saved.std(ddof=1)) / math.sqrt(events)
    return "" if mean > ERRORS * error else NOISE.format(saved=share, events=events)
