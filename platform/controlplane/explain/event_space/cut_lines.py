"""Cuts of a topic as lines in a projection onto two attributes."""

from collections import deque
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from controlplane.common.address_plan import max_dz_length
from controlplane.explain.event_space.axes import Axis
from tercast.eventspace.cut_space import Branch
from tercast.eventspace.cut_tree import CutNode
from tercast.eventspace.topic import Topic
from tercast.runtime.strict_json import value_json

MAX_LINES = 2000
"""Maximum number of lines in the answer: those of the first cuts."""


def cut_lines(topic: Topic, axes: Sequence[Axis]) -> dict[str, Any]:
    """Return the cuts of the shown attributes as boxes without width or without height.

    A box extends as far as the events that reach the cut. Cuts with the same box are one line.
    """
    shown = {topic.positions[axis.attribute.name]: axis for axis in axes}
    found: dict[tuple[float, ...], dict[str, Any]] = {}
    for cut, branch in _cuts(topic):
        if cut.attribute in shown:
            name = topic.attributes[cut.attribute].name
            box = _line(cut, branch, shown)
            found.setdefault(box, {"attribute": name, "value": value_json(cut.value), "box": box})
    items = list(islice(found.values(), MAX_LINES))
    return {"total": len(found), "truncated": len(found) > len(items), "items": items}


def _cuts(topic: Topic) -> Iterator[tuple[CutNode, Branch]]:
    """Yield the cuts that a dz can contain, each with its branch, from the first one down."""
    waiting = deque([topic.cut_space(max_dz_length()).root] if topic.cuts else [])
    while waiting:
        branch = waiting.popleft()
        if branch.cut is not None:
            yield branch.cut, branch
            waiting += (branch.left, branch.right)


def _line(cut: CutNode, branch: Branch, shown: dict[int, Axis]) -> tuple[float, ...]:
    """Return left, right, bottom and top; from 0 to 1 without a second axis."""
    sides: list[float] = []
    for position, axis in shown.items():
        ends = (cut.place, cut.place) if position == cut.attribute else branch.region[position]
        sides += [axis.place(end) for end in ends]
    return tuple(sides) if len(shown) > 1 else (*sides, 0.0, 1.0)
