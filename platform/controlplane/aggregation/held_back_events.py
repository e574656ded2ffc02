"""Events held back from methods, to judge by them what these make of the others.

What covers were made from shows too little of what they cost. It knows the core library only.
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
"""Events held back that a verdict takes."""

ERRORS = 2.0
"""What a change saves is known when it is so many standard errors above nothing."""

FEW = "{events} events are held back to judge it, and a verdict takes {fewest}"
LITTLE = "it would save {saved:.1%} of what is needless, and a change must save {gain:.1%}"
NOISE = "that it would save {saved:.1%} of what is needless may be chance, by the {events} events held back"

_GOLDEN = 0x9E3779B97F4A7C15
_WORD = 1 << 64


def is_held(number: int) -> bool:
    """Whether the event with this number is held back: a fifth of all, spread evenly, ever the same."""
    return number * _GOLDEN % _WORD < _WORD // 5


def hold_back(
    planner: Planner, events: Sequence[object], numbers: Sequence[int] | None = None
) -> tuple[Traffic, Traffic]:
    """The events to learn from, and those to judge by; Refused as `read_traffic` does.

    `numbers` stay with events from run to run (without them, their places do): what judges covers is then
    nothing that covers of an earlier run were made from.
    """
    known = read_traffic(planner, events)
    held: dict[str, list[bool]] = {name: [] for name in known.topics}
    for number, event in zip(numbers or range(len(events)), events, strict=True):
        ad = planner.registry.live[cast("Mapping[str, Any]", event)["publisher"]]
        held[ad.topic].append(is_held(number))
    return known.parted({name: np.array(chosen, dtype=np.bool_) for name, chosen in held.items()})


def doubt(before: float, saved: npt.NDArray[np.float64], gain: float) -> str:
    """Why a change is not worth it, by what it saves for each event held back; empty where it is.

    `before` is what the tables as they are cost an event.
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
