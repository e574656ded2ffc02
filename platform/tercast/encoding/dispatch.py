"""Kernels that Numba compiles, for what costs most; all of it stands in plain Python too, with equal results.

Importing and loading compiled code takes most of a second, compiling it a minute. So it is used from
some work on, and only where it lies ready: `python -m tercast.compiled` compiles, as the set-up does. With
TERCAST_COMPILED=0 in the environment plain Python does everything, with 1 compiled code is used from the
start, and made where it is missing.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tercast.eventspace.dz import DzSet
from tercast.runtime.kernel_cache import is_ready, prepare

if TYPE_CHECKING:
    from tercast.encoding.grid_boxes import Part
    from tercast.encoding.kernels.box_encoder import BoxEncoder
    from tercast.eventspace.interleaving import Schedule
    from tercast.eventspace.topic import Topic
    from tercast.routing.topic_routing import TopicPlan

VARIABLE = "TERCAST_COMPILED"

WORTH = 8_000
"""From how many cells asked for in plain Python on loading compiled code is worth its time."""


class _Use:
    """Whether compiled code is used: `wanted` is None while that is open, `asked` counts cells until then."""

    wanted: bool | None = None
    asked = 0


def use(wanted: bool | None) -> None:
    """Use compiled code from now on, or never; None: from some work on, where it lies ready."""
    _Use.wanted, _Use.asked = wanted, 0


def dz_of_text(text: str, topic: Topic, schedule: Schedule, limit: int) -> DzSet | None:
    """The dz set of a filter's text; None where plain Python has to find it, or what is wrong."""
    encoder = _encoder(topic, schedule, limit)
    return encoder.of_text(text, limit) if encoder else None


def dz_of_texts(texts: Sequence[str], topic: Topic, schedule: Schedule, limit: int) -> list[DzSet | None]:
    """The same of many filters at once."""
    encoder = _encoder(topic, schedule, limit * len(texts))
    return encoder.of_texts(texts, limit) if encoder and texts else [None] * len(texts)


def dz_of_box(box: Part, topic: Topic, schedule: Schedule, limit: int) -> DzSet | None:
    """The dz set of a box (see `tercast.encoding.single_box`); None where plain Python has to find it."""
    encoder = _encoder(topic, schedule, limit)
    return encoder.of_sides(box[0], box[1], box[3], limit) if encoder else None


def spread_by_web(plan: TopicPlan) -> None:
    """Let compiled code spread the changes of a plan from now on, if it is in use and can."""
    if plan.web is not None or not _Use.wanted or not plan.queue.is_settled or plan.has_left_web:
        return
    if not prepare():
        _Use.wanted = False
        return
    from tercast.routing.kernels.compiled_topic import Web  # noqa: PLC0415 - it imports Numba

    if Web.serves(plan):
        plan.web = Web(plan)
    else:
        plan.has_left_web = True


def _encoder(topic: Topic, schedule: Schedule, limit: int) -> BoxEncoder | None:
    if _Use.wanted is None:
        _Use.asked += limit
        if _Use.asked < WORTH:
            return None
        _Use.wanted = is_ready()
    if not _Use.wanted:
        return None
    if schedule.box_encoder is None:
        schedule.box_encoder = _make(topic, schedule) or False
    return schedule.box_encoder or None


def _make(topic: Topic, schedule: Schedule) -> BoxEncoder | None:
    if not prepare():
        _Use.wanted = False
        return None
    from tercast.encoding.kernels.box_encoder import BoxEncoder  # noqa: PLC0415 - it imports Numba

    return BoxEncoder(topic, schedule) if BoxEncoder.serves(schedule) else None


_SETTINGS = {"0": False, "1": True}
use(_SETTINGS.get(os.environ.get(VARIABLE, "")))
